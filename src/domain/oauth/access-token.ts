import { DAY_MS, HOUR_MS } from '../text/durations.js';

/** A daemon that asks a token server has this long until another one may ask: longer than its question can take. */
export const FETCHING_MS = 6_000;
/** After a failure nobody asks for this long. */
const FAILED_FOR_MS = 5_000;
/** A token is replaced when this part of its life is left, or this much time if that is less. */
const LEFT_PART_MIN = 1 / 10;
const LEFT_MS_MIN = 60_000;
/** Servers count whole seconds from a time that they cut off, so a short token may end a second too soon. */
const CUT_OFF_MS = 2_000;
/** An old token helps out while there is no new one, until this much is left: a request takes a moment. */
const LEFT_MS_AT_LAST = 1_000;
/** The life of a token whose server does not say it (RFC 6749 §5.1 recommends that it does). A 401 ends it sooner. */
const LIFE_MS_UNSAID = HOUR_MS;
const LIFE_MS_MIN = 1_000;
const LIFE_MS_MAX = DAY_MS;
/** A 401 to a younger token is no sign that another one would do better. */
export const RENEWED_FROM_MS = 5_000;

/** @param expiresInSeconds as the token server says it */
export function lifeMsOf(expiresInSeconds: number | undefined): number {
  const lifeMs = expiresInSeconds === undefined ? LIFE_MS_UNSAID : expiresInSeconds * 1_000;
  return Math.min(LIFE_MS_MAX, Math.max(LIFE_MS_MIN, lifeMs));
}

/** How long a token is used. Negative: no longer. */
export const usedForMs = (lifeMs: number, leftMs: number): number =>
  leftMs - Math.min(LEFT_MS_MIN, Math.max(lifeMs * LEFT_PART_MIN, Math.min(CUT_OFF_MS, lifeMs / 2)));

/** The options with which a request is to be sent. */
export interface TokenUse {
  version: number;
  /** The mark of their client: options with the same client share a token. */
  client: string;
}

/** The row of a webhook as it is at one moment; times are in ms. */
export interface TokenRow {
  /** The version of the webhook's options that the row is for. */
  version: number;
  /** The mark of their client. */
  client: string | null;
  /** Null: there is no token. */
  token: { sealed: Buffer; ageMs: number; leftMs: number } | null;
  /** The time that a daemon's question has left; null: nobody asks. */
  fetchingForMs: number | null;
  /** The last question's failure; null: it did not fail. */
  failed: { agoMs: number; failure: string } | null;
}

/**
 * - `NEWER`: the webhook has another client meanwhile.
 * - `USED`: its token is used for this long.
 * - `FETCHED`: another daemon asks for one.
 * - `FAILED`: there is none, and it is too soon to ask again.
 * - `WANTED`: a daemon that reads it may ask.
 */
type TokenState =
  | { is: 'NEWER' | 'FETCHED' | 'WANTED' }
  | { is: 'USED'; sealed: Buffer; ageMs: number; forMs: number }
  | { is: 'FAILED'; failure: string };

/** A time that is further in the future than this is one of a clock that was set back. */
const AHEAD_MS_MAX = 1_000;

/** The row without times that cannot be: after Postgres's clock was set back, they would hold for as long. */
const possible = ({ version, client, token, fetchingForMs, failed }: TokenRow): TokenRow => ({
  version,
  client,
  token: token !== null && token.ageMs >= -AHEAD_MS_MAX ? token : null,
  fetchingForMs: fetchingForMs !== null && fetchingForMs <= FETCHING_MS + AHEAD_MS_MAX ? fetchingForMs : null,
  failed: failed !== null && failed.agoMs >= -AHEAD_MS_MAX ? failed : null,
});

/** @param row null: there is none */
export function tokenState(row: TokenRow | null, { version, client }: TokenUse): TokenState {
  if (row === null) {
    return { is: 'WANTED' };
  }
  if (row.version !== version && row.client !== client) {
    return { is: row.version < version ? 'WANTED' : 'NEWER' };
  }
  const { token, fetchingForMs, failed } = possible(row);
  const used = (forMs: number): TokenState | null =>
    token !== null && forMs > 0 ? { is: 'USED', sealed: token.sealed, ageMs: token.ageMs, forMs } : null;
  const leftMs = token?.leftMs ?? 0;
  const usual = used(usedForMs((token?.ageMs ?? 0) + leftMs, leftMs));
  if (usual !== null) {
    return usual;
  }
  if (fetchingForMs !== null && fetchingForMs > 0) {
    return { is: 'FETCHED' };
  }
  const pauseMs = failed === null ? 0 : FAILED_FOR_MS - failed.agoMs;
  return failed !== null && pauseMs > 0
    ? (used(Math.min(pauseMs, leftMs - LEFT_MS_AT_LAST)) ?? { is: 'FAILED', failure: failed.failure })
    : { is: 'WANTED' };
}
