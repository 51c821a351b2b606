import type pg from 'pg';
import { type Database, query, type Statement } from '../../database/database.js';
import { tenantTransaction } from '../../database/tenant-database.js';
import { formatApiKey, hashApiKey, KEY_BYTES, PLATFORM_SCOPE, type Scope } from '../../domain/api-key.js';
import type { ApiKey } from '../../entities/api-key.js';
import { ApiError } from '../../errors.js';
import { allocateId } from '../allocate-id.js';
import { type Actor, about, audit } from '../audit.js';
import { lockTenant } from '../lock-tenant.js';

export const KEY_LIFETIME_SECONDS_MIN = 60;
/** Ten years. */
export const KEY_LIFETIME_SECONDS_MAX = 315_360_000;

interface NewApiKey {
  /** Null: a platform key. */
  tenantId: number | null;
  name: string;
  scopes: readonly Scope[];
  /** From KEY_LIFETIME_SECONDS_MIN to KEY_LIFETIME_SECONDS_MAX; without it the key does not expire. */
  expiresInSeconds?: number;
  /** How many active keys the tenant may have. Without it as many as are wanted: the operator's command line. */
  keysMax?: number;
  by: Actor;
}

/** A row without the hash, with the names that the entity has. */
type ApiKeyRow = Omit<ApiKey, 'hash'>;

const insertStatement: Statement = {
  name: 'create_api_key',
  text: `insert into hookwright.api_keys (id, tenant_id, name, hash, scopes, expires_at)
         values ($1, $2, $3, $4, $5, now() + $6 * interval '1 second')
         returning id, tenant_id as "tenantId", name, scopes, created_at as "createdAt", expires_at as "expiresAt",
                   revoked_at as "revokedAt", last_used_at as "lastUsedAt"`,
};

const countStatement: Statement = {
  name: 'count_active_api_keys',
  text: `select count(*)::integer as keys from hookwright.api_keys
         where tenant_id = $1 and revoked_at is null and coalesce(expires_at, 'infinity') > now()`,
};

/**
 * Makes an API key. The answer is the only place where its text ever stands, for the database keeps a hash: so it
 * needs no query after the commit, which could fail.
 *
 * @throws ApiError not_found when there is no such tenant; api_key_limit_reached
 * @throws RangeError for a lifetime below a minute or above ten years, or scopes that do not fit the kind of key:
 *   callers judge input first
 */
export async function createApiKey(
  db: Pick<Database, 'pool'>,
  random: (bytes: number) => Buffer,
  { tenantId, name, scopes, expiresInSeconds, keysMax, by }: NewApiKey,
): Promise<{ id: number; key: string; apiKey: ApiKeyRow }> {
  if (expiresInSeconds !== undefined && !isLifetime(expiresInSeconds)) {
    throw new RangeError(
      `A key lives for ${KEY_LIFETIME_SECONDS_MIN} to ${KEY_LIFETIME_SECONDS_MAX} seconds (ten years), not for ${expiresInSeconds}.`,
    );
  }
  if (scopes.length === 0 || scopes.some((scope) => (scope === PLATFORM_SCOPE) !== (tenantId === null))) {
    throw new RangeError(`${PLATFORM_SCOPE} is the scope of platform keys, and their only one`);
  }
  const id = await allocateId(db.pool, 'api_keys');
  const key = formatApiKey(id, random(KEY_BYTES));
  const values = [id, tenantId, name, hashApiKey(key), [...scopes], expiresInSeconds ?? null];
  const after = { name, scopes, expiresInSeconds: expiresInSeconds ?? null };
  const { inserting } = await tenantTransaction(db.pool, tenantId, async (client, withCommit) => {
    if (tenantId !== null) {
      await lockTenant(client, tenantId);
      await requireRoom(client, tenantId, keysMax);
    }
    const inserting = query<ApiKeyRow>(client, insertStatement, values);
    withCommit(inserting);
    withCommit(audit(client, by, { ...about('API_KEY', tenantId, id), action: 'API_KEY_CREATED', after }));
    return { inserting }; // not waited for: it travels with the commit
  });
  const [apiKey] = await inserting;
  return { id, key, apiKey: apiKey! };
}

const isLifetime = (seconds: number) =>
  seconds >= KEY_LIFETIME_SECONDS_MIN && seconds <= KEY_LIFETIME_SECONDS_MAX;

/** @throws ApiError api_key_limit_reached */
async function requireRoom(client: pg.PoolClient, tenantId: number, keysMax?: number): Promise<void> {
  if (keysMax === undefined) {
    return;
  }
  const [counted] = await query<{ keys: number }>(client, countStatement, [tenantId]);
  if (counted!.keys >= keysMax) {
    throw new ApiError(
      'api_key_limit_reached',
      `A tenant may have ${keysMax} active API keys; revoke one first, or wait until one expires.`,
    );
  }
}

/** The scopes that a holder of `held` may not grant: those that it lacks itself. A platform key grants all. */
export function scopesBeyond(held: ReadonlySet<Scope>, wanted: readonly Scope[]): Scope[] {
  return held.has(PLATFORM_SCOPE) ? [] : wanted.filter((scope) => !held.has(scope));
}
