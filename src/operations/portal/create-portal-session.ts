import { hash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  newPortalLink,
  PORTAL_CODE_SECONDS,
  PORTAL_SESSION_SECONDS_MAX,
  type PortalSettings,
  type StoredPortalSettings,
  scopesOfPortal,
} from '../../domain/keys/portal-session.js';
import { ApiKey, activeSessions } from '../../entities/api-key.js';
import { ApiError, invalidInput } from '../../errors.js';
import type { Database } from '../../platform/database/database.js';
import { lockMaker, type Maker, requireEnd, secondsUntil } from '../keys/maker.js';
import { allocateId } from '../rows/allocate-id.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { lockTenant } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';

/** Pages that are loaded often make many. An unopened one counts for a minute, an opened one for an hour at most. */
const SESSIONS_PER_TENANT_MAX = 10_000;
/** The hash of no key. */
const NO_HASH = Buffer.alloc(32);

interface NewPortalSession {
  tenantId: number;
  /** From 60 to PORTAL_SESSION_SECONDS_MAX. Undefined: as long as possible. */
  expiresInSeconds: number | undefined;
  settings: PortalSettings;
  by: Actor;
}

/**
 * Makes a session of the portal: an API key that nobody has until the code is exchanged (`exchangePortalCode`). The
 * code is stored as a hash.
 *
 * @throws ApiError not_found when there is no such tenant; api_key_limit_reached; invalid_input and scope_missing for
 *   more than its maker allows; unauthenticated when that was revoked meanwhile
 */
export async function createPortalSession(
  db: Pick<Database, 'pool' | 'orm'>,
  random: (bytes: number) => Buffer,
  { tenantId, expiresInSeconds: asked, settings, by }: NewPortalSession,
): Promise<{ apiKey: ApiKey; publicId: string; code: string }> {
  const id = await allocateId(db.pool, 'api_keys');
  const { publicId, code } = newPortalLink(random);
  const apiKey = await managementTransaction(db, tenantId, async ({ em, sql, now }) => {
    await lockTenant(em, tenantId);
    await requireRoom(em);
    const maker = await lockMaker(sql, by, now);
    const left = secondsUntil(maker.sessionsEndMs, now);
    const expiresInSeconds = asked ?? Math.min(PORTAL_SESSION_SECONDS_MAX, left);
    requireWithin(maker, now, expiresInSeconds, settings);
    const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
    const expiresAt = inSeconds(expiresInSeconds);
    const keysEnd = new Date(
      Math.min(maker.laterKeysEndMs, inSeconds(expiresInSeconds + keySeconds(settings)).getTime()),
    );
    const stored: StoredPortalSettings = { ...settings, makerExpiresAt: keysEnd.toISOString() };
    const after = { ...settings, expiresInSeconds };
    audit(em, by, { ...about('PORTAL_SESSION', tenantId, id), action: 'PORTAL_SESSION_CREATED', after });
    return em.create(ApiKey, {
      id,
      tenantId,
      name: 'portal session',
      hash: NO_HASH,
      scopes: scopesOfPortal(settings.capabilities),
      expiresAt,
      madeIn: maker.madeIn,
      portalId: publicId,
      portalCodeHash: hash('sha256', code, 'buffer'),
      portalCodeExpiresAt: inSeconds(Math.min(PORTAL_CODE_SECONDS, expiresInSeconds)),
      portalSettings: JSON.stringify(stored),
      // As they will be read, so that the session is shown without another query.
      revokedAt: null,
      lastUsedAt: null,
      portalExchangedAt: null,
    });
  });
  return { apiKey, publicId, code };
}

const keySeconds = ({ keysExpireInSeconds }: PortalSettings): number => keysExpireInSeconds ?? 0;

/** @throws ApiError api_key_limit_reached */
async function requireRoom(em: EntityManager): Promise<void> {
  if ((await em.count(ApiKey, activeSessions())) >= SESSIONS_PER_TENANT_MAX) {
    throw new ApiError(
      'api_key_limit_reached',
      `A tenant may have ${SESSIONS_PER_TENANT_MAX} portal sessions at a time; revoke some, or wait until they expire.`,
    );
  }
}

/** A session has no longer life, no other pages and no more rights than the session in which it is made. */
function requireWithin(maker: Maker, now: Date, expiresInSeconds: number, settings: PortalSettings): void {
  const { capabilities, parentOrigins } = settings;
  requireEnd(maker, maker.sessionsEndMs, now, expiresInSeconds, 'expiresInSeconds');
  requireEnd(maker, maker.keysEndMs, now, keySeconds(settings), 'keysExpireInSeconds');
  if (maker.portal === null) {
    return;
  }
  const { capabilities: held, parentOrigins: allowed } = maker.portal;
  const beyond = capabilities.filter((one) => !held.includes(one));
  if (beyond.length > 0) {
    const detail = `A portal session gives only its own capabilities; this one lacks ${beyond.join(', ')}.`;
    throw new ApiError('scope_missing', detail);
  }
  const at = parentOrigins.findIndex((origin) => !allowed.includes(origin));
  if (at >= 0) {
    const some =
      allowed.length === 0 ? 'left out: the session that creates it has none' : `one of ${allowed.join(', ')}`;
    throw invalidInput([{ path: ['input', 'parentOrigins', at], code: 'not_allowed', detail: `must be ${some}` }]);
  }
}
