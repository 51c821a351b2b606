import type { FinishedAttempt } from '../../src/operations/attempts/finished-attempt.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import type { PutOff } from '../gate/put-offs.js';
import type { Holder } from './worker-shares.js';

/**
 * No request was made, for want of room or because of a fault of our own: it comes again later. When the endpoint has
 * no room, the gate wants to know what becomes of it.
 */
export interface PutOffResult extends Partial<PutOff> {
  kind: 'PUT_OFF';
  delivery: DueDelivery;
  inMs: number;
}

/** What became of a delivery in its slot. */
export type SlotResult =
  | { kind: 'ATTEMPTED'; attempt: FinishedAttempt; holder: Holder }
  | PutOffResult
  /** It waits for something that the tables know. */
  | { kind: 'WAITS' }
  | { kind: 'NOT_DUE' };
