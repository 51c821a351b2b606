import type { StoredPortalSettings } from '../../../domain/keys/portal-session.js';
import { ApiKey } from '../../../entities/api-key.js';
import { refusedInput } from '../../../errors.js';
import { UNFILTERED } from '../../../platform/database/tenant-database.js';
import { type Context, callerOf } from '../../context/context.js';

interface WithContent {
  content?: { release?: string | null } | null;
}

/** The release that a new webhook is pinned to, unless its input says which. Null: to none. */
export async function pinOf(context: Context, { content }: WithContent): Promise<string | null> {
  const fixed = await fixedRelease(context);
  if (fixed !== null) {
    return fixed;
  }
  const isSaid = content?.release !== undefined;
  return isSaid || context.config.pinNewWebhooks === 'off' ? null : await context.releases.newest();
}

/** Requires that a change leaves the release as the portal session fixes it. @throws ApiError invalid_input */
export async function requireFixedRelease(context: Context, { content }: WithContent): Promise<void> {
  const wanted = content?.release;
  const fixed = wanted === undefined ? null : await fixedRelease(context);
  if (fixed !== null && wanted !== fixed) {
    throw refusedInput(['content', 'release'], 'release_fixed', `must be ${fixed}, as this portal session fixes it`);
  }
}

/** Null: the caller is no portal session, or it fixes none. */
async function fixedRelease(context: Context): Promise<string | null> {
  const { isPortalSession, keyId, tenantId } = callerOf(context);
  if (!isPortalSession) {
    return null;
  }
  const key = await context.em.findOne(ApiKey, { id: keyId, tenantId }, UNFILTERED);
  const settings = key?.portalSettings == null ? null : (JSON.parse(key.portalSettings) as StoredPortalSettings);
  return settings?.release ?? null;
}
