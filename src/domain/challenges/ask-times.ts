import { MINUTE_MS } from '../text/durations.js';

/** Nobody can have put a new secret into the receiver at once, so the pauses after each ask grow. */
const PAUSES_MINUTES = [1, 5, 30, 180, 720] as const;

/** The longest of them. */
export const ASK_PAUSE_MS_MAX = Math.max(...PAUSES_MINUTES) * MINUTE_MS;

/** The asks that a webhook gets by itself: at once, and after each pause. */
export const ASKS_MAX = PAUSES_MINUTES.length + 1;

/** How long after an ask the next one comes, in ms; null: it was the last. @param asks how many there were */
export const nextAskInMs = (asks: number): number | null => {
  const minutes = PAUSES_MINUTES[asks - 1];
  return minutes === undefined ? null : minutes * MINUTE_MS;
};

/** The longest that each of the two requests of an ask takes. */
export const REQUEST_MS_MAX = 10_000;

/** A daemon makes at most so many asks at a time. They only wait, so silent endpoints of some tenants keep no other. */
export const DAEMON_ASKS_MAX = 100;
/** One tenant has at most so many among them. */
export const TENANT_ASKS_MAX = 10;

/** All webhooks of all tenants together ask one host, whatever its ports, at most so often in a minute. */
export const HOST_ASKS_MAX = 6;
/**
 * A place is free again after this long. It is taken before the first request of an ask, and the second one may come to
 * the endpoint half a minute later: so no minute there sees more than six of either.
 */
export const PLACE_MS = MINUTE_MS + 3 * REQUEST_MS_MAX;

/** A daemon that has not recorded an answer by then has died: another one asks. */
export const LEASE_MS = MINUTE_MS;
