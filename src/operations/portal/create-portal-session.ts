import { hash } from 'node:crypto';
import type { Database } from '../../database/database.js';
import {
  newPortalLink,
  PORTAL_CODE_SECONDS,
  type PortalSettings,
  type StoredPortalSettings,
  scopesOfPortal,
} from '../../domain/keys/portal-session.js';
import { ApiKey, activeKeys } from '../../entities/api-key.js';
import { ApiError } from '../../errors.js';
import { allocateId } from '../rows/allocate-id.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { lockTenant } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';

/** A page that is loaded often makes many, and each lasts an hour at most. */
const SESSIONS_PER_TENANT_MAX = 10_000;
/** The hash of no key. */
const NO_HASH = Buffer.alloc(32);

interface NewPortalSession {
  tenantId: number;
  /** From 60 to PORTAL_SESSION_SECONDS_MAX. */
  expiresInSeconds: number;
  settings: PortalSettings;
  /** When the API key that makes it ends; null: never. */
  makerExpiresAt: Date | null;
  by: Actor;
}

/**
 * Makes a session of the portal: an API key that nobody has until the code is exchanged (`exchangePortalCode`). The
 * code is stored as a hash.
 *
 * @throws ApiError not_found when there is no such tenant; api_key_limit_reached
 */
export async function createPortalSession(
  db: Pick<Database, 'pool' | 'orm'>,
  random: (bytes: number) => Buffer,
  { tenantId, expiresInSeconds, settings, makerExpiresAt, by }: NewPortalSession,
): Promise<{ apiKey: ApiKey; publicId: string; code: string }> {
  const id = await allocateId(db.pool, 'api_keys');
  const { publicId, code } = newPortalLink(random);
  const stored: StoredPortalSettings = { ...settings, makerExpiresAt: makerExpiresAt?.toISOString() ?? null };
  const apiKey = await managementTransaction(db, tenantId, async ({ em, now }) => {
    await lockTenant(em, tenantId);
    if ((await em.count(ApiKey, { ...activeKeys(), portalId: { $ne: null } })) >= SESSIONS_PER_TENANT_MAX) {
      throw new ApiError(
        'api_key_limit_reached',
        `A tenant may have ${SESSIONS_PER_TENANT_MAX} portal sessions at a time; revoke some, or wait until they expire.`,
      );
    }
    const after = { ...settings, expiresInSeconds };
    audit(em, by, { ...about('PORTAL_SESSION', tenantId, id), action: 'PORTAL_SESSION_CREATED', after });
    const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
    return em.create(ApiKey, {
      id,
      tenantId,
      name: 'portal session',
      hash: NO_HASH,
      scopes: scopesOfPortal(settings.capabilities),
      expiresAt: inSeconds(expiresInSeconds),
      portalId: publicId,
      portalCodeHash: hash('sha256', code, 'buffer'),
      portalCodeExpiresAt: inSeconds(PORTAL_CODE_SECONDS),
      portalSettings: JSON.stringify(stored),
      // As they will be read, so that the session is shown without another query.
      revokedAt: null,
      lastUsedAt: null,
      portalExchangedAt: null,
    });
  });
  return { apiKey, publicId, code };
}
