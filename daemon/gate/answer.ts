import type { Outcome } from '../../src/domain/deliveries/outcome.js';
import type { AnswerKind } from '../../src/domain/pacing/endpoint-window.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';

/** An attempt's answer, as far as the endpoint is concerned. */
export interface Answer {
  outcome: Outcome;
  kind: AnswerKind;
  /** Whether there was none, though the request was sent; default: false. */
  isUnanswered?: boolean;
}

/** A webhook's health in the tables when a delivery of it was loaded. */
export type KnownHealth = Pick<DueDelivery, 'generation' | 'failuresAtLoad' | 'closedForMs' | 'nextProbeInMs'>;

export const isClosing = (outcome: Outcome): boolean => outcome.verdict === 'FAILED' && outcome.closing !== null;
