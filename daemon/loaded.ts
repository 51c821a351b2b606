import type { DeliverGroupPayload, DeliverPayload } from '../src/operations/enqueue.js';
import type { DueDelivery } from '../src/operations/load-deliveries.js';

/** What was loaded by the transaction that wrote the deliveries. */
export interface Loaded {
  /** Before that transaction, monotonic, ms. */
  atMs: number;
  deliveries: ReadonlyMap<number, DueDelivery>;
}

/** Jobs that were not fetched say more than the table does: what they name need not be loaded. */
export type DeliverJob = DeliverPayload & { loaded?: Loaded | undefined };
export type DeliverGroupJob = DeliverGroupPayload & { loaded?: Loaded | undefined };

/** Half as long as what is loaded may wait for a place in a window. */
const LOADED_FOR_MS = 250;

/** The delivery as it was loaded, while that is worth something. */
export const knownStill = ({ id, loaded }: DeliverJob): DueDelivery | undefined =>
  loaded !== undefined && performance.now() - loaded.atMs < LOADED_FOR_MS
    ? loaded.deliveries.get(id)
    : undefined;
