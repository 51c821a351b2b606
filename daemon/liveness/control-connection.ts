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
/** The next beat, while a pool's lock is free, or ours is not held: who looks for dead pools has it for a moment. */
const LOOK_AGAIN_MS = 250;
/** A beat that takes longer has no answer: the connection is given up, and another one is made. */
const BEAT_TIMEOUT_MS = 4_000;
/** Connections are begun no closer together than this; one that has lasted is replaced at once. */
const CONNECT_EVERY_MS = 500;
const LOOK_FOR_CONNECTION_MS = 100;
const STOP_PATIENCE_MS = 500;

interface ControlConnectionDeps {
  url: string;
  log: Logger;
  /** What each beat does on the connection, besides keeping it alive. */
  deadWorkers: Pick<DeadWorkers, 'sweep' | 'startOver'>;
}

type HeldPool = PromiseWithResolvers<void> & {
  /** A lock that is asked for twice must be given back twice. */
  state: 'free' | 'asked for' | 'locked';
};

/**
 * One connection to Postgres, past every pool, whose session tells all other processes that the worker pools of this
 * one are alive: it holds an advisory lock for each. Its beats are also the proof that Postgres can be reached; without
 * them the fence closes. A connection that breaks is replaced by another one with the same locks, for as long as that
 * takes.
 */
export class ControlConnection {
  readonly fence = new Fence();
  /** Worker pools of this process, and what waits for their locks. */
  readonly #pools = new Map<string, HeldPool>();
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  /** The newest connection, whatever its state. */
  #newest: pg.Client | undefined;
  /** The connection while it is in use. */
  #inUse: pg.Client | undefined;
  #connectedBefore = false;
  readonly #logThrottle = new LogThrottle();

  constructor(private readonly deps: ControlConnectionDeps) {
    this.#running = this.#run();
  }

  /**
   * Holds a worker pool's lock from now on, whatever happens to the connection.
   *
   * @returns when the lock is held for the first time; until then the pool may not fetch jobs
   */
  async hold(poolId: string): Promise<void> {
    const pool: HeldPool = { ...Promise.withResolvers<void>(), state: 'free' };
    pool.promise.catch(() => {});
    this.#pools.set(poolId, pool);
    await this.#lockPools().catch(() => {}); // else the next beat does
    await pool.promise;
  }

  /** Lets the pool's lock go: from now on its jobs are free for everybody. */
  async letGo(poolId: string): Promise<void> {
    this.#pools.get(poolId)?.reject(new Error('The worker pool ended before it was known to be alive.'));
    this.#pools.delete(poolId);
    if (this.#inUse !== undefined) {
      await unlockPool(this.#inUse, poolId).catch(() => {}); // a broken session has no locks
    }
  }

  /** Waits until Postgres can be reached. @throws AbortError */
  async reachable(signal: AbortSignal): Promise<void> {
    while (this.#inUse === undefined || this.fence.silent) {
      await delay(LOOK_FOR_CONNECTION_MS, undefined, { signal });
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
        pool.state = 'free';
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
    client.on('error', () => {}); // the statement under way, or the next one, tells
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
    await this.#lockPools();
    this.fence.heard(askedAt);
    let someoneIsMissing = false;
    // A connection that ends is seen at once, and not with the next beat.
    const ended = new AbortController();
    client.once('end', () => ended.abort());
    const waking = AbortSignal.any([signal, ended.signal]);
    while (!signal.aborted) {
      const pauseMs = someoneIsMissing || this.#lacksLock ? LOOK_AGAIN_MS : BEAT_EVERY_MS;
      await delay(pauseMs, undefined, { signal: waking }).catch(() => {});
      askedAt = performance.now();
      await this.#lockPools();
      someoneIsMissing = await this.deps.deadWorkers.sweep(client, [...this.#pools.keys()]);
      this.fence.heard(askedAt);
    }
  }

  /** Whether a lock is still to be had: an earlier session may have it, until Postgres gives that one up. */
  get #lacksLock(): boolean {
    return [...this.#pools.values()].some(({ state }) => state !== 'locked');
  }

  #lost(client: pg.Client): void {
    if (client === this.#inUse) {
      this.fence.lost();
    }
  }

  async #lockPools(): Promise<void> {
    const client = this.#inUse;
    if (client === undefined) {
      return;
    }
    for (const [poolId, pool] of this.#pools) {
      if (pool.state !== 'free') {
        continue;
      }
      pool.state = 'asked for';
      const locked = await tryLockPool(client, poolId).catch((error: unknown) => {
        pool.state = 'free';
        throw error;
      });
      if (client === this.#inUse) {
        pool.state = locked ? 'locked' : 'free';
      }
      if (locked) {
        pool.resolve();
      }
    }
  }
}
