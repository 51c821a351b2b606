import type { Endpoint } from './endpoint.js';

/** A delivery waits this long for a permit at most, since it occupies a slot meanwhile. */
export const WAIT_MS_MAX = 500;
/** Where others have the slots it waits only if they are quick: it is called back when one is free. */
export const SLOT_WAIT_MS_MAX = 100;
/**
 * Newcomers wait while the backlog is shorter than this. If they were put off, they would come back too late, and the
 * backlog would grow.
 */
export const SHORT_BACKLOG_MS = 5_000;
/** Tests that wait at one endpoint, and deliveries of a tenant when one more comes to an uncertain endpoint. */
export const WAITING_TESTS_MAX = 2;
export const WAITING_AT_UNCERTAIN_MAX = 2;
const BEHIND_MS = 60_000;
/** The part of the slots in which newcomers may wait for times: at endpoints with a rate, or for time for contents. */
export const WAITING_FOR_TIMES_SHARE = 1 / 10;

/** Whether an endpoint opens at times that its receiver has no part in. */
export const waitsForTimes = ({ allowance, contents }: Endpoint, now: number): boolean =>
  allowance.isRated || contents?.isClosed(now) === true;

/** Whether its rate makes deliveries wait for more than a minute. */
export const isBehind = ({ backlog, allowance }: Endpoint): boolean => backlog.ahead * allowance.everyMs > BEHIND_MS;
