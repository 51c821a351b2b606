import type { FinishedAttempt } from '../src/operations/attempts/finished-attempt.js';
import type { DueDelivery } from '../src/operations/attempts/load-deliveries.js';
import type { Holder } from './holdings.js';

/** What became of a delivery in its slot. */
export type SlotResult =
  | { kind: 'ATTEMPTED'; attempt: FinishedAttempt; holder: Holder }
  /** No request was made, for want of room or because of a fault of our own: it comes again later. */
  | { kind: 'PUT_OFF'; delivery: DueDelivery; inMs: number }
  /** It waits for something that the tables know. */
  | { kind: 'WAITS' }
  | { kind: 'NOT_DUE' };
