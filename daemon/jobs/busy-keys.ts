import { setTimeout as delay } from 'node:timers/promises';
import type { TurnPayload } from '../../src/operations/jobs/tasks.js';
import { enqueueTurn, passTurn } from '../../src/operations/turns/turns.js';
import type { Database } from '../../src/platform/database/database.js';
import type { Fence } from '../liveness/fence.js';

/** Nobody waits for longer than twice this once a key is free. */
const LOOK_EVERY_MS = 40;
/** Then another job goes on. */
const PIECE_MS = 2_000;
const PUT_OFF_MS = 500;

interface BusyKeysDeps {
  db: Pick<Database, 'pool'>;
  fence: Pick<Fence, 'ending'>;
  /** How many keys are watched at the same time: each keeps a worker from deliveries. Others are put off. */
  atOnce: number;
}

/**
 * Wakes the next delivery of keys whose last one has ended while another transaction had the key: an application that
 * emits keeps it until it commits.
 */
export class BusyKeys {
  #watched = 0;

  constructor(private readonly deps: BusyKeysDeps) {}

  async watch(key: TurnPayload): Promise<void> {
    const { db, atOnce } = this.deps;
    if (this.#watched >= atOnce) {
      return (await passTurn(db.pool, key)) ? undefined : await enqueueTurn(db.pool, key, PUT_OFF_MS);
    }
    this.#watched += 1;
    try {
      await this.#watchOne(key);
    } finally {
      this.#watched -= 1;
    }
  }

  async #watchOne(key: TurnPayload): Promise<void> {
    const { db, fence } = this.deps;
    const endAt = performance.now() + PIECE_MS;
    while (!(await passTurn(db.pool, key))) {
      if (fence.ending || performance.now() >= endAt) {
        return await enqueueTurn(db.pool, key, 0);
      }
      await delay(LOOK_EVERY_MS);
    }
  }
}
