import { DISABLE_AFTER_FAILURES, WARN_FROM_FAILURES } from './health-limits.js';
import type { Outcome } from './outcome.js';

/** A failure streak, as far as it decides whether a failure counts. Times are in ms, all of one clock. */
export interface Streak {
  /** When its first failure ended. */
  beganMs: number;
  /** Whether the requests that were cut have been counted. */
  cutCounted: boolean;
}

export interface Failure {
  startedMs: number;
  endedMs: number;
  /** Whether the request was sent, and ended without an answer: reset, closed or timed out. */
  isUnanswered: boolean;
}

/**
 * A restart of a receiver ends all requests in flight, which is one observation. So requests that were cut, which means
 * that they began before the first failure of the streak and ended without an answer, count once together. All other
 * failures count each.
 *
 * @param before null: no failure of the streak was counted yet. One that ended earlier may still follow: failures are
 *   recorded in batches
 */
export function countFailure(before: Streak | null, failure: Failure): { streak: Streak; counts: boolean } {
  const { beganMs, cutCounted } = before ?? { beganMs: failure.endedMs, cutCounted: false };
  const isCut = failure.isUnanswered && (before === null || failure.startedMs < beganMs);
  const streak = { beganMs: Math.min(beganMs, failure.endedMs), cutCounted: cutCounted || isCut };
  return { streak, counts: !(isCut && cutCounted) };
}

export interface HealthState {
  active: boolean;
  /** Raised whenever `active` changes. */
  generation: number;
  consecutiveFailures: number;
  /** Null: there is none, or when it began is not known. */
  streak: Streak | null;
  /**
   * How long ago the failures began, in ms: the streak, or its last spell, since a streak that was quiet for its least
   * duration has its pauses again. Null: there are none.
   */
  failingForMs: number | null;
  /** How long ago the last failure ended, in ms; null: there was none. */
  lastFailureAgoMs: number | null;
  /** Whether the streak includes one of an ordinary event; without meaning while there is none. */
  ordinaryFailures: boolean;
  /** Whether `webhook.disabled` was raised, and `webhook.recovered` not yet. */
  disabledRaised: boolean;
}

export interface HealthStep extends Failure {
  /** The webhook's generation when this attempt was loaded. */
  generation: number;
  verdict: Outcome['verdict'];
  /** Whether another answer has closed the endpoint for the same reason while the request was in flight. */
  isSameClosing: boolean;
  isOperational: boolean;
}

export interface HealthVerdict {
  consecutiveFailures: number;
  /** Null without failures. */
  streak: Streak | null;
  /** See HealthState; 0 when the failures began with one of these attempts. */
  failingForMs: number | null;
  disable: 'FAILURES' | 'GONE' | null;
  ordinaryFailures: boolean;
  /** The operational events to raise; `disabled` with its reason. */
  raises: { failing: boolean; disabled: HealthVerdict['disable']; recovered: boolean };
}

/**
 * Folds outcomes, in the order in which they finished, over a webhook's state. A failure adds one (`countFailure` has
 * the exception), a success sets the count to 0; a streak of ten failures or a 410 disables.
 *
 * Requests that were in flight together fail together, and that is one hiccup: an attempt that began before the streak,
 * or one that ends before the streak has lasted for `streakMsMin`, does not make the tenth failure, unless the ninth
 * was as long ago. The count stays at nine, and the next attempt decides. An answer that closes the endpoint counts
 * once for each closing.
 *
 * An outcome of another generation changes nothing: its attempt began before the webhook was last switched, and must
 * not disable a webhook that its tenant has just enabled. Nor does an outcome after the one that disables, or of an
 * inactive webhook, so that it is disabled once.
 *
 * Operational events must not breed more of them: two webhooks that fail would report each other for ever. So a webhook
 * that only their deliveries have disabled raises none, and `recovered` only follows a `disabled`. `failing` follows
 * the fifth failure, once a streak, if one of the streak is of an ordinary event and none of the outcomes disables.
 *
 * @param streakMsMin DISABLE_AFTER_SECONDS_MIN, in ms
 */
export function foldHealth(state: HealthState, steps: readonly HealthStep[], streakMsMin: number): HealthVerdict {
  let { consecutiveFailures, streak, failingForMs, lastFailureAgoMs, ordinaryFailures } = state;
  let recovered = false;
  let failing = false;
  const isWarned = () => ordinaryFailures && consecutiveFailures >= WARN_FROM_FAILURES;
  let warned = isWarned();
  const warn = () => {
    failing ||= isWarned() && !warned;
    warned ||= isWarned();
  };
  const verdict = (disable: HealthVerdict['disable']): HealthVerdict => {
    const raises = {
      failing: failing && disable === null,
      disabled: ordinaryFailures ? disable : null,
      recovered,
    };
    return { consecutiveFailures, streak, failingForMs, disable, ordinaryFailures, raises };
  };
  for (const step of steps) {
    if (!state.active || step.generation !== state.generation) {
      continue;
    }
    if (step.verdict === 'SUCCEEDED') {
      consecutiveFailures = 0;
      streak = null;
      failingForMs = null;
      warned = false;
      recovered = state.disabledRaised;
      continue;
    }
    ordinaryFailures = !step.isOperational || (consecutiveFailures > 0 && ordinaryFailures);
    warn();
    if (step.isSameClosing) {
      continue;
    }
    const isFromBefore = streak === null || step.startedMs < streak.beganMs;
    const counted = countFailure(streak, step);
    streak = counted.streak;
    if (!counted.counts) {
      continue;
    }
    const isAlone = (lastFailureAgoMs ?? Number.POSITIVE_INFINITY) >= streakMsMin;
    const isLate = isAlone || (failingForMs ?? 0) >= streakMsMin;
    failingForMs = isAlone ? 0 : (failingForMs ?? 0);
    lastFailureAgoMs = 0;
    const isLast = consecutiveFailures + 1 >= DISABLE_AFTER_FAILURES;
    if (step.verdict === 'FAILED' && isLast && (isFromBefore || !isLate)) {
      continue;
    }
    consecutiveFailures += 1;
    warn();
    if (step.verdict === 'GONE' || isLast) {
      return verdict(step.verdict === 'GONE' ? 'GONE' : 'FAILURES');
    }
  }
  return verdict(null);
}
