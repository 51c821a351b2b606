import type { DueDelivery, NamedDelivery } from '../../src/operations/attempts/load-deliveries.js';
import { WAIT_MS_MAX } from './gate.js';

/** Half as long as a delivery may then wait for a permit. */
const LOADED_FOR_MS = WAIT_MS_MAX / 2;

/** The delivery as its emit loaded it, unless that is too long ago. */
export const freshlyLoaded = ({ id, loaded }: NamedDelivery): DueDelivery | undefined =>
  loaded !== undefined && performance.now() - loaded.atMs < LOADED_FOR_MS ? loaded.deliveries.get(id) : undefined;
