import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { LastingConnection } from '../../src/platform/database/lasting-connection.js';
import {
  CONTROL_NAME,
  prepareControlSession,
  tryLockPool,
  unlockPool,
} from '../../src/platform/graphile-worker/worker-pools.js';
import type { DeadWorkers } from './dead-workers.js';
import { Fence } from './fence.js';

const BEAT_EVERY_MS = 1_000;
/** The pause while a pool is missing or a pool of ours is not locked: a sweep of another process locks it briefly. */
const BEAT_SOON_MS = 250;
const REACHABLE_CHECK_MS = 100;
const STOP_WAIT_MAX_MS = 500;

interface ControlConnectionDeps {
  url: string;
  log: Logger;
  /** Each beat sweeps for dead workers. */
  deadWorkers: Pick<DeadWorkers, 'sweep' | 'startOver'>;
}

type OwnPool = PromiseWithResolvers<void> & { isLocked: boolean };

/**
 * A session that has an advisory lock for each worker pool of this process, which shows all other processes that the
 * pool is alive. Its beats also prove that Postgres answers; without them the fence closes.
 */
export class ControlConnection {
  readonly fence = new Fence();
  /** Worker pools of this process; each promise resolves with its first lock. */
  readonly #pools = new Map<string, OwnPool>();
  readonly #connection: LastingConnection;
  /** The connection while it has the locks. */
  #inUse: pg.Client | undefined;
  #connectedBefore = false;
  /** Aborts the pause before the next beat. */
  #pause = new AbortController();

  constructor(private readonly deps: ControlConnectionDeps) {
    this.#connection = new LastingConnection({
      url: deps.url,
      name: CONTROL_NAME,
      log: deps.log,
      brokeMessage: 'the control connection broke; making another',
      use: (client, ended) => this.#use(client, ended),
    });
  }

  /**
   * Locks a worker pool from now on, also on later connections.
   *
   * @returns when it is locked for the first time; until then the pool may not fetch jobs
   */
  async lockPool(poolId: string): Promise<void> {
    const pool = { ...Promise.withResolvers<void>(), isLocked: false };
    this.#pools.set(poolId, pool);
    this.#pause.abort();
    await pool.promise;
  }

  /** From now on the pool's jobs are free for every process. */
  async unlockPool(poolId: string): Promise<void> {
    this.#pools.get(poolId)?.reject(new Error('The worker pool ended before it was known to be alive.'));
    this.#pools.delete(poolId);
    if (this.#inUse !== undefined) {
      await unlockPool(this.#inUse, poolId).catch(() => {}); // a broken session has no locks
    }
  }

  /** @throws AbortError */
  async reachable(signal: AbortSignal): Promise<void> {
    while (this.#inUse === undefined || this.fence.silent) {
      await delay(REACHABLE_CHECK_MS, undefined, { signal });
    }
  }

  async stop(): Promise<void> {
    this.fence.end();
    await this.#connection.stop(STOP_WAIT_MAX_MS);
  }

  async #use(client: pg.Client, ended: AbortSignal): Promise<void> {
    let askedAt = performance.now();
    await prepareControlSession(client);
    this.deps.deadWorkers.startOver({ again: this.#connectedBefore });
    this.#connectedBefore = true;
    this.#inUse = client;
    try {
      let isFirst = true;
      while (!ended.aborted) {
        this.#pause = new AbortController();
        await this.#lockPools(client);
        const isMissing = !isFirst && (await this.deps.deadWorkers.sweep(client, [...this.#pools.keys()]));
        isFirst = false;
        this.fence.heard(askedAt);
        const isSoon = isMissing || [...this.#pools.values()].some(({ isLocked }) => !isLocked);
        const waking = AbortSignal.any([ended, this.#pause.signal]);
        await delay(isSoon ? BEAT_SOON_MS : BEAT_EVERY_MS, undefined, { signal: waking }).catch(() => {});
        askedAt = performance.now();
      }
    } finally {
      this.fence.lost();
      this.#inUse = undefined;
      for (const pool of this.#pools.values()) {
        pool.isLocked = false;
      }
    }
  }

  /** An earlier session of ours may have a lock until Postgres ends it: then a later beat locks the pool. */
  async #lockPools(client: pg.Client): Promise<void> {
    for (const [poolId, pool] of this.#pools) {
      if (!pool.isLocked && (await tryLockPool(client, poolId))) {
        pool.isLocked = true;
        pool.resolve();
      }
    }
  }
}
