import { setTimeout as delay } from 'node:timers/promises';
import { GroupCommit } from '../src/concurrency/group-commit.js';
import type { Database } from '../src/database/database.js';
import { LANES, type Lane, laneAfterPutOff } from '../src/domain/lanes.js';
import type { DueDelivery } from '../src/operations/attempts/load-deliveries.js';
import { type PutOff, putOffDeliveries } from '../src/operations/attempts/put-off.js';
import type { DaemonMetrics } from './telemetry/metrics.js';

const BATCH_MAX = 256;
const BEAT_MS = 50;

/** Gives deliveries whose endpoint has no room for them, or that could not be sent, a later time. */
export class PutOffs {
  readonly #writes: GroupCommit<PutOff, 'PUT_OFF' | 'LOCKED'>;

  constructor(
    { pool }: Pick<Database, 'pool'>,
    private readonly metrics: Pick<DaemonMetrics, 'putOff' | 'batch'>,
  ) {
    this.#writes = new GroupCommit((deliveries) => putOffDeliveries(pool, deliveries), {
      itemsMax: BATCH_MAX,
      onBatch: metrics.batch('put_off'),
    });
  }

  /** @throws Error also when another session has the delivery's job locked: it comes again as after any other fault */
  async putOff(delivery: DueDelivery, inMs: number, lane: Lane): Promise<void> {
    this.metrics.putOff(lane);
    // On the beat, so that those of all endpoints share a statement: nobody waits for it.
    await delay(BEAT_MS - (performance.now() % BEAT_MS));
    const written = await this.#writes.runOne({
      deliveryId: delivery.id,
      webhookId: delivery.webhookId,
      url: delivery.url,
      attemptNumber: delivery.attemptNumber,
      inMs,
      priority: LANES[laneAfterPutOff(lane)].priority,
    });
    if (written === 'LOCKED') {
      throw new Error('Another session has the job of this delivery locked.');
    }
  }
}
