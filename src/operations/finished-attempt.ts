import type { Outcome, SendResult } from '../domain/outcome.js';
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
