import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { LANES, type Lane, laneAfterPutOff } from '../../src/domain/pacing/lanes.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import { type PutOff, putOffDeliveries } from '../../src/operations/attempts/put-off.js';
import { type TurnedAway, turnAwayDeliveries } from '../../src/operations/attempts/turn-away-deliveries.js';
import type { HasPool } from '../../src/platform/database/database.js';
import { GroupCommit } from '../../src/platform/database/group-commit.js';
import { callBackDeliveries } from '../../src/platform/graphile-worker/waiting-jobs.js';
import type { Delay } from '../gate/not-now.js';
import type { DaemonMetrics } from '../telemetry/metrics.js';

interface PutOffWriterDeps {
  db: HasPool;
  log: Pick<Logger, 'warn'>;
  metrics: Pick<DaemonMetrics, 'putOffs' | 'batch'>;
  /** Calls deliveries back to this process (`Claims`); default: they go to any. */
  callHere?: (ids: readonly number[]) => Promise<readonly number[]>;
}

const BATCH_MAX = 256;
const BEAT_MS = 50;

/** Gives deliveries that are not sent now a later time. */
export class PutOffWriter {
  readonly #putOffs: GroupCommit<PutOff, null>;
  readonly #turnAways: GroupCommit<TurnedAway, null>;

  constructor(private readonly deps: PutOffWriterDeps) {
    const { db, metrics } = deps;
    this.#putOffs = new GroupCommit((deliveries) => putOffDeliveries(db.pool, deliveries), {
      itemsMax: BATCH_MAX,
      onBatch: metrics.batch('put_off'),
    });
    this.#turnAways = new GroupCommit((deliveries) => turnAwayDeliveries(db.pool, deliveries), {
      itemsMax: BATCH_MAX,
      inFlightMax: 1, // another one would wait for the same locks, with one more connection
      onBatch: metrics.batch('turn_away'),
    });
  }

  /** @throws Error also when another session has the delivery's job locked: it comes again as after any other fault */
  async putOff(delivery: DueDelivery, { putOffMs, ended }: Delay, lane: Lane): Promise<void> {
    const { id: deliveryId, webhookId, url, generation, attemptNumber } = delivery;
    this.deps.metrics.putOffs.count(lane);
    // On the beat, so that the deliveries of all endpoints share a statement: nobody waits for it.
    await delay(BEAT_MS - (performance.now() % BEAT_MS));
    const priority = LANES[laneAfterPutOff(lane)].priority;
    const putOff = { deliveryId, webhookId, url, generation, attemptNumber, inMs: putOffMs, priority };
    let isWritten = false;
    try {
      await this.#putOffs.runOne(putOff);
      isWritten = true;
    } finally {
      ended?.(isWritten);
    }
  }

  /** The delivery waits for something that the tables know. */
  async turnAway(id: number, lane: Lane): Promise<void> {
    await this.#turnAways.runOne({ id, priority: LANES[laneAfterPutOff(lane)].priority });
  }

  /**
   * See `CallBack`. While the database is away, the deliveries come by themselves, later.
   *
   * @param here to this process
   */
  async callBack(ids: readonly number[], here: boolean): Promise<readonly number[]> {
    const { db, log, callHere } = this.deps;
    try {
      return here && callHere !== undefined ? await callHere(ids) : await callBackDeliveries(db.pool, ids);
    } catch (err) {
      log.warn({ err, deliveries: ids.length }, 'deliveries that were put off come later than they could');
      return [];
    }
  }
}
