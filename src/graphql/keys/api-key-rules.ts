import { type Context, callerOf } from '../../context/context.js';
import { FRESH } from '../../database/tenant-database.js';
import type { StoredPortalSettings } from '../../domain/keys/portal-session.js';
import type { Scope } from '../../domain/keys/scopes.js';
import { ApiKey } from '../../entities/api-key.js';
import { ApiError, invalidInput } from '../../errors.js';
import { scopesBeyond } from '../../operations/keys/create-api-key.js';

/** What holds for whatever is made with an API key and can be used like one: keys, and portal sessions. */

/** @param what "An API key" @throws ApiError scope_missing */
export function requireGranted(context: Context, scopes: readonly Scope[], what: string): void {
  const beyond = scopesBeyond(callerOf(context).scopes, scopes);
  if (beyond.length > 0) {
    throw new ApiError(
      'scope_missing',
      `${what} gets only scopes that the API key that makes it holds; this one lacks ${beyond.join(', ')}.`,
    );
  }
}

/** How long the API key of the request still lives, in whole seconds; infinite: it does not expire. */
export const secondsLeft = (context: Context): number =>
  Math.floor(context.authenticator.lifeLeftMs(callerOf(context)) / 1_000);

/**
 * How long API keys may live that the request makes, in whole seconds: as long as its own one, or, in a portal session,
 * as the one that made the session. Infinite: they need not expire.
 */
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
 * Else whoever has got hold of a key for an hour would have one for ever, which outlives the first one's revocation.
 *
 * @param left how many seconds it may live; infinite: it need not expire
 * @throws ApiError invalid_input for what would live longer
 */
export function requireOwnLife(left: number, lifetimeSeconds: number | null | undefined): void {
  if (left === Number.POSITIVE_INFINITY) {
    return;
  }
  if (typeof lifetimeSeconds !== 'number' || lifetimeSeconds > left) {
    const detail = `must be at most ${left}: the API key that asks expires then, and makes none that lives longer`;
    throw invalidInput([{ path: ['input', 'expiresInSeconds'], code: 'too_big', detail }]);
  }
}
