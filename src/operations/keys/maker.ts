import type { StoredPortalSettings } from '../../domain/keys/portal-session.js';
import { ApiError, invalidInput } from '../../errors.js';
import { query, type SqlTarget, type Statement } from '../../platform/database/database.js';
import type { Actor } from '../rows/audit.js';

/** The limits that the key of a request sets for the keys and sessions that are made with it (docs/decisions/0043). */
export interface Maker {
  /** The session in which they are made. Null: in none. */
  madeIn: number | null;
  /** When new sessions end at the latest, in ms since 1970; infinite: no limit. */
  sessionsEndMs: number;
  /** When new keys end at the latest. */
  keysEndMs: number;
  /** When keys end at the latest that are made in new sessions. */
  laterKeysEndMs: number;
  /** Whether the maker is a portal session, whose keys end by default. */
  isPortal: boolean;
  /** The portal session in which the maker works, or was made. Null: in none. */
  portal: StoredPortalSettings | null;
}

interface MakerRow {
  ends_ms: number | null;
  made_in: string | null;
  is_portal: boolean;
  settings: string | null;
}

const lockStatement: Statement = {
  name: 'lock_maker',
  text: `select extract(epoch from ends_at)::float8 * 1000 as ends_ms, made_in::text, is_portal, settings
         from hookwright.lock_maker($1)`,
};

const never = Number.POSITIVE_INFINITY;
const unlimited: Maker = {
  madeIn: null,
  sessionsEndMs: never,
  keysEndMs: never,
  laterKeysEndMs: never,
  isPortal: false,
  portal: null,
};

/**
 * Locks the key of a request until the key or session that it makes is committed: this process may not know yet that it
 * was revoked.
 *
 * @throws ApiError unauthenticated, when it was revoked or has expired
 */
export async function lockMaker(sql: SqlTarget, { keyId }: Actor, now: Date): Promise<Maker> {
  if (keyId === null) {
    return unlimited;
  }
  const [row] = await query<MakerRow>(sql, lockStatement, [keyId]);
  if (row === undefined) {
    throw new ApiError('unauthenticated', 'The API key of this request was revoked or has expired.');
  }
  const { ends_ms: ends, made_in: madeIn, is_portal: isPortal, settings } = row;
  const sessionsEndMs = ends === null ? never : Math.floor(ends);
  const portal = settings === null ? null : (JSON.parse(settings) as StoredPortalSettings);
  const allowed = isPortal ? (portal?.keysExpireInSeconds ?? null) : null;
  const laterKeysEndMs = allowed === null ? sessionsEndMs : Date.parse(portal!.makerExpiresAt!);
  const keysEndMs = Math.min(now.getTime() + (allowed ?? never) * 1_000, laterKeysEndMs);
  return {
    madeIn: madeIn === null ? null : Number(madeIn),
    sessionsEndMs,
    keysEndMs,
    laterKeysEndMs,
    isPortal,
    portal,
  };
}

/** Whole seconds from now until an end. */
export const secondsUntil = (endMs: number, now: Date): number => Math.floor((endMs - now.getTime()) / 1_000);

/**
 * Limits a lifetime. Otherwise somebody who gets a key for an hour could create one that never ends.
 *
 * @param endMs the latest end
 * @param seconds infinite: for ever
 * @throws ApiError invalid_input
 */
export function requireEnd({ isPortal }: Maker, endMs: number, now: Date, seconds: number, field: string): void {
  const left = secondsUntil(endMs, now);
  if (seconds > left) {
    const why = isPortal
      ? 'a portal session creates nothing that outlives it, except keys for which its creator set keysExpireInSeconds'
      : 'the API key of this request expires then, and cannot create one that lives longer';
    throw invalidInput([{ path: ['input', field], code: 'too_big', detail: `must be at most ${left}: ${why}` }]);
  }
}
