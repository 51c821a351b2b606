import type { Outcome, SendResult } from '../../domain/outcome.js';
import type { DueDelivery } from './load-deliveries.js';

/** An attempt that has ended, judged, with what is to happen next. */
export interface FinishedAttempt {
  delivery: DueDelivery;
  startedAt: Date;
  requestHeaders: Record<string, string>;
  result: SendResult;
  outcome: Outcome;
  /** Milliseconds until the next attempt, or null when there is none: it succeeded, or this was the last one. */
  retryInMs: number | null;
}

/** One that got no 2xx. */
export type FailedAttempt = FinishedAttempt & { outcome: Exclude<Outcome, { verdict: 'SUCCEEDED' }> };

export const hasFailed = (attempt: FinishedAttempt): attempt is FailedAttempt =>
  attempt.outcome.verdict !== 'SUCCEEDED';
