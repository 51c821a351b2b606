import { randomBytes } from 'node:crypto';
import { timesOfRotation } from '../../domain/signing/key-times.js';
import { formatTimestamp } from '../../domain/text/timestamp.js';
import type { Tenant } from '../../entities/tenant.js';
import { ApiError } from '../../errors.js';
import { type HasOrm, query, type SqlTarget, type Statement } from '../../platform/database/database.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { lockTenant } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import type { NewSigningKey, SecretVault } from '../secrets/secret-vault.js';

/** The value of the option `signing` for which a tenant needs a key pair. */
export const BY_KEY = 'SECRET_AND_KEY';

/** Nobody guesses the address of a tenant's public keys: 22 characters. */
const JWKS_ID_BYTES = 16;

/** The address of the public keys stays the same for all keys of a tenant. */
const addStatement: Statement = {
  text: `
    insert into hookwright.signing_keys (tenant_id, kid, jwks_id, public, sealed, used_from)
    select $1, $2, coalesce((select jwks_id from hookwright.signing_keys where tenant_id = $1 limit 1), $3), $4, $5, $6
    on conflict (tenant_id) where ends_at is null do nothing`,
};

async function addKey(sql: SqlTarget, tenantId: number, key: NewSigningKey, usedFrom: Date): Promise<void> {
  const jwksId = randomBytes(JWKS_ID_BYTES).toString('base64url');
  await query(sql, addStatement, [tenantId, key.kid, jwksId, key.publicKey, key.sealed, usedFrom]);
}

/** Gives a tenant its first key pair, which is used at once: nobody has kept others. A tenant that has one keeps it. */
export async function addFirstKey(
  { sql, now }: { sql: SqlTarget; now: Date },
  tenantId: number,
  key: NewSigningKey,
): Promise<void> {
  await addKey(sql, tenantId, key, now);
}

/** The key that signs goes on until the new one does, also in place of one that never will. */
const endStatement: Statement = {
  text: `
    update hookwright.signing_keys
    set ends_at = case
          when used_from > now() then now()
          when used_from = (select max(used_from) from hookwright.signing_keys
                            where tenant_id = $1 and used_from <= now() and (ends_at is null or ends_at > now())) then $2
          else least(ends_at, $2) end,
        sealed = case when used_from > now() then '' else sealed end
    where tenant_id = $1 and (ends_at is null or ends_at > now())`,
};

const waitingStatement: Statement = {
  text: `
    select extract(epoch from used_from)::float8 * 1000 as "usedFromMs" from hookwright.signing_keys
    where tenant_id = $1 and ends_at is null`,
};

interface Rotation {
  /** From 24 to 168 hours until the new key signs. 0: it signs as soon as all know it, and the one before ends. */
  inHours: number;
  by: Actor;
}

/**
 * Gives a tenant another key pair, which is published at once and signs later. The one before stays published for a
 * week after that. A key that waits already is replaced, and the one that signs goes on until the new one does.
 *
 * @returns the tenant, and the name of the new key
 * @throws ApiError not_found; rotation_under_way: a new key waits already, and `inHours` is not 0
 */
export async function rotateSigningKey(
  db: HasOrm,
  vault: Pick<SecretVault, 'newSigningKey'>,
  tenantId: number,
  { inHours, by }: Rotation,
): Promise<{ tenant: Tenant; kid: string }> {
  const key = await vault.newSigningKey(tenantId);
  return await managementTransaction(db, tenantId, async ({ em, sql, now }) => {
    const tenant = await lockTenant(em, tenantId);
    const [newest] = await query<{ usedFromMs: number }>(sql, waitingStatement, [tenantId]);
    if (newest !== undefined && newest.usedFromMs > now.getTime() && inHours !== 0) {
      const until = formatTimestamp(new Date(newest.usedFromMs));
      const detail = `Another key signs from ${until} on. Wait until then, or rotate with inHours: 0.`;
      throw new ApiError('rotation_under_way', detail);
    }
    const { usedFrom, endsAt } = newest === undefined ? { usedFrom: now, endsAt: now } : timesOfRotation(now, inHours);
    await query(sql, endStatement, [tenantId, endsAt]);
    await addKey(sql, tenantId, key, usedFrom);
    const after = { kid: key.kid, inHours, usedFrom: formatTimestamp(usedFrom) };
    audit(em, by, { ...about('TENANT', tenantId, tenantId), action: 'SIGNING_KEY_ROTATED', after });
    return { tenant, kid: key.kid };
  });
}

const eraseStatement: Statement = {
  text: `
    update hookwright.signing_keys set sealed = '', ends_at = least(ends_at, now()) where tenant_id = $1
    returning kid`,
};

/** Erases the private halves of a tenant's keys, and publishes the others no longer. @returns whether there were any */
export async function eraseSigningKeys(sql: SqlTarget, tenantId: number): Promise<boolean> {
  return (await query<{ kid: string }>(sql, eraseStatement, [tenantId])).length > 0;
}
