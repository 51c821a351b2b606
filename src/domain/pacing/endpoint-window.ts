import type { Outcome, SendResult } from '../outcome.js';
import { type EndpointPace, NO_PACE, paceAfterClosing, paceAfterSuccess } from './endpoint-pace.js';

/**
 * How many requests may be in flight to one endpoint. The window grows like TCP's slow start, and halves on
 * strain as TCP's does on loss (RFC 5681): a healthy endpoint gets what it can take, a failing one is probed.
 */
export interface EndpointWindow {
  /** Most requests in flight; the part after the point is growth that is no permit yet. */
  readonly limit: number;
  /** Smoothed time until an answer that says nothing of strain; null before the first one. */
  readonly meanMs: number | null;
  readonly halvedAtMs: number;
  /** By how much the limit may grow, counted at each success. */
  readonly growth: number;
  /** When the last success ended, or the window began. */
  readonly successAtMs: number;
  readonly pace: EndpointPace;
}

const WINDOW_AT_FIRST = 8;
/** An endpoint whose mean is longer counts as slow: it occupies slots that others may want. */
export const SLOW_MS = 500;
/** The mean that an endpoint counts with until its first answer. */
const UNKNOWN_MEAN_MS = 100;
/** The weight of the newest duration, as for TCP's round-trip time (RFC 6298). */
const NEWEST_WEIGHT = 1 / 8;
/**
 * The window does not double sooner: an endpoint that limits its rate says so only when its bucket is empty, and then
 * refuses all that is in flight.
 */
const DOUBLING_MS = 250;
const PERMITS_ADDED = 1;
const PERMITS_ADDED_SLOW = 3;
/** An endpoint is silent when nothing has come for this many of its mean durations, or for the least time. */
const SILENT_MEANS = 3;
const SILENT_MS_MIN = 100;

export const newWindow = (limitMax: number, nowMs: number): EndpointWindow => ({
  limit: Math.min(WINDOW_AT_FIRST, limitMax),
  meanMs: null,
  halvedAtMs: Number.NEGATIVE_INFINITY,
  growth: 0,
  successAtMs: nowMs,
  pace: NO_PACE,
});

export const permitsOf = ({ limit }: EndpointWindow): number => Math.floor(limit);

/** The kind of answer: GOOD is a success, STRAINED says that the endpoint could not cope, OTHER is a refusal. */
export type AnswerKind = 'GOOD' | 'STRAINED' | 'OTHER';

export interface WindowSample {
  startedAtMs: number;
  endedAtMs: number;
  kind: AnswerKind;
  /** Requests in flight when it ended, this one included, and deliveries that waited for a permit. */
  wanted: number;
}

/**
 * The window after an attempt. A success adds up to one permit, so the window doubles with every full round, but only
 * while at least half of it is used (RFC 7661): an unused window proves nothing. Strain halves the window, once a
 * round: what was in flight together fails together, and that is one sign, not many.
 */
export function afterAttempt(
  window: EndpointWindow,
  { startedAtMs, endedAtMs, kind, wanted }: WindowSample,
  limitMax: number,
): EndpointWindow {
  if (kind === 'STRAINED') {
    return startedAtMs < window.halvedAtMs
      ? window
      : { ...window, limit: Math.max(1, Math.floor(window.limit / 2)), halvedAtMs: endedAtMs };
  }
  const durationMs = Math.max(0, endedAtMs - startedAtMs);
  const meanMs = window.meanMs === null ? durationMs : window.meanMs + (durationMs - window.meanMs) * NEWEST_WEIGHT;
  if (kind === 'OTHER') {
    return { ...window, meanMs };
  }
  const isUsed = wanted >= window.limit / 2;
  const growth = growthOf({ ...window, meanMs }, endedAtMs);
  const added = meanMs > SLOW_MS ? PERMITS_ADDED_SLOW : PERMITS_ADDED;
  const grown = isUsed ? Math.min(added, growth, limitMax - window.limit) : 0;
  return {
    ...window,
    meanMs,
    limit: window.limit + grown,
    growth: isUsed ? growth - grown : 0,
    successAtMs: endedAtMs,
    pace: paceAfterSuccess(window.pace, startedAtMs, endedAtMs),
  };
}

/** It grows while requests are under way, at most to what a full round of a slow endpoint adds. */
function growthOf({ limit, growth, successAtMs, meanMs }: EndpointWindow, nowMs: number): number {
  const busyMs = Math.min(Math.max(0, nowMs - successAtMs), meanMs ?? 0);
  return Math.min(limit * PERMITS_ADDED_SLOW, growth + (limit * busyMs) / DOUBLING_MS);
}

/** The window after the endpoint has asked for a pause of `closedMs`: it begins again with one request in flight. */
export const afterClosing = (window: EndpointWindow, nowMs: number, closedMs: number): EndpointWindow => ({
  ...window,
  limit: 1,
  pace: paceAfterClosing(window.pace, nowMs, closedMs),
});

/** Milliseconds from one permit's becoming free to the next one's. */
export const permitEveryMs = ({ limit, meanMs, pace }: EndpointWindow): number =>
  Math.max(pace.everyMs, (meanMs ?? UNKNOWN_MEAN_MS) / Math.max(1, Math.floor(limit)));

/** After how many milliseconds without any answer an endpoint with requests in flight is silent. */
export const silentAfterMs = ({ meanMs }: EndpointWindow): number =>
  Math.max(SILENT_MS_MIN, (meanMs ?? UNKNOWN_MEAN_MS) * SILENT_MEANS);

/** 5xx, 429 and every kind of broken connection are strain. */
export function kindOf({ verdict }: Outcome, result: SendResult): AnswerKind {
  if (verdict === 'SUCCEEDED') {
    return 'GOOD';
  }
  return result.kind === 'error' || result.statusCode >= 500 || result.statusCode === 429 ? 'STRAINED' : 'OTHER';
}
