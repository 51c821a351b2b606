import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Job, type Runner, run, type WorkerEventMap, type WorkerEvents } from 'graphile-worker';
import pg from 'pg';
import type { Logger } from 'pino';
import { poolOptions, tellErrors } from '../src/database.js';
import { freeJobsOf, quietLogger } from '../src/operations/enqueue.js';
import type { RunnerDeps, RunnerOptions } from './runner.js';

/** Jobs fetched ahead of the slots. A crash strands these too, until the sweep finds them. */
const FETCH_AHEAD = 0.25;
/**
 * A jobs table is empty one moment and long the next, so a plan must be good for both: then it can be kept, and a fetch
 * costs half. The jobs to take are found in order and never sorted; each of them is then found by its id in a hash index,
 * because going through all others by comparing is made out to be dear (docs/decisions/0017).
 *
 * A fetch does not wait for the disk: after a crash of Postgres a job may be there as if it had not been fetched, which a
 * hint may (docs/decisions/0008).
 */
export const JOB_CONNECTION = [
  'plan_cache_mode=force_generic_plan',
  'jit=off',
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'enable_sort=off',
  'cpu_operator_cost=10',
  'synchronous_commit=off',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');
const CONNECTIONS_MAX = 5;
const GATE_TIMEOUT_MS = 3_000;
const FREE_EVERY_MS = 1_000;

type LocalQueue = WorkerEventMap['localQueue:init']['localQueue'];

/** One graphile-worker runner, from its start until nothing is left of it. */
export class RunnerLife {
  readonly #connections: GatedPool;
  /** The ids of the jobs whose handlers are running. */
  readonly #inHand = new Set<string>();
  readonly #stopsFetching = Promise.withResolvers<void>();
  /** Resolves when graphile-worker has let go and no handler is running. */
  readonly #gone = Promise.withResolvers<void>();
  #runner: Runner | undefined;
  #poolId: string | undefined;
  #fetchingEnded: string | undefined;
  /** graphile-worker has let go; handlers that it did not wait for may still be running. */
  #released = false;

  constructor(
    private readonly deps: RunnerDeps,
    private readonly options: RunnerOptions,
  ) {
    this.#connections = openConnections(deps.db.url, deps.log);
  }

  /** Why it fetches no more; undefined as long as it does. */
  get fetchingEnded(): string | undefined {
    return this.#fetchingEnded;
  }

  /** Resolves when it fetches no more, whoever wanted that. */
  get stopsFetching(): Promise<void> {
    return this.#stopsFetching.promise;
  }

  /** @throws what graphile-worker throws when the database is away */
  async start(): Promise<void> {
    const { concurrency, taskList, cronItems } = this.options;
    this.#runner = await run({
      pgPool: this.#connections,
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
          completeJobBatchDelay: 5,
          failJobBatchDelay: 5,
          gracefulShutdownAbortTimeout: this.deps.drainTimeoutMs,
        },
      },
    });
    this.#runner.promise.then(
      () => this.#ends('the runner ended'),
      (error: unknown) => this.#ends(String(error)),
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
      await Promise.race([stopped, this.#gone.promise, delay(FREE_EVERY_MS)]);
      await this.#free(this.#poolId, hurry);
      await this.deps.control.letGo(this.#poolId);
    }
    await this.#connections.end().catch(() => {});
  }

  /**
   * The jobs that were fetched ahead at once, the others when their handlers have ended. graphile-worker may have
   * failed to do so, or to complete them: then they are run again, find nothing to do, and are completed.
   */
  async #free(poolId: string, hurry: AbortSignal): Promise<void> {
    for (;;) {
      const last = this.#released && this.#inHand.size === 0;
      try {
        await freeJobsOf(this.deps.db.pool, poolId, this.#inHand);
        if (last) {
          return;
        }
      } catch (error) {
        this.deps.log.warn({ err: error }, 'could not free the jobs of an ended runner');
        if (last && hurry.aborted) {
          return;
        }
      }
      await Promise.race([this.#gone.promise, delay(FREE_EVERY_MS)]);
    }
  }

  #lookWhetherGone(): void {
    if (this.#released && this.#inHand.size === 0) {
      this.#gone.resolve();
    }
  }

  #ends(why: string): void {
    this.#fetchingEnded ??= why;
    this.#stopsFetching.resolve();
  }

  #events(): WorkerEvents {
    const events = new EventEmitter() as unknown as WorkerEvents;
    events.on('pool:create', ({ workerPool }) => {
      this.#poolId = workerPool.id;
      this.#connections.closeUntil(this.deps.control.hold(workerPool.id));
    });
    events.on('pool:gracefulShutdown', ({ message }) => this.#ends(message));
    events.on('pool:release', () => {
      this.#released = true;
      this.#ends('the worker pool ended');
      this.#lookWhetherGone();
    });
    events.on('localQueue:init', ({ localQueue }) => awaitReturnOfJobs(localQueue, events));
    const handled = ({ job }: { job: Job }) => {
      this.#inHand.delete(job.id);
      this.#lookWhetherGone();
    };
    events.on('job:start', ({ job }) => this.#inHand.add(job.id));
    events.on('job:success', handled);
    events.on('job:error', handled);
    return events;
  }
}

/**
 * When it stops, graphile-worker 0.18 gives back the jobs that it fetched ahead, but refuses to wait for that unless
 * something else is under way in its local queue ("Cannot background something when the queue is already released",
 * localQueue.js). So a database that is away then would end the process by an unhandled rejection. Now something is.
 */
function awaitReturnOfJobs(localQueue: LocalQueue, events: WorkerEvents): void {
  const released = Promise.withResolvers<void>();
  events.on('localQueue:setMode', ({ newMode }) => {
    if (newMode === 'RELEASED') {
      released.resolve();
    }
  });
  (localQueue as unknown as { background(work: Promise<void>): void }).background(released.promise);
}

/**
 * graphile-worker fetches and completes over connections that it asks for by promise. None is given before the worker
 * pool is known to be alive: others would take jobs that it has just fetched for a dead one's.
 */
class GatedPool extends pg.Pool {
  #gate: Promise<void> | undefined;

  closeUntil(opening: Promise<void>): void {
    this.#gate = opening.then(() => {
      this.#gate = undefined;
    });
    this.#gate.catch(() => {}); // whoever comes to the gate is told
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Parameters<pg.Pool['connect']>[0]): void;
  override connect(callback?: Parameters<pg.Pool['connect']>[0]): Promise<pg.PoolClient> | undefined {
    if (callback !== undefined) {
      super.connect(callback);
      return undefined;
    }
    return this.#gate === undefined ? super.connect() : this.#connectAfter(this.#gate);
  }

  async #connectAfter(gate: Promise<void>): Promise<pg.PoolClient> {
    const tooLate = delay(GATE_TIMEOUT_MS, undefined, { ref: false }).then(() => {
      throw new Error('The worker pool could not be announced as alive.');
    });
    await Promise.race([gate, tooLate]);
    return await super.connect();
  }
}

/** graphile-worker's own pool has no time limits, and goes on ending after its runner has ended. */
function openConnections(url: string, log: Logger): GatedPool {
  const connections = new GatedPool({ ...poolOptions(url, CONNECTIONS_MAX), options: JOB_CONNECTION });
  tellErrors(connections, (error) => log.warn({ err: error }, 'a job connection broke'));
  return connections;
}
