import { setTimeout as delay } from 'node:timers/promises';
import type { TurnPayload } from '../../src/operations/jobs/tasks.js';
import { enqueueTurns, passTurns } from '../../src/operations/ordering/turns.js';
import type { HasPool } from '../../src/platform/database/database.js';
import type { Fence } from '../liveness/fence.js';

/** A key that is free waits for twice this at most, while there are few. */
const LOOK_EVERY_MS = 40;
/** An application may keep thousands of keys. Then looks take a fifth of the time, or come once in half a second. */
const PAUSE_PER_LOOK = 4;
const PAUSE_MS_MAX = 500;

interface BusyKeysDeps {
  db: HasPool;
  fence: Pick<Fence, 'ending'>;
}

/**
 * Wakes the next delivery of keys whose last one has ended while another transaction had the key: an application that
 * emits keeps it until it commits. One job looks at the keys of all, so that other work has the workers. When the
 * process dies, the sweep finds them.
 */
export class BusyKeys {
  readonly #keys = new Map<string, TurnPayload>();
  #isLooking = false;

  constructor(private readonly deps: BusyKeysDeps) {}

  async watch(key: TurnPayload): Promise<void> {
    this.#keys.set(nameOf(key), key);
    if (this.#isLooking) {
      return;
    }
    this.#isLooking = true;
    try {
      await this.#look();
    } finally {
      this.#isLooking = false;
    }
  }

  async #look(): Promise<void> {
    const { db, fence } = this.deps;
    while (this.#keys.size > 0) {
      const keys = [...this.#keys.values()];
      if (fence.ending) {
        this.#keys.clear();
        return await enqueueTurns(db.pool, keys);
      }
      const startedAt = performance.now();
      const busy = new Set((await passTurns(db.pool, keys)).map(nameOf));
      for (const key of keys.filter((one) => !busy.has(nameOf(one)))) {
        this.#forget(key);
      }
      if (this.#keys.size > 0) {
        const tookMs = performance.now() - startedAt;
        await delay(Math.min(Math.max(LOOK_EVERY_MS, PAUSE_PER_LOOK * tookMs), PAUSE_MS_MAX));
      }
    }
  }

  /** Unless it came again meanwhile. */
  #forget(key: TurnPayload): void {
    if (this.#keys.get(nameOf(key)) === key) {
      this.#keys.delete(nameOf(key));
    }
  }
}

const nameOf = ({ webhookId, key }: TurnPayload) => `${webhookId}:${key}`;
