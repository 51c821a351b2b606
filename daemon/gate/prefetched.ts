import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import type { DeliverGroupPayload, DeliverPayload } from '../../src/operations/jobs/tasks.js';
import { WAIT_MS_MAX } from './gate.js';

/** Deliveries that the transaction which wrote them has loaded. */
interface Loaded {
  /** A time before that transaction (monotonic, ms). */
  atMs: number;
  deliveries: ReadonlyMap<number, DueDelivery>;
}

/** Claimed jobs bring their deliveries with them: these need not be loaded. */
export type DeliverJob = DeliverPayload & { loaded?: Loaded | undefined };
export type DeliverGroupJob = DeliverGroupPayload & { loaded?: Loaded | undefined };

/** Half as long as it may then wait for a permit. */
const LOADED_FOR_MS = WAIT_MS_MAX / 2;

/** The delivery as it was loaded, unless that is too long ago. */
export const freshlyLoaded = ({ id, loaded }: DeliverJob): DueDelivery | undefined =>
  loaded !== undefined && performance.now() - loaded.atMs < LOADED_FOR_MS ? loaded.deliveries.get(id) : undefined;
