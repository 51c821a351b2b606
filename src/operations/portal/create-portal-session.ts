import { hash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  INVITED_SECONDS_MAX,
  newPortalLink,
  PORTAL_CODE_SECONDS,
  PORTAL_SESSION_SECONDS_MAX,
  type PortalSettings,
  type StoredPortalSettings,
  scopesOfPortal,
} from '../../domain/keys/portal-session.js';
import { ApiKey, activeSessions } from '../../entities/api-key.js';
import { ApiError, invalidInput } from '../../errors.js';
import type { HasOrm, HasPool } from '../../platform/database/database.js';
import { lockMaker, type Maker, requireEnd, secondsUntil } from '../keys/maker.js';
import { allocateId } from '../rows/allocate-id.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { lockTenant } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';

/**
 * Pages that are loaded often make many. An unopened one counts for a minute, an opened one for an hour at most. An
 * invitation counts for its days, and for a day.
 */
const SESSIONS_PER_TENANT_MAX = 10_000;
/** The hash of no key. */
const NO_HASH = Buffer.alloc(32);

interface NewPortalSession {
  tenantId: number;
  /** From 60 to PORTAL_SESSION_SECONDS_MAX or INVITED_SECONDS_MAX. Undefined: as long as possible. */
  expiresInSeconds: number | undefined;
  settings: PortalSettings;
  by: Actor;
}

/**
 * Makes a session of the portal: an API key that nobody has until the code is exchanged (`exchangePortalCode`). The
 * code is stored as a hash. The session of an invitation begins when it is opened, may outlive its maker, and is not
 * revoked with it (docs/decisions/0050): callers check who may invite, and to what.
 *
 * @throws ApiError not_found when there is no such tenant; api_key_limit_reached; invalid_input and scope_missing for
 *   more than its maker allows; unauthenticated when that was revoked meanwhile
 */
export async function createPortalSession(
  db: HasPool & HasOrm,
  random: (bytes: number) => Buffer,
  { tenantId, expiresInSeconds: asked, settings, by }: NewPortalSession,
): Promise<{ apiKey: ApiKey; publicId: string; code: string }> {
  const id = await allocateId(db.pool, 'api_keys');
  const { publicId, code } = newPortalLink(random);
  const apiKey = await managementTransaction(db, tenantId, async ({ em, sql, now }) => {
    await lockTenant(em, tenantId);
    await requireRoom(em);
    const maker = await lockMaker(sql, by, now);
    const { expiresInSeconds, codeSeconds, ...term } = termOf(maker, now, asked, settings);
    const stored: StoredPortalSettings = { ...settings, ...term.stored, madeBy: { kind: by.kind, keyId: by.keyId } };
    const after = { ...settings, expiresInSeconds };
    audit(em, by, { ...about('PORTAL_SESSION', tenantId, id), action: 'PORTAL_SESSION_CREATED', after });
    return em.create(ApiKey, {
      id,
      tenantId,
      name: 'portal session',
      hash: NO_HASH,
      scopes: scopesOfPortal(settings.capabilities),
      expiresAt: term.expiresAt,
      madeIn: term.madeIn,
      portalId: publicId,
      portalCodeHash: hash('sha256', code, 'buffer'),
      portalCodeExpiresAt: later(now, codeSeconds),
      portalSettings: JSON.stringify(stored),
      // As they will be read, so that the session is shown without another query.
      revokedAt: null,
      lastUsedAt: null,
      portalExchangedAt: null,
    });
  });
  return { apiKey, publicId, code };
}

interface Term {
  /** How long the session lives. */
  expiresInSeconds: number;
  codeSeconds: number;
  /** When it ends at the latest. */
  expiresAt: Date;
  madeIn: number | null;
  stored: Pick<StoredPortalSettings, 'makerExpiresAt' | 'secondsOnceOpened'>;
}

const DAY_SECONDS = 86_400;
const later = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1_000);

/** @throws ApiError invalid_input and scope_missing for more than the maker allows */
function termOf(maker: Maker, now: Date, asked: number | undefined, settings: PortalSettings): Term {
  if (settings.invitationDays != null) {
    const expiresInSeconds = asked ?? INVITED_SECONDS_MAX;
    const codeSeconds = settings.invitationDays * DAY_SECONDS;
    const expiresAt = later(now, codeSeconds + expiresInSeconds);
    const stored = { makerExpiresAt: expiresAt.toISOString(), secondsOnceOpened: expiresInSeconds };
    return { expiresInSeconds, codeSeconds, expiresAt, madeIn: null, stored };
  }
  const left = secondsUntil(maker.sessionsEndMs, now);
  const expiresInSeconds = asked ?? Math.min(PORTAL_SESSION_SECONDS_MAX, left);
  requireWithin(maker, now, expiresInSeconds, settings);
  const keysEndMs = later(now, expiresInSeconds + keySeconds(settings)).getTime();
  const makerExpiresAt = new Date(Math.min(maker.laterKeysEndMs, keysEndMs)).toISOString();
  return {
    expiresInSeconds,
    codeSeconds: Math.min(PORTAL_CODE_SECONDS, expiresInSeconds),
    expiresAt: later(now, expiresInSeconds),
    madeIn: maker.madeIn,
    stored: { makerExpiresAt },
  };
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
  const { capabilities: held, parentOrigins: allowed, release = null } = maker.portal;
  if (release !== null && settings.release !== release) {
    const detail = `must be ${release}: the session that creates it fixes this release`;
    throw invalidInput([{ path: ['input', 'release'], code: 'not_allowed', detail }]);
  }
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
