import type pg from 'pg';
import { type Jwk, jwkOf } from '../../domain/signing/key-pair.js';
import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';

/** Where receivers find the public keys of a tenant: `/keys/<22 characters>.json`. */
export const JWKS_PATH = '/keys/';
/** How long receivers may keep them: less than a new key is published before it signs. */
export const JWKS_MAX_AGE_SECONDS = 300;

/** The published half of a tenant's key pair. */
interface SigningKeyRow {
  tenantId: number;
  kid: string;
  /** In the address of the tenant's public keys. */
  jwksId: string;
  publicKey: Buffer;
  usedFrom: Date;
  /** When it is no longer published. Null: no other one has taken its place. */
  endsAt: Date | null;
}

const ofTenantsStatement: Statement = {
  name: 'read_signing_keys_of_tenants',
  text: `
    select tenant_id as "tenantId", kid, jwks_id as "jwksId", public as "publicKey", used_from as "usedFrom",
           ends_at as "endsAt"
    from hookwright.all_signing_keys where tenant_id = any($1::bigint[]) order by used_from desc, kid`,
};

/** The published keys of tenants, the newest first. Tenants without one are left out. */
export async function readSigningKeys(
  { pool }: HasPool,
  tenantIds: readonly number[],
): Promise<Map<number, SigningKeyRow[]>> {
  const rows = await tenantQuery<SigningKeyRow>(pool, null, ofTenantsStatement, [[...tenantIds]]);
  return Map.groupBy(rows, ({ tenantId }) => tenantId);
}

const jwksStatement: Statement = {
  name: 'read_jwks',
  text: `
    select kid, public as "publicKey" from hookwright.all_signing_keys
    where jwks_id = $1 order by used_from desc, kid`,
};

/**
 * The public keys of a tenant, for receivers.
 *
 * @param jwksId in their address
 * @returns none: there is no such address
 */
export async function readJwks({ pool }: HasPool, jwksId: string): Promise<Jwk[]> {
  const rows = await tenantQuery<Pick<SigningKeyRow, 'kid' | 'publicKey'>>(pool, null, jwksStatement, [jwksId]);
  return rows.map(({ kid, publicKey }) => jwkOf(kid, publicKey));
}

/** A key pair that signs now or soon. */
interface SealedKey {
  kid: string;
  sealed: Buffer;
  /** In how many ms it begins to sign; 0 or less: it does. */
  usedInMs: number;
}

/** The one that signs, and those that begin to until the next read. */
const sealedStatement: Statement = {
  name: 'read_sealed_signing_keys',
  text: `
    select kid, sealed, extract(epoch from used_from - now())::float8 * 1000 as "usedInMs"
    from hookwright.signing_keys
    where tenant_id = $1 and (ends_at is null or ends_at > now()) and used_from >= coalesce((
        select max(used_from) from hookwright.signing_keys
        where tenant_id = $1 and (ends_at is null or ends_at > now()) and used_from <= now()), now())
      and used_from < now() + $2 * interval '1 millisecond'
    order by used_from desc`,
};

/** @param aheadMs until the next read @returns those that begin last first */
export const readSealedKeys = (pool: pg.Pool, tenantId: number, aheadMs: number): Promise<SealedKey[]> =>
  query<SealedKey>(pool, sealedStatement, [tenantId, aheadMs]);
