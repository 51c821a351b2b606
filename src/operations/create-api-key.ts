import { type Database, query, type Statement } from '../database.js';
import { formatApiKey, hashApiKey, PLATFORM_SCOPE, type Scope } from '../domain/api-key.js';
import { notFound } from '../errors.js';
import { SQL_STATE, sqlStateOf } from '../sql-state.js';
import { tenantTransaction } from '../tenant-database.js';
import { type Actor, audit } from './audit.js';

export const KEY_LIFETIME_SECONDS_MIN = 60;

/** Bytes of chance in a key. */
const KEY_BYTES = 32;

export interface NewApiKey {
  /** Null: a platform key. */
  tenantId: number | null;
  name: string;
  scopes: readonly Scope[];
  /** At least 60; without it the key does not expire. */
  expiresInSeconds?: number;
  by: Actor;
}

const insertStatement: Statement = {
  name: 'create_api_key',
  text: `insert into hookwright.api_keys (id, tenant_id, name, hash, scopes, expires_at)
         values ($1, $2, $3, $4, $5, now() + $6 * interval '1 second')`,
};

/**
 * Makes an API key. The answer is the only place where its text ever stands: the database keeps a hash.
 *
 * @throws ApiError not_found when there is no such tenant
 * @throws RangeError for a lifetime below a minute, or scopes that do not fit the kind of key: callers judge input first
 */
export async function createApiKey(
  db: Pick<Database, 'pool'>,
  random: (bytes: number) => Buffer,
  { tenantId, name, scopes, expiresInSeconds, by }: NewApiKey,
): Promise<{ id: number; key: string }> {
  if (expiresInSeconds !== undefined && !(expiresInSeconds >= KEY_LIFETIME_SECONDS_MIN)) {
    throw new RangeError(
      `A key lives for at least ${KEY_LIFETIME_SECONDS_MIN} seconds, not ${expiresInSeconds}`,
    );
  }
  if (scopes.length === 0 || scopes.some((scope) => (scope === PLATFORM_SCOPE) !== (tenantId === null))) {
    throw new RangeError(`${PLATFORM_SCOPE} is the scope of platform keys, and their only one`);
  }
  const [allocated] = await query<{ id: number }>(
    db.pool,
    { name: 'next_api_key_id', text: "select nextval('hookwright.api_keys_id_seq') as id" },
    [],
  );
  const id = allocated!.id;
  const key = formatApiKey(id, random(KEY_BYTES));
  const values = [id, tenantId, name, hashApiKey(key), [...scopes], expiresInSeconds ?? null];
  const after = { name, scopes, expiresInSeconds: expiresInSeconds ?? null };
  const writing = tenantTransaction(db.pool, tenantId, async (client, withCommit) => {
    withCommit(query(client, insertStatement, values));
    withCommit(
      audit(client, by, { tenantId, action: 'API_KEY_CREATED', target: 'API_KEY', targetId: id, after }),
    );
  });
  await writing.catch((error: unknown) => {
    const isUnknownTenant = tenantId !== null && sqlStateOf(error) === SQL_STATE.FOREIGN_KEY_VIOLATION;
    throw isUnknownTenant ? notFound('tenant', tenantId) : error;
  });
  return { id, key };
}

/** The scopes that a holder of `held` may not grant: those that it lacks itself. A platform key grants all. */
export function scopesBeyond(held: ReadonlySet<Scope>, wanted: readonly Scope[]): Scope[] {
  return held.has(PLATFORM_SCOPE) ? [] : wanted.filter((scope) => !held.has(scope));
}
