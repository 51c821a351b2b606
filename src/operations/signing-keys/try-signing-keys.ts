import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import type { EncryptionKey } from '../../platform/settings/config.js';
import { opensSigningKey } from '../secrets/secret-vault.js';
import { BY_KEY } from './change-signing-keys.js';

interface Row {
  tenantId: number;
  dataKey: Buffer;
  dataKeyKid: string;
  /** Null: no key pair signs now. */
  kid: string | null;
  sealed: Buffer | null;
}

const TRIED_MAX = 1_000;

/** Tenants that want a key pair, with the one that signs now. */
const statement: Statement = {
  text: `
    with wanted as (
      select tenant_id from hookwright.webhook_options where signing = '${BY_KEY}'
      union select id from hookwright.tenants where signing = '${BY_KEY}')
    select t.id as "tenantId", t.data_key as "dataKey", t.data_key_kid as "dataKeyKid", k.kid, k.sealed
    from wanted join hookwright.tenants t on t.id = wanted.tenant_id
    left join lateral (
      select kid, sealed from hookwright.signing_keys
      where tenant_id = t.id and used_from <= now() and (ends_at is null or ends_at > now())
      order by used_from desc limit 1) k on true
    where t.deleted_at is null order by t.id limit ${TRIED_MAX}`,
};

/** The first tenants that want signatures by a key pair and have none that can sign: their deliveries wait. */
export async function tenantsWithoutKey({ pool }: HasPool, keys: readonly EncryptionKey[]): Promise<number[]> {
  const rows = await query<Row>(pool, statement, []);
  return rows.filter((row) => !canSign(row, keys)).map(({ tenantId }) => tenantId);
}

function canSign({ tenantId, dataKey, dataKeyKid, kid, sealed }: Row, keys: readonly EncryptionKey[]): boolean {
  const key = keys.find((known) => known.kid === dataKeyKid)?.key;
  return (
    key !== undefined && kid !== null && sealed !== null && opensSigningKey(key, tenantId, { dataKey, kid, sealed })
  );
}
