import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../src/database/database.js';
import { GroupCommit } from '../../src/database/group-commit.js';
import { LANES, type Lane, laneAfterPutOff } from '../../src/domain/pacing/lanes.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import { type PutOff, putOffDeliveries } from '../../src/operations/attempts/put-off.js';
import { callBackDeliveries } from '../../src/operations/jobs/call-back.js';
import type { DaemonMetrics } from '../telemetry/metrics.js';
import type { PutOffResult } from './slot-result.js';

interface PutOffsDeps {
  db: Pick<Database, 'pool'>;
  log: Pick<Logger, 'warn'>;
  metrics: Pick<DaemonMetrics, 'putOff' | 'batch'>;
}

const BATCH_MAX = 256;
const BEAT_MS = 50;

/** Gives deliveries whose endpoint has no room for them, or that could not be sent, a later time. */
export class PutOffs {
  readonly #writes: GroupCommit<PutOff, 'PUT_OFF' | 'LOCKED'>;

  constructor(private readonly deps: PutOffsDeps) {
    this.#writes = new GroupCommit((deliveries) => putOffDeliveries(deps.db.pool, deliveries), {
      itemsMax: BATCH_MAX,
      onBatch: deps.metrics.batch('put_off'),
    });
  }

  /** @throws Error also when another session has the delivery's job locked: it comes again as after any other fault */
  async putOff({ delivery, inMs, written, failed }: Omit<PutOffResult, 'kind'>, lane: Lane): Promise<void> {
    try {
      await this.#write(delivery, inMs, lane);
    } catch (error) {
      failed?.();
      throw error;
    }
    written?.();
  }

  /**
   * Lets the jobs of deliveries run now that were put off. While the database is away they come by themselves, later.
   *
   * @returns the ids of those that come
   */
  async callBack(ids: readonly number[]): Promise<readonly number[]> {
    const { db, log } = this.deps;
    try {
      return await callBackDeliveries(db.pool, ids);
    } catch (err) {
      log.warn({ err, deliveries: ids.length }, 'deliveries that were put off come later than they could');
      return [];
    }
  }

  async #write(delivery: DueDelivery, inMs: number, lane: Lane): Promise<void> {
    this.deps.metrics.putOff(lane);
    // On the beat, so that those of all endpoints share a statement: nobody waits for it.
    await delay(BEAT_MS - (performance.now() % BEAT_MS));
    const written = await this.#writes.runOne({
      deliveryId: delivery.id,
      webhookId: delivery.webhookId,
      url: delivery.url,
      generation: delivery.generation,
      attemptNumber: delivery.attemptNumber,
      inMs,
      priority: LANES[laneAfterPutOff(lane)].priority,
    });
    if (written === 'LOCKED') {
      throw new Error('Another session has the job of this delivery locked.');
    }
  }
}
