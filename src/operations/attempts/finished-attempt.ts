import type { DeliveryMethod } from '../../domain/deliveries/delivery-method.js';
import type { Outcome, SendResult } from '../../domain/deliveries/outcome.js';
import type { DueDelivery } from './load-deliveries.js';

/** An attempt that has ended, its outcome, and when the next one follows. */
export interface FinishedAttempt {
  delivery: DueDelivery;
  startedAt: Date;
  /** Monotonic. */
  startedAtMs: number;
  /** Whether its answer closes an endpoint that was closed while it was in flight. */
  isSameClosing: boolean;
  /** Monotonic, so that the time until it is recorded is known whatever becomes of the clock. */
  endedAtMs: number;
  /** Default: POST. */
  method?: DeliveryMethod;
  requestHeaders: Record<string, string>;
  result: SendResult;
  outcome: Outcome;
  /** From its end until the next attempt; null when there is none: it succeeded, or this was the last one. */
  retryInMs: number | null;
}

export type FailedAttempt = FinishedAttempt & { outcome: Exclude<Outcome, { verdict: 'SUCCEEDED' }> };

export const hasFailed = (attempt: FinishedAttempt): attempt is FailedAttempt =>
  attempt.outcome.verdict !== 'SUCCEEDED';

/** The attempt with the rest of its delays: minutes may pass from its end until it can be recorded. */
export function withDelaysLeft(attempt: FinishedAttempt, nowMs: number): FinishedAttempt {
  const { outcome, retryInMs, endedAtMs } = attempt;
  if (outcome.verdict !== 'FAILED') {
    return attempt;
  }
  const left = (ms: number) => Math.max(0, ms - (nowMs - endedAtMs));
  const { closing } = outcome;
  return {
    ...attempt,
    outcome: { ...outcome, closing: typeof closing === 'number' ? left(closing) || null : closing },
    retryInMs: retryInMs === null ? null : left(retryInMs),
  };
}
