import {
  type DueDelivery,
  loadDeliveries,
  type NamedDelivery,
  type NotDue,
} from '../../src/operations/attempts/load-deliveries.js';
import type { Database } from '../../src/platform/database/database.js';
import { GroupCommit } from '../../src/platform/database/group-commit.js';
import type { Tracing } from '../../src/platform/telemetry/tracing.js';
import { WAIT_MS_MAX } from '../gate/gate.js';
import type { DaemonMetrics } from '../telemetry/metrics.js';

/** Half as long as a delivery may then wait for a permit. */
const LOADED_FOR_MS = WAIT_MS_MAX / 2;
const BATCH_MAX = 256;
/** A second load beside another one pays only when this many deliveries wait for it. */
const BATCH_BESIDE_LOADS = 64;

/** Loads the deliveries that jobs name, many by one statement. */
export class Loader {
  readonly #loads: GroupCommit<NamedDelivery, DueDelivery | NotDue>;

  constructor({ db, tracing, metrics }: { db: Database; tracing?: Tracing | null; metrics: DaemonMetrics }) {
    const traced = Boolean(tracing);
    this.#loads = new GroupCommit((jobs) => loadDeliveries(db.pool, jobs, { traced }), {
      itemsMax: BATCH_MAX,
      onBatch: metrics.batch('load'),
      besideItems: BATCH_BESIDE_LOADS,
    });
  }

  /** The delivery as its emit loaded it, unless that is too long ago. */
  loaded({ id, loaded }: NamedDelivery): DueDelivery | undefined {
    const isFresh = loaded !== undefined && performance.now() - loaded.atMs < LOADED_FOR_MS;
    return isFresh ? loaded.deliveries.get(id) : undefined;
  }

  load(job: NamedDelivery): Promise<DueDelivery | NotDue> {
    return this.#loads.runOne(job);
  }
}
