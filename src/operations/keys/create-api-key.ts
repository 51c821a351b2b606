import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../../database/database.js';
import { formatApiKey, hashApiKey, KEY_BYTES } from '../../domain/keys/api-key.js';
import { hasScope, isPlatformScope, type Scope } from '../../domain/keys/scopes.js';
import { ApiKey, activeKeys } from '../../entities/api-key.js';
import { ApiError } from '../../errors.js';
import { allocateId } from '../rows/allocate-id.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { lockTenant } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';

export const KEY_LIFETIME_SECONDS_MIN = 60;
/** Ten years. */
export const KEY_LIFETIME_SECONDS_MAX = 315_360_000;

interface NewApiKey {
  /** Null: a platform key. */
  tenantId: number | null;
  name: string;
  scopes: readonly Scope[];
  /** From KEY_LIFETIME_SECONDS_MIN to KEY_LIFETIME_SECONDS_MAX; undefined: the key does not expire. */
  expiresInSeconds?: number;
  /** How many active keys the tenant may have; undefined (the command line): no limit. */
  keysMax?: number;
  by: Actor;
}

/**
 * Makes an API key. Its text is shown only in this answer (the database has a hash), so no query that could fail
 * follows the commit.
 *
 * @throws ApiError not_found when there is no such tenant; api_key_limit_reached
 * @throws RangeError for another lifetime, or scopes that do not fit the kind of key: callers check input first
 */
export async function createApiKey(
  db: Pick<Database, 'pool' | 'orm'>,
  random: (bytes: number) => Buffer,
  { tenantId, name, scopes, expiresInSeconds, keysMax, by }: NewApiKey,
): Promise<{ id: number; key: string; apiKey: ApiKey }> {
  if (expiresInSeconds !== undefined && !isLifetime(expiresInSeconds)) {
    throw new RangeError(
      `A key lives for ${KEY_LIFETIME_SECONDS_MIN} to ${KEY_LIFETIME_SECONDS_MAX} seconds (ten years), not for ${expiresInSeconds}.`,
    );
  }
  if (scopes.length === 0 || scopes.some((scope) => isPlatformScope(scope) !== (tenantId === null))) {
    throw new RangeError('Platform keys have platform scopes, and keys of tenants the others');
  }
  const id = await allocateId(db.pool, 'api_keys');
  const key = formatApiKey(id, random(KEY_BYTES));
  const apiKey = await managementTransaction(db, tenantId, async ({ em, now }) => {
    if (tenantId !== null) {
      await lockTenant(em, tenantId);
      await requireRoom(em, keysMax);
    }
    const after = { name, scopes, expiresInSeconds: expiresInSeconds ?? null };
    audit(em, by, { ...about('API_KEY', tenantId, id), action: 'API_KEY_CREATED', after });
    const expiresAt = expiresInSeconds === undefined ? null : new Date(now.getTime() + expiresInSeconds * 1_000);
    const hash = hashApiKey(key);
    return em.create(ApiKey, { id, tenantId, name, hash, scopes: [...scopes], expiresAt });
  });
  return { id, key, apiKey };
}

const isLifetime = (seconds: number) => seconds >= KEY_LIFETIME_SECONDS_MIN && seconds <= KEY_LIFETIME_SECONDS_MAX;

/** @throws ApiError api_key_limit_reached */
async function requireRoom(em: EntityManager, keysMax?: number): Promise<void> {
  if (keysMax !== undefined && (await em.count(ApiKey, { ...activeKeys(), portalId: null })) >= keysMax) {
    throw new ApiError(
      'api_key_limit_reached',
      `A tenant may have ${keysMax} active API keys; revoke one first, or wait until one expires.`,
    );
  }
}

/** The wanted scopes that a key with the scopes `own` lacks, and so may not grant. */
export const scopesBeyond = (own: ReadonlySet<Scope>, wanted: readonly Scope[]): Scope[] =>
  wanted.filter((scope) => !hasScope(own, scope));
