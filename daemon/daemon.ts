import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Runner, run, type WorkerEvents } from 'graphile-worker';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../src/config.js';
import { type Database, poolOptions } from '../src/database.js';
import { quietLogger, unlockJobsOf } from '../src/operations/enqueue.js';
import type { SecretVault } from '../src/operations/secrets.js';
import { Deliverer } from './deliver.js';
import { startRescue } from './rescue.js';
import { createSender, type Sender } from './send.js';
import { crontab, taskList } from './tasks.js';

export interface DaemonDeps {
  config: Config;
  db: Database;
  vault: SecretVault;
  clock: () => Date;
  log: Logger;
}

const RESTART_PAUSE_MS = 1_000;
/** Jobs fetched ahead of the slots. A crash strands these too, until the sweep finds them. */
const FETCH_AHEAD = 1.5;
const JOB_CONNECTIONS_MAX = 5;

/**
 * The delivery daemon: a graphile-worker runner, watched and replaced when it stops, and the sweeps beside it.
 */
export class Daemon {
  readonly #sender: Sender;
  readonly #deliverer: Deliverer;
  readonly #stopRescue: () => Promise<void>;
  readonly #supervision: Promise<void>;
  readonly #stopping = new AbortController();
  #runner: Runner | undefined;
  #stopped: Promise<void> | undefined;

  constructor(private readonly deps: DaemonDeps) {
    const { delivery, target } = deps.config;
    this.#sender = createSender({
      policy: target,
      connectTimeoutMs: delivery.connectTimeoutMs,
      totalTimeoutMs: delivery.attemptTimeoutMs,
      responseBytesMax: delivery.responseBytesMax,
      storedBytesMax: delivery.storedBytesMax,
      connectionsPerOriginMax: delivery.concurrency,
    });
    this.#deliverer = new Deliverer({ ...deps, sender: this.#sender });
    this.#stopRescue = startRescue(deps);
    this.#supervision = this.#supervise();
  }

  /** Whether jobs are being fetched at the moment. */
  get running(): boolean {
    return this.#runner !== undefined;
  }

  /** Stops fetching, lets the requests in flight end and be recorded (at most `drainTimeoutMs`), then lets go. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    const drained = Promise.all([
      this.#runner?.stop().catch(() => {}),
      this.#supervision,
      this.#stopRescue(),
    ]);
    await Promise.race([drained, delay(this.deps.config.delivery.drainTimeoutMs, undefined, { ref: false })]);
    await this.#sender.close();
  }

  /**
   * graphile-worker's runner ends, without an error, when Postgres blips while it completes jobs. So it is
   * disposable: when one ends, its jobs are unlocked and another is started.
   */
  async #supervise(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const poolIds: string[] = [];
      const connections = openJobConnections(this.deps);
      try {
        this.#runner = await this.#startRunner(connections, poolIds);
        if (signal.aborted) {
          await this.#runner.stop();
        }
        await this.#runner.promise;
      } catch (error) {
        this.deps.log.warn({ err: error }, 'the job runner failed');
      }
      this.#runner = undefined;
      await connections.end();
      if (!signal.aborted) {
        this.deps.log.warn('the job runner ended; starting another');
        await delay(RESTART_PAUSE_MS, undefined, { signal }).catch(() => {});
        await unlockJobsOf(this.deps.db.pool, poolIds).catch((error: unknown) =>
          this.deps.log.warn({ err: error }, 'could not unlock the jobs of the ended runner'),
        );
      }
    }
  }

  async #startRunner(pgPool: pg.Pool, poolIds: string[]): Promise<Runner> {
    const { config } = this.deps;
    const events = new EventEmitter() as unknown as WorkerEvents;
    events.on('pool:create', ({ workerPool }) => poolIds.push(workerPool.id));
    return await run({
      pgPool,
      logger: quietLogger,
      noHandleSignals: true,
      events,
      taskList: taskList({ ...this.deps, deliverer: this.#deliverer }),
      parsedCronItems: crontab(),
      preset: {
        worker: {
          concurrentJobs: config.delivery.concurrency,
          pollInterval: 500,
          localQueue: { size: Math.ceil(config.delivery.concurrency * FETCH_AHEAD) },
          completeJobBatchDelay: 5,
          failJobBatchDelay: 5,
          gracefulShutdownAbortTimeout: config.delivery.drainTimeoutMs,
        },
      },
    });
  }
}

/** graphile-worker's own pool has no time limits, and goes on ending after its runner has ended. */
function openJobConnections({ db, log }: DaemonDeps): pg.Pool {
  const connections = new pg.Pool(poolOptions(db.url, JOB_CONNECTIONS_MAX));
  const onError = (error: Error) => log.warn({ err: error }, 'a job connection broke');
  connections.on('error', onError);
  connections.on('connect', (client) => client.on('error', onError));
  return connections;
}
