import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Job, ParsedCronItem, Runner, TaskList, WorkerEvents } from 'graphile-worker';
import type { Logger } from 'pino';
import { repeat } from '../../src/platform/concurrency/repeat.js';
import type { Database } from '../../src/platform/database/database.js';
import { type GatedPool, openJobConnections } from '../../src/platform/graphile-worker/job-connections.js';
import { run } from '../../src/platform/graphile-worker/library.js';
import { LocalJobs, type Room } from '../../src/platform/graphile-worker/local-jobs.js';
import { freeJobsNotInHand, renewLocks } from '../../src/platform/graphile-worker/locked-jobs.js';
import { JOBS_SCHEMA, quietLogger } from '../../src/platform/graphile-worker/schema.js';
import type { ControlConnection } from '../liveness/control-connection.js';

export interface RunnerDeps {
  db: Database;
  log: Logger;
  control: Pick<ControlConnection, 'lockPool' | 'unlockPool' | 'reachable' | 'fence'>;
  /** After this time graphile-worker aborts the jobs in hand. */
  drainTimeoutMs: number;
  taskList: TaskList;
  /** Deliveries in work at the same time. */
  slots: number;
  cronItems?: ParsedCronItem[];
}

/**
 * Jobs in hand, per slot. Each keeps its worker while its outcome or its put-off is written, without a slot: when more
 * comes than endpoints take, hundreds are put off each second.
 */
const WORKERS_PER_SLOT = 3 / 2;
/**
 * Jobs fetched ahead, per slot. Each may name sixteen deliveries, and more urgent jobs wait for the next fetch. After a
 * crash they stay locked until the sweep finds them.
 */
const FETCH_AHEAD = 1 / 8;
/** Ended jobs are deleted together: one by one, each would have a transaction. They stay locked until then. */
const END_OF_JOBS_EVERY_MS = 100;
const FREE_EVERY_MS = 1_000;
const RENEW_EVERY_MS = 5_000;
const LEAVE_MS_MAX = 500;

export type RoomOfPool = Room & { poolId: string };

/** One graphile-worker runner, from its start until nothing is left of it. */
export class RunnerLife {
  readonly #connections: GatedPool;
  /** The ids of the jobs whose handlers are running. */
  readonly #inHand = new Set<string>();
  readonly #fetches = Promise.withResolvers<void>();
  readonly #fetching = new AbortController();
  /** Aborts when `#isGone`. */
  readonly #alive = new AbortController();
  readonly #stopRenewing: () => Promise<void>;
  #runner: Runner | undefined;
  #poolId: string | undefined;
  #queue: LocalJobs | undefined;
  /** Other processes know that the worker pool is alive, and leave its jobs alone. */
  #announced = false;
  /** graphile-worker has released the pool; handlers that it did not wait for may still be running. */
  #released = false;

  constructor(private readonly deps: RunnerDeps) {
    this.#connections = openJobConnections(deps.db.url, deps.log);
    this.#stopRenewing = repeat('renew-locks', RENEW_EVERY_MS, deps.log, () => this.#renewLocks());
  }

  /** Resolves after the first fetch, whether it found jobs or not. */
  get fetches(): Promise<void> {
    return this.#fetches.promise;
  }

  /** Aborts when no more jobs are fetched; the reason is a text. */
  get fetching(): AbortSignal {
    return this.#fetching.signal;
  }

  /** The worker pool that may have jobs locked, and its room for more. */
  get room(): RoomOfPool | undefined {
    return this.#announced && this.#poolId !== undefined && this.#queue !== undefined
      ? { poolId: this.#poolId, ...this.#queue.room }
      : undefined;
  }

  /** Runs jobs that the pool has locked already. @returns false when there is no room for them */
  give(jobs: Job[]): boolean {
    return this.#queue?.give(jobs) ?? false;
  }

  /** The rescue sweep takes jobs for lost whose lock is not renewed (docs/decisions/0024). */
  async #renewLocks(): Promise<void> {
    const known = [...this.#inHand, ...(this.#queue?.waitingIds ?? [])];
    if (this.#poolId !== undefined && known.length > 0) {
      await renewLocks(this.deps.db.pool, this.#poolId, known);
    }
  }

  /** @throws what graphile-worker throws when the database is away */
  async start(): Promise<void> {
    const { slots, taskList, cronItems, drainTimeoutMs } = this.deps;
    this.#runner = await run({
      pgPool: this.#connections,
      schema: JOBS_SCHEMA,
      logger: quietLogger,
      noHandleSignals: true,
      events: this.#events(),
      taskList,
      parsedCronItems: cronItems ?? [],
      preset: {
        worker: {
          concurrentJobs: Math.ceil(slots * WORKERS_PER_SLOT),
          pollInterval: 500,
          localQueue: { size: Math.ceil(slots * FETCH_AHEAD) },
          completeJobBatchDelay: END_OF_JOBS_EVERY_MS,
          failJobBatchDelay: 5,
          gracefulShutdownAbortTimeout: drainTimeoutMs,
        },
      },
    });
    this.#runner.promise.then(
      () => this.#fetching.abort('the runner ended'),
      (error: unknown) => this.#fetching.abort(String(error)),
    );
  }

  /**
   * Stops the runner, waits for the jobs in hand, and frees its locked jobs. The pool stays locked until then, so that
   * no other process runs the jobs in hand.
   *
   * @param hurry when aborted, jobs that cannot be freed are left to the sweep of other processes
   */
  async end(hurry: AbortSignal): Promise<void> {
    if (this.#poolId !== undefined) {
      const stopped = this.#runner?.stop().catch(() => {}); // it may have stopped by itself
      await Promise.race([stopped, this.#whileAlive(FREE_EVERY_MS)]);
      await this.#free(this.#poolId, hurry);
      await this.deps.control.unlockPool(this.#poolId);
    }
    await this.#stopRenewing();
    await this.#connections.end().catch(() => {});
  }

  /** Frees the jobs in hand too, unless the database takes too long. */
  async leave(): Promise<void> {
    if (this.#poolId !== undefined) {
      const freed = freeJobsNotInHand(this.deps.db.pool, this.#poolId, new Set()).catch(() => {});
      await Promise.race([freed, delay(LEAVE_MS_MAX, undefined, { ref: false })]);
    }
  }

  /**
   * Frees jobs that were fetched ahead at once, and the others when their handlers have ended: graphile-worker may have
   * failed to give them back or to complete them. A completed job that runs again finds nothing to do.
   */
  async #free(poolId: string, hurry: AbortSignal): Promise<void> {
    for (let logged = false; ; ) {
      const last = this.#isGone;
      try {
        await freeJobsNotInHand(this.deps.db.pool, poolId, this.#inHand);
        if (last) {
          return;
        }
      } catch (error) {
        if (!logged) {
          this.deps.log.warn({ err: error }, 'could not free the jobs of an ended runner; trying on');
          logged = true;
        }
        if (last && hurry.aborted) {
          return;
        }
      }
      await (last ? delay(FREE_EVERY_MS) : this.#whileAlive(FREE_EVERY_MS));
    }
  }

  /** graphile-worker has released the pool and no handler is running. */
  get #isGone(): boolean {
    return this.#released && this.#inHand.size === 0;
  }

  #noticeIfGone(): void {
    if (this.#isGone) {
      this.#alive.abort();
    }
  }

  /** Resolves after that time, or when `#isGone`. */
  async #whileAlive(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#alive.signal }).catch(() => {});
  }

  #events(): WorkerEvents {
    const events = new EventEmitter() as unknown as WorkerEvents;
    events.on('pool:create', ({ workerPool }) => {
      this.#poolId = workerPool.id;
      const locked = this.deps.control.lockPool(workerPool.id).then(() => {
        this.#announced = true;
      });
      this.#connections.closeUntil(locked);
    });
    events.on('pool:gracefulShutdown', ({ message }) => this.#fetching.abort(message));
    events.on('pool:release', () => {
      this.#released = true;
      this.#fetching.abort('the worker pool ended');
      this.#noticeIfGone();
    });
    events.on('localQueue:init', ({ localQueue }) => {
      this.#queue = new LocalJobs(localQueue, events);
    });
    events.on('localQueue:getJobs:complete', () => this.#fetches.resolve());
    const handled = ({ job }: { job: Job }) => {
      this.#inHand.delete(job.id);
      this.#noticeIfGone();
    };
    events.on('job:start', ({ job }) => this.#inHand.add(job.id));
    events.on('job:success', handled);
    events.on('job:error', handled);
    return events;
  }
}
