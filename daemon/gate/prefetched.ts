import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import type { DeliverGroupPayload, DeliverPayload } from '../../src/operations/jobs/tasks.js';
import { WAIT_MS_MAX } from './gate.js';

/** What was loaded by the transaction that wrote the deliveries. */
interface Loaded {
  /** Before that transaction, monotonic, ms. */
  atMs: number;
  deliveries: ReadonlyMap<number, DueDelivery>;
}

/** Jobs that were not fetched say more than the table does: what they name need not be loaded. */
export type DeliverJob = DeliverPayload & { loaded?: Loaded | undefined };
export type DeliverGroupJob = DeliverGroupPayload & { loaded?: Loaded | undefined };

/** Half as long as it may then wait for a place in a window. */
const LOADED_FOR_MS = WAIT_MS_MAX / 2;

/** The delivery as it was loaded, while that is worth something. */
export const freshlyLoaded = ({ id, loaded }: DeliverJob): DueDelivery | undefined =>
  loaded !== undefined && performance.now() - loaded.atMs < LOADED_FOR_MS ? loaded.deliveries.get(id) : undefined;
