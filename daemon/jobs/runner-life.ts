import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Job, type ParsedCronItem, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { Logger } from 'pino';
import { repeat } from '../../src/concurrency/repeat.js';
import type { Database } from '../../src/database/database.js';
import { type GatedPool, openJobConnections } from '../../src/graphile-worker/job-connections.js';
import { LocalJobs, type Room } from '../../src/graphile-worker/local-jobs.js';
import { freeJobsNotInHand, renewLocks } from '../../src/graphile-worker/locked-jobs.js';
import { forgetFutureRunsSql, JOBS_SCHEMA, quietLogger } from '../../src/graphile-worker/schema.js';
import type { ControlConnection } from '../liveness/control-connection.js';
import { ForgottenJobs } from './forgotten-jobs.js';

export interface RunnerDeps {
  db: Database;
  log: Logger;
  control: Pick<ControlConnection, 'hold' | 'letGo' | 'reachable' | 'fence'>;
  /** How long jobs in hand are waited for before graphile-worker tells them to give up. */
  drainTimeoutMs: number;
}

export interface RunnerOptions {
  taskList: TaskList;
  /** Jobs in hand at the same time. */
  concurrency: number;
  cronItems?: ParsedCronItem[];
}

/**
 * Jobs fetched ahead, for each slot. Each may name sixteen deliveries, and whoever is more urgent than these waits for
 * the next fetch. A crash strands them too, until the sweep finds them.
 */
const FETCH_AHEAD = 1 / 8;
/**
 * Jobs that have ended are deleted together: one by one, each of a slow trickle would have a transaction of its own.
 * Until then nobody fetches them, for they are locked.
 */
const END_OF_JOBS_EVERY_MS = 100;
const FREE_EVERY_MS = 1_000;
const RENEW_EVERY_MS = 5_000;
const LET_GO_MS_MAX = 500;

/** One graphile-worker runner, from its start until nothing is left of it. */
export class RunnerLife {
  readonly #connections: GatedPool;
  /** The ids of the jobs whose handlers are running. */
  readonly #inHand = new Set<string>();
  readonly #fetches = Promise.withResolvers<void>();
  readonly #fetching = new AbortController();
  /** Aborts when `#isGone`. */
  readonly #here = new AbortController();
  readonly #stopRenewing: () => Promise<void>;
  readonly #forgotten: ForgottenJobs;
  #runner: Runner | undefined;
  #poolId: string | undefined;
  #queue: LocalJobs | undefined;
  /** The worker pool is known to be alive: what it has locked, others leave alone. */
  #announced = false;
  /** graphile-worker has let go; handlers that it did not wait for may still be running. */
  #released = false;

  constructor(
    private readonly deps: RunnerDeps,
    private readonly options: RunnerOptions,
  ) {
    this.#connections = openJobConnections(deps.db.url, deps.log);
    this.#forgotten = new ForgottenJobs(deps);
    this.#stopRenewing = repeat('renew-locks', RENEW_EVERY_MS, deps.log, () => this.#renewLocks());
  }

  /** Resolves when it has fetched for the first time, though it may have found nothing. */
  get fetches(): Promise<void> {
    return this.#fetches.promise;
  }

  /** Aborts when it fetches no more, whoever wanted that; the reason is a text that says why. */
  get fetching(): AbortSignal {
    return this.#fetching.signal;
  }

  /** The worker pool that may have jobs locked, and its room for more. */
  get room(): ({ poolId: string } & Room) | undefined {
    return this.#announced && this.#poolId !== undefined && this.#queue !== undefined
      ? { poolId: this.#poolId, ...this.#queue.room }
      : undefined;
  }

  /**
   * Begins with jobs that its pool has locked already, as if it had just fetched them.
   *
   * @returns whether it does: there may be no room for them meanwhile
   */
  give(jobs: Job[]): boolean {
    return this.#queue?.give(jobs) ?? false;
  }

  /** The ids of the jobs that it has locked and will run, or is running. */
  get #known(): string[] {
    return [...this.#inHand, ...(this.#queue?.waitingIds ?? [])];
  }

  async #renewLocks(): Promise<void> {
    if (this.#poolId !== undefined) {
      const known = this.#known;
      if (known.length > 0) {
        await renewLocks(this.deps.db.pool, this.#poolId, known);
      }
      await this.#forgotten.free(this.#poolId, () => this.#known);
    }
  }

  /** @throws what graphile-worker throws when the database is away */
  async start(): Promise<void> {
    const { concurrency, taskList, cronItems } = this.options;
    await this.#connections.query(forgetFutureRunsSql);
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
          concurrentJobs: concurrency,
          pollInterval: 500,
          localQueue: { size: Math.ceil(concurrency * FETCH_AHEAD) },
          completeJobBatchDelay: END_OF_JOBS_EVERY_MS,
          failJobBatchDelay: 5,
          gracefulShutdownAbortTimeout: this.deps.drainTimeoutMs,
        },
      },
    });
    this.#runner.promise.then(
      () => this.#fetchingEnds('the runner ended'),
      (error: unknown) => this.#fetchingEnds(String(error)),
    );
  }

  /**
   * Stops it if need be, waits for the jobs in hand, and frees what it still has locked. The pool's lock is kept until
   * then, so that nobody else runs what is still in hand here.
   *
   * @param hurry when aborted, jobs that cannot be freed are left to the sweep of the others
   */
  async end(hurry: AbortSignal): Promise<void> {
    if (this.#poolId !== undefined) {
      const stopped = this.#runner?.stop().catch(() => {}); // it may have stopped by itself
      await Promise.race([stopped, this.#whileHere(FREE_EVERY_MS)]);
      await this.#free(this.#poolId, hurry);
      await this.deps.control.letGo(this.#poolId);
    }
    await this.#stopRenewing();
    await this.#connections.end().catch(() => {});
  }

  /** Frees what is still in hand too; a database that does not hear of it is not waited for. */
  async letGo(): Promise<void> {
    if (this.#poolId !== undefined) {
      const freed = freeJobsNotInHand(this.deps.db.pool, this.#poolId, new Set()).catch(() => {});
      await Promise.race([freed, delay(LET_GO_MS_MAX, undefined, { ref: false })]);
    }
  }

  /**
   * The jobs that were fetched ahead at once, the others when their handlers have ended. graphile-worker may have
   * failed to do so, or to complete them: then they are run again, find nothing to do, and are completed.
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
      await (last ? delay(FREE_EVERY_MS) : this.#whileHere(FREE_EVERY_MS));
    }
  }

  /** graphile-worker has let go and no handler is running. */
  get #isGone(): boolean {
    return this.#released && this.#inHand.size === 0;
  }

  #resolveIfGone(): void {
    if (this.#isGone) {
      this.#here.abort();
    }
  }

  /** Resolves after that long, or when `#isGone`. */
  async #whileHere(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#here.signal }).catch(() => {});
  }

  #fetchingEnds(why: string): void {
    this.#fetching.abort(why);
  }

  #events(): WorkerEvents {
    const events = new EventEmitter() as unknown as WorkerEvents;
    events.on('pool:create', ({ workerPool }) => {
      this.#poolId = workerPool.id;
      const held = this.deps.control.hold(workerPool.id).then(() => {
        this.#announced = true;
      });
      this.#connections.closeUntil(held);
    });
    events.on('pool:gracefulShutdown', ({ message }) => this.#fetchingEnds(message));
    events.on('pool:release', () => {
      this.#released = true;
      this.#fetchingEnds('the worker pool ended');
      this.#resolveIfGone();
    });
    events.on('localQueue:init', ({ localQueue }) => {
      this.#queue = new LocalJobs(localQueue, events);
    });
    events.on('localQueue:getJobs:complete', () => this.#fetches.resolve());
    const handled = ({ job }: { job: Job }) => {
      this.#inHand.delete(job.id);
      this.#resolveIfGone();
    };
    events.on('job:start', ({ job }) => this.#inHand.add(job.id));
    events.on('job:success', handled);
    events.on('job:error', handled);
    return events;
  }
}
