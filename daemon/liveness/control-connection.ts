import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { LogThrottle } from '../../src/concurrency/log-throttle.js';
import { connect, cutOff, poolOptions } from '../../src/database/database.js';
import {
  CONTROL_NAME,
  prepareControlSession,
  tryLockPool,
  unlockPool,
} from '../../src/graphile-worker/worker-pools.js';
import type { DeadWorkers } from './dead-workers.js';
import { Fence } from './fence.js';

const BEAT_EVERY_MS = 1_000;
/** The pause while a pool is missing or a pool of ours is not locked: a sweep of another process locks it briefly. */
const BEAT_SOON_MS = 250;
/** A connection whose beat takes longer is replaced. */
const BEAT_TIMEOUT_MS = 4_000;
/** Connections are begun no closer together; one that has lasted is replaced at once. */
const CONNECT_EVERY_MS = 500;
const REACHABLE_CHECK_MS = 100;
const STOP_PATIENCE_MS = 500;

interface ControlConnectionDeps {
  url: string;
  log: Logger;
  /** Each beat sweeps for dead workers. */
  deadWorkers: Pick<DeadWorkers, 'sweep' | 'startOver'>;
}

type OwnPool = PromiseWithResolvers<void> & { isLocked: boolean };

/**
 * One connection to Postgres outside of every pool. Its session has an advisory lock for each worker pool of this
 * process, which shows all other processes that the pool is alive. Its beats also prove that Postgres answers; without
 * them the fence closes. A connection that breaks is replaced by another with the same locks, as often as needed.
 */
export class ControlConnection {
  readonly fence = new Fence();
  /** Worker pools of this process; each promise resolves with its first lock. */
  readonly #pools = new Map<string, OwnPool>();
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  /** The newest connection, whatever its state. */
  #newest: pg.Client | undefined;
  /** The connection while it is in use. */
  #inUse: pg.Client | undefined;
  #connectedBefore = false;
  /** Aborts the pause before the next beat. */
  #pause = new AbortController();
  readonly #logThrottle = new LogThrottle();

  constructor(private readonly deps: ControlConnectionDeps) {
    this.#running = this.#run();
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

  /** Unlocks the pool: from now on its jobs are free for every process. */
  async unlockPool(poolId: string): Promise<void> {
    this.#pools.get(poolId)?.reject(new Error('The worker pool ended before it was known to be alive.'));
    this.#pools.delete(poolId);
    if (this.#inUse !== undefined) {
      await unlockPool(this.#inUse, poolId).catch(() => {}); // a broken session has no locks
    }
  }

  /** Waits until Postgres can be reached. @throws AbortError */
  async reachable(signal: AbortSignal): Promise<void> {
    while (this.#inUse === undefined || this.fence.silent) {
      await delay(REACHABLE_CHECK_MS, undefined, { signal });
    }
  }

  async stop(): Promise<void> {
    this.fence.end();
    this.#stopping.abort();
    await Promise.race([this.#running, delay(STOP_PATIENCE_MS, undefined, { ref: false })]);
    if (this.#newest !== undefined) {
      cutOff(this.#newest);
    }
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const begunAt = performance.now();
      const client = this.#newClient();
      try {
        await connect(client);
        await this.#beOn(client);
      } catch (error) {
        if (!signal.aborted && this.#logThrottle.take('broke')) {
          this.deps.log.warn({ err: error }, 'the control connection broke; making another');
        }
      }
      this.#lost(client);
      this.#inUse = undefined;
      for (const pool of this.#pools.values()) {
        pool.isLocked = false;
      }
      cutOff(client);
      const pauseMs = Math.max(0, begunAt + CONNECT_EVERY_MS - performance.now());
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  #newClient(): pg.Client {
    const client = new pg.Client({
      ...poolOptions(this.deps.url, 1),
      connectionTimeoutMillis: BEAT_TIMEOUT_MS,
      query_timeout: BEAT_TIMEOUT_MS,
      statement_timeout: BEAT_TIMEOUT_MS,
      application_name: CONTROL_NAME,
    });
    client.on('error', () => {}); // the statement under way, or the next one, fails
    client.once('end', () => this.#lost(client));
    this.#newest = client;
    return client;
  }

  async #beOn(client: pg.Client): Promise<void> {
    const { signal } = this.#stopping;
    let askedAt = performance.now();
    await prepareControlSession(client);
    this.deps.deadWorkers.startOver({ again: this.#connectedBefore });
    this.#connectedBefore = true;
    this.#inUse = client;
    const ended = new AbortController();
    client.once('end', () => ended.abort());
    let isFirst = true;
    while (!signal.aborted) {
      this.#pause = new AbortController();
      await this.#lockPools(client);
      const isMissing = !isFirst && (await this.deps.deadWorkers.sweep(client, [...this.#pools.keys()]));
      isFirst = false;
      this.fence.heard(askedAt);
      const pauseMs =
        isMissing || [...this.#pools.values()].some(({ isLocked }) => !isLocked) ? BEAT_SOON_MS : BEAT_EVERY_MS;
      const waking = AbortSignal.any([signal, ended.signal, this.#pause.signal]);
      await delay(pauseMs, undefined, { signal: waking }).catch(() => {});
      askedAt = performance.now();
    }
  }

  #lost(client: pg.Client): void {
    if (client === this.#inUse) {
      this.fence.lost();
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
