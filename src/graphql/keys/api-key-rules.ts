import { type Context, callerOf } from '../../context/context.js';
import { FRESH } from '../../database/tenant-database.js';
import type { StoredPortalSettings } from '../../domain/keys/portal-session.js';
import type { Scope } from '../../domain/keys/scopes.js';
import { ApiKey } from '../../entities/api-key.js';
import { ApiError, invalidInput } from '../../errors.js';
import { scopesBeyond } from '../../operations/keys/create-api-key.js';

/** Requires that the caller has the scopes. @param what "An API key" @throws ApiError scope_missing */
export function requireGranted(context: Context, scopes: readonly Scope[], what: string): void {
  const beyond = scopesBeyond(callerOf(context).scopes, scopes);
  if (beyond.length > 0) {
    throw new ApiError(
      'scope_missing',
      `${what} can get only scopes of the API key that creates it; this one lacks ${beyond.join(', ')}.`,
    );
  }
}

/** Seconds until the API key of the request expires. Infinite when it does not. */
export const secondsLeft = (context: Context): number =>
  Math.floor(context.authenticator.lifeLeftMs(callerOf(context)) / 1_000);

/** The longest lifetime of new keys in seconds: that of the own key, or of the creator of the portal session. */
export async function secondsToGrant(context: Context): Promise<number> {
  const { isPortalSession, keyId } = callerOf(context);
  if (!isPortalSession) {
    return secondsLeft(context);
  }
  const { portalSettings } = await context.em.findOneOrFail(ApiKey, { id: keyId }, FRESH);
  const { makerExpiresAt } = JSON.parse(portalSettings!) as StoredPortalSettings;
  return makerExpiresAt === null
    ? Number.POSITIVE_INFINITY
    : Math.floor((Date.parse(makerExpiresAt) - context.clock().getTime()) / 1_000);
}

/**
 * Limits the lifetime of a new key. Otherwise somebody who gets a key for an hour could create one that never ends.
 *
 * @param left the longest lifetime in seconds; infinite: no limit
 * @throws ApiError invalid_input
 */
export function requireOwnLife(left: number, lifetimeSeconds: number | null | undefined): void {
  if ((lifetimeSeconds ?? Number.POSITIVE_INFINITY) > left) {
    const detail = `must be at most ${left}: the API key of this request expires then, and cannot create one that lives longer`;
    throw invalidInput([{ path: ['input', 'expiresInSeconds'], code: 'too_big', detail }]);
  }
}
