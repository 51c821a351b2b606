import { ApiKey } from '../../entities/api-key.js';
import { ApiError, notFound } from '../../errors.js';
import type { HasOrm } from '../../platform/database/database.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { lockRows } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import type { Authenticator } from './authenticate.js';

/**
 * Revokes a key for good; every process refuses it within 5 s. Revoking it again has no effect.
 *
 * @param tenantId the key's tenant; null for platform keys
 * @param only 'portal': the session of the portal with this id, and no ordinary key; a hash: the session of the console
 *   whose key has this hash
 * @throws ApiError not_found
 */
export async function revokeApiKey(
  db: HasOrm,
  tenantId: number | null,
  keyId: number,
  by: Actor,
  only?: 'portal' | Buffer,
): Promise<ApiKey> {
  return await managementTransaction(db, tenantId, async ({ em, now }) => {
    const [key] = await lockRows(em, ApiKey, { id: keyId, tenantId });
    if (key === undefined || !isMeant(key, only)) {
      throw notFound(only === 'portal' ? 'portal session' : 'API key', keyId);
    }
    if (key.revokedAt === null) {
      key.revokedAt = now;
      if (key.portalId === null) {
        const before = { name: key.name };
        audit(em, by, { ...about('API_KEY', tenantId, keyId), action: 'API_KEY_REVOKED', before });
      } else {
        audit(em, by, { ...about('PORTAL_SESSION', tenantId, keyId), action: 'PORTAL_SESSION_REVOKED' });
      }
    }
    return key;
  });
}

function isMeant({ portalId, consoleSession, hash }: ApiKey, only: 'portal' | Buffer | undefined): boolean {
  return only === 'portal' ? portalId !== null : only === undefined || (consoleSession && only.equals(hash));
}

/** Ends the session of the console whose key has this hash. Other keys stay, such as one that a person has pasted. */
export async function endConsoleSession(
  { db, authenticator }: { db: HasOrm; authenticator: Authenticator },
  keyId: number,
  hash: Buffer,
  by: Actor,
): Promise<void> {
  try {
    authenticator.forgetRevoked(await revokeApiKey(db, null, keyId, by, hash));
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'not_found')) {
      throw error;
    }
  }
}
