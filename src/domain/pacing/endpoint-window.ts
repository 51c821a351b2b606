import type { Outcome, SendResult } from '../deliveries/outcome.js';
import { type EndpointPace, NO_PACE, paceAfterClosing, paceAfterSuccess } from './endpoint-pace.js';

/**
 * How many requests may be in flight to one endpoint. The window grows like TCP's slow start, and halves on
 * strain as TCP's does on loss (RFC 5681): a healthy endpoint gets what it can take, a failing one is probed.
 */
export interface EndpointWindow {
  /** Most requests in flight; the part after the point is growth that is not a permit yet. */
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
/**
 * While an endpoint's first answer has not come after this time, its window gets another permit every so often, up to
 * this share of the most: it may be well and only slow. One that limits its rate mostly says so before.
 */
const UNANSWERED_MS = 150;
const UNANSWERED_PERMIT_MS = 15;
const UNANSWERED_SHARE = 3 / 8;
/** The window of an endpoint whose mean is longer grows by more at each success, since successes are rare. */
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
/** A first answer that takes as long is late: what has come meanwhile waits for the window. */
const LATE_ANSWER_MS = 50;
const PERMITS_ADDED = 1;
const PERMITS_ADDED_SLOW = 3;
/** An endpoint is silent when nothing has come for this many of its mean durations, or for the least time. */
const SILENT_MEANS = 3;
const SILENT_MS_MIN = 100;
/** The same before the first answer, when its durations are not known. */
const SILENT_MS_UNKNOWN = 1_000;

export const newWindow = (limitMax: number, nowMs: number): EndpointWindow => ({
  limit: Math.min(WINDOW_AT_FIRST, limitMax),
  meanMs: null,
  halvedAtMs: Number.NEGATIVE_INFINITY,
  growth: 0,
  successAtMs: nowMs,
  pace: NO_PACE,
});

/** The window after the most that it may become has changed. */
export const narrowed = (window: EndpointWindow, limitMax: number): EndpointWindow =>
  window.limit > limitMax ? { ...window, limit: limitMax } : window;

/** @param nowMs left out: without what waiting for the first answer adds */
export const permitsOf = (window: EndpointWindow, limitMax = 0, nowMs = 0): number =>
  Math.floor(Math.max(window.limit, unansweredLimit(window, limitMax, nowMs)));

/** When a window with so many requests in flight has a permit. @returns Infinity: not before one of them has ended */
export function permitAtMs(window: EndpointWindow, inFlight: number, limitMax: number, nowMs: number): number {
  if (inFlight < permitsOf(window, limitMax, nowMs)) {
    return nowMs;
  }
  return isUnanswered(window) && inFlight + 1 <= limitMax * UNANSWERED_SHARE
    ? window.successAtMs + UNANSWERED_MS + (inFlight + 1 - WINDOW_AT_FIRST) * UNANSWERED_PERMIT_MS
    : Number.POSITIVE_INFINITY;
}

/** Whether nothing has been heard of the endpoint yet: no answer, and no strain. */
const isUnanswered = ({ meanMs, halvedAtMs, pace }: EndpointWindow): boolean =>
  meanMs === null && halvedAtMs === Number.NEGATIVE_INFINITY && pace === NO_PACE;

const unansweredLimit = (window: EndpointWindow, limitMax: number, nowMs: number): number => {
  const added = (nowMs - window.successAtMs - UNANSWERED_MS) / UNANSWERED_PERMIT_MS;
  return isUnanswered(window) ? Math.min(limitMax * UNANSWERED_SHARE, WINDOW_AT_FIRST + added) : 0;
};

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
  const limit = Math.max(window.limit, Math.min(wanted, unansweredLimit(window, limitMax, endedAtMs)));
  const isUsed = wanted >= limit / 2;
  const growth = growthOf({ ...window, limit, meanMs }, endedAtMs, isUnanswered(window));
  const added = meanMs > SLOW_MS ? PERMITS_ADDED_SLOW : PERMITS_ADDED;
  const grown = isUsed ? Math.min(added, growth, limitMax - limit) : 0;
  return {
    ...window,
    meanMs,
    limit: limit + grown,
    growth: isUsed ? growth - grown : 0,
    successAtMs: endedAtMs,
    pace: paceAfterSuccess(window.pace, startedAtMs, endedAtMs),
  };
}

/**
 * It grows while requests are under way, at most to what a full round of a slow endpoint adds. At the first answer, the
 * window may double unless that came quickly.
 */
function growthOf({ limit, growth, successAtMs, meanMs }: EndpointWindow, nowMs: number, isFirst: boolean): number {
  const first = isFirst && (meanMs ?? 0) >= LATE_ANSWER_MS ? limit : 0;
  const busyMs = Math.min(Math.max(0, nowMs - successAtMs), meanMs ?? 0);
  return Math.min(limit * PERMITS_ADDED_SLOW, Math.max(first, growth + (limit * busyMs) / DOUBLING_MS));
}

/** The window after the endpoint has asked for a pause of `closedMs`: it begins again with one request in flight. */
export const afterClosing = (window: EndpointWindow, nowMs: number, closedMs: number): EndpointWindow => ({
  ...window,
  limit: 1,
  pace: paceAfterClosing(window.pace, nowMs, closedMs),
});

/**
 * Milliseconds from one permit's becoming free to the next one's.
 *
 * @param inFlightMax what the endpoint may have in flight besides its window: a share of the slots, perhaps below 1
 */
export const permitEveryMs = (
  { limit, meanMs, pace }: EndpointWindow,
  inFlightMax = Number.POSITIVE_INFINITY,
): number =>
  Math.max(pace.everyMs, (meanMs ?? UNKNOWN_MEAN_MS) / Math.min(Math.max(1, Math.floor(limit)), inFlightMax));

/** After how many milliseconds without any answer an endpoint with requests in flight is silent. */
export const silentAfterMs = ({ meanMs }: EndpointWindow): number =>
  meanMs === null ? SILENT_MS_UNKNOWN : Math.max(SILENT_MS_MIN, meanMs * SILENT_MEANS);

/** 5xx, 429 and every kind of broken connection are strain. */
export function kindOf(outcome: Outcome, result: SendResult): AnswerKind {
  if (outcome.verdict === 'SUCCEEDED') {
    return 'GOOD';
  }
  const asksForPause = outcome.verdict === 'FAILED' && outcome.closing !== null;
  return result.kind === 'error' || result.statusCode >= 500 || asksForPause ? 'STRAINED' : 'OTHER';
}
