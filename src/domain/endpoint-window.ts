import type { Outcome, SendResult } from './outcome.js';

/**
 * How many requests may be in flight to one endpoint, and how long its next turn will take. The window opens like
 * TCP's slow start and closes like its congestion avoidance (RFC 5681): a healthy endpoint gets what it can take, a
 * failing one is probed.
 */
export interface EndpointWindow {
  /** Most requests in flight. */
  readonly limit: number;
  /** Smoothed duration of an attempt; null before the first one. */
  readonly meanMs: number | null;
  /** When the limit was last halved, by the caller's clock. */
  readonly halvedAtMs: number;
}

export const WINDOW_AT_FIRST = 8;
/** Attempts that take longer open no window, and an endpoint whose mean is longer counts as slow. */
export const SLOW_MS = 500;
/** What is assumed of an endpoint that has never answered. */
const UNKNOWN_MEAN_MS = 100;
/** The weight of the newest duration, as for TCP's round-trip time (RFC 6298). */
const NEWEST_WEIGHT = 1 / 8;

export const newWindow = (limitMax: number): EndpointWindow => ({
  limit: Math.min(WINDOW_AT_FIRST, limitMax),
  meanMs: null,
  halvedAtMs: Number.NEGATIVE_INFINITY,
});

export interface WindowSample {
  startedAtMs: number;
  endedAtMs: number;
  /** GOOD: a success. STRAINED: the endpoint could not cope. OTHER: it refused, which says nothing of its strength. */
  kind: 'GOOD' | 'STRAINED' | 'OTHER';
}

/**
 * The window after an attempt. A fast success adds one place, which doubles the window with every full round. Strain
 * halves it, once a round: what was in flight together fails together, and that is one sign, not many. A slow success
 * takes it back to where it began.
 */
export function afterAttempt(
  window: EndpointWindow,
  { startedAtMs, endedAtMs, kind }: WindowSample,
  limitMax: number,
): EndpointWindow {
  const durationMs = Math.max(0, endedAtMs - startedAtMs);
  const meanMs =
    window.meanMs === null ? durationMs : window.meanMs + (durationMs - window.meanMs) * NEWEST_WEIGHT;
  if (kind === 'STRAINED') {
    return startedAtMs < window.halvedAtMs
      ? { ...window, meanMs }
      : { limit: Math.max(1, Math.floor(window.limit / 2)), meanMs, halvedAtMs: endedAtMs };
  }
  if (kind === 'OTHER') {
    return { ...window, meanMs };
  }
  const limit =
    durationMs <= SLOW_MS ? Math.min(limitMax, window.limit + 1) : Math.min(WINDOW_AT_FIRST, window.limit);
  return { ...window, limit, meanMs };
}

/** Milliseconds from one place's becoming free to the next one's. */
export const placeEveryMs = ({ limit, meanMs }: EndpointWindow): number =>
  (meanMs ?? UNKNOWN_MEAN_MS) / limit;

/** What an attempt says of the endpoint's strength: 5xx, 429 and every kind of broken connection are strain. */
export function strainOf({ verdict }: Outcome, result: SendResult): WindowSample['kind'] {
  if (verdict === 'SUCCEEDED') {
    return 'GOOD';
  }
  return result.kind === 'error' || result.statusCode >= 500 || result.statusCode === 429
    ? 'STRAINED'
    : 'OTHER';
}
