import { hash, timingSafeEqual } from 'node:crypto';
import { formatApiKey, hashApiKey, KEY_BYTES } from '../../domain/keys/api-key.js';
import { isPublicId, type PortalSettings } from '../../domain/keys/portal-session.js';
import { ApiError } from '../../errors.js';
import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import { tenantTransaction } from '../../platform/database/tenant-database.js';
import { beginChange } from '../cells/moving.js';
import type { Authenticator } from '../keys/authenticate.js';

interface FoundSession {
  id: number;
  tenant_id: number;
  /** JSON of PortalSettings. */
  settings: string;
  code_hash: Buffer;
  exchanged: boolean;
  code_expired: boolean;
  /** It was revoked or has expired. */
  ended: boolean;
}

const findStatement: Statement = {
  name: 'find_portal_session',
  text: 'select * from hookwright.find_portal_session($1)',
};
const beginStatement: Statement = {
  name: 'begin_portal_session',
  text: 'select hookwright.begin_portal_session($1, $2) as expires_at',
};

async function findSession({ pool }: HasPool, publicId: string): Promise<FoundSession | null> {
  const rows = isPublicId(publicId) ? await query<FoundSession>(pool, findStatement, [publicId]) : [];
  return rows[0] ?? null;
}

/** The origins of the pages that may show a session in a frame; none for an unknown public id. */
export async function parentOriginsOf(db: HasPool, publicId: string): Promise<readonly string[]> {
  const session = await findSession(db, publicId);
  return session === null ? [] : (JSON.parse(session.settings) as PortalSettings).parentOrigins;
}

interface Exchange {
  publicId: string;
  code: string;
  /** The client's address, by which wrong codes are limited. */
  address: string;
}

/**
 * Exchanges the code of a portal session for its key, once. The key is shown only in this answer.
 *
 * @throws ApiError not_found, the same for an unknown session and a wrong code; rate_limited; with the right code
 *   portal_code_used, portal_code_expired; tenant_moving, tenant_elsewhere
 */
export async function exchangePortalCode(
  db: HasPool,
  authenticator: Authenticator,
  random: (bytes: number) => Buffer,
  { publicId, code, address }: Exchange,
): Promise<{ token: string; expiresAt: Date }> {
  const codeHash = hash('sha256', code, 'buffer');
  const session = await authenticator.guess(address, async () => {
    const found = await findSession(db, publicId);
    return timingSafeEqual(codeHash, found?.code_hash ?? Buffer.alloc(32)) ? found : null;
  });
  if (session === null) {
    throw new ApiError('not_found', 'There is no portal session with this id and code. Open the portal again.');
  }
  requireOpen(session);
  const token = formatApiKey(session.id, random(KEY_BYTES));
  const values = [session.id, hashApiKey(token)];
  const [begun] = await tenantTransaction(db.pool, session.tenant_id, async (client) => {
    await beginChange(client, session.tenant_id);
    return await query<{ expires_at: Date | null }>(client, beginStatement, values);
  });
  if (!begun?.expires_at) {
    throw used(session); // by another request at the same time
  }
  authenticator.forget(session.id); // a look-up under way may be older
  return { token, expiresAt: begun.expires_at };
}

/** @throws ApiError portal_code_used, portal_code_expired */
function requireOpen(session: FoundSession): void {
  const isInvitation = isInvited(session);
  if (session.exchanged) {
    throw used(session);
  }
  if (session.ended) {
    const detail = isInvitation
      ? 'This invitation was withdrawn. Ask for another one.'
      : 'This portal session is over. Open the portal again.';
    throw new ApiError('portal_code_expired', detail);
  }
  if (session.code_expired) {
    const detail = isInvitation
      ? 'This invitation was not opened in time. Ask for another one.'
      : 'This link was not opened within a minute after it was made. Open the portal again.';
    throw new ApiError('portal_code_expired', detail);
  }
}

const isInvited = ({ settings }: FoundSession): boolean =>
  (JSON.parse(settings) as PortalSettings).invitationDays != null;

const used = (session: FoundSession) =>
  new ApiError(
    'portal_code_used',
    isInvited(session)
      ? 'This invitation was opened before, and works once. Ask for another one.'
      : 'This link was opened before, and works once. Open the portal again.',
  );
