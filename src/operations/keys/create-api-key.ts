import type { EntityManager } from '@mikro-orm/postgresql';
import {
  formatApiKey,
  hashApiKey,
  KEY_BYTES,
  KEY_LIFETIME_SECONDS_MAX,
  KEY_LIFETIME_SECONDS_MIN,
} from '../../domain/keys/api-key.js';
import { ERASE, hasScope, isPlatformScope, PLATFORM_ADMIN, type Scope } from '../../domain/keys/scopes.js';
import { ApiKey, activeKeys } from '../../entities/api-key.js';
import { ApiError } from '../../errors.js';
import type { HasOrm, HasPool } from '../../platform/database/database.js';
import { allocateId } from '../rows/allocate-id.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { lockTenant } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import { lockMaker, type Maker, requireEnd } from './maker.js';

interface NewApiKey {
  /** Null: a platform key. */
  tenantId: number | null;
  name: string;
  scopes: readonly Scope[];
  /**
   * From KEY_LIFETIME_SECONDS_MIN to KEY_LIFETIME_SECONDS_MAX. Undefined: the key does not expire, or, made in a portal
   * session, as late as that allows.
   */
  expiresInSeconds?: number;
  /** The key is a sign-in to the console. */
  consoleSession?: boolean;
  /** How many active keys the tenant may have; undefined (the command line): no limit. */
  keysMax?: number;
  by: Actor;
}

/**
 * Makes an API key. Its text is shown only in this answer (the database has a hash), so no query that could fail
 * follows the commit.
 *
 * @throws ApiError not_found when there is no such tenant; api_key_limit_reached; invalid_input for a lifetime beyond
 *   that of its maker; unauthenticated when the maker was revoked meanwhile
 * @throws RangeError for another lifetime, or scopes that do not fit the kind of key: callers check input first
 */
export async function createApiKey(
  db: HasPool & HasOrm,
  random: (bytes: number) => Buffer,
  { tenantId, name, scopes, expiresInSeconds: asked, consoleSession = false, keysMax, by }: NewApiKey,
): Promise<{ id: number; key: string; apiKey: ApiKey }> {
  if (asked !== undefined && !isLifetime(asked)) {
    throw new RangeError(
      `A key lives for ${KEY_LIFETIME_SECONDS_MIN} to ${KEY_LIFETIME_SECONDS_MAX} seconds (ten years), not for ${asked}.`,
    );
  }
  if (scopes.length === 0 || scopes.some((scope) => isPlatformScope(scope) !== (tenantId === null))) {
    throw new RangeError('Platform keys have platform scopes, and keys of tenants the others');
  }
  const id = await allocateId(db.pool, 'api_keys');
  const key = formatApiKey(id, random(KEY_BYTES));
  const apiKey = await managementTransaction(db, tenantId, async ({ em, sql, now }) => {
    if (tenantId !== null) {
      await lockTenant(em, tenantId);
      await requireRoom(em, keysMax);
    }
    const maker = await lockMaker(sql, by, now);
    const expiresAt = endOf(maker, now, asked);
    const expiresInSeconds = expiresAt && Math.round((expiresAt.getTime() - now.getTime()) / 1_000);
    const after = { name, scopes, expiresInSeconds };
    audit(em, by, { ...about('API_KEY', tenantId, id), action: 'API_KEY_CREATED', after });
    const hash = hashApiKey(key);
    const { madeIn } = maker;
    return em.create(ApiKey, { id, tenantId, name, hash, scopes: [...scopes], expiresAt, consoleSession, madeIn });
  });
  return { id, key, apiKey };
}

/** Null: never. @throws ApiError invalid_input */
function endOf(maker: Maker, now: Date, asked: number | undefined): Date | null {
  if (asked === undefined && maker.isPortal) {
    return new Date(maker.keysEndMs);
  }
  requireEnd(maker, maker.keysEndMs, now, asked ?? Number.POSITIVE_INFINITY, 'expiresInSeconds');
  return asked === undefined ? null : new Date(now.getTime() + asked * 1_000);
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

/** The wanted scopes that a key with the scopes `own` may not grant: those that it lacks, and ERASE without admin. */
export const scopesBeyond = (own: ReadonlySet<Scope>, wanted: readonly Scope[]): Scope[] =>
  wanted.filter((scope) => !hasScope(own, scope === ERASE ? PLATFORM_ADMIN : scope));
