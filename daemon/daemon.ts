import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Database } from '../src/database/database.js';
import { EventLoopLoad } from '../src/node/event-loop-load.js';
import { readInstallation } from '../src/operations/installation/read-installation.js';
import type { SecretVault } from '../src/operations/secrets/secret-vault.js';
import type { Config } from '../src/settings/config.js';
import type { Tracing } from '../src/telemetry/tracing.js';
import { Deliverer } from './delivery/deliver.js';
import { Claims } from './jobs/claims.js';
import { unlessStopped } from './jobs/own-stops.js';
import { Quarantine, quarantined } from './jobs/quarantine.js';
import { SupervisedRunner } from './jobs/runner.js';
import { ControlConnection } from './liveness/control-connection.js';
import { DeadWorkers } from './liveness/dead-workers.js';
import { type Fence, fenced } from './liveness/fence.js';
import type { NameResolver } from './sending/name-resolver.js';
import { createSender, type Sender, type SenderOptions } from './sending/send.js';
import { startShares } from './sweeps/lane-shares.js';
import { startSweeps } from './sweeps/regular-sweeps.js';
import { startEndpointReports } from './sweeps/report-endpoints.js';
import { startInstallationReports } from './sweeps/report-installation.js';
import { crontab, taskList } from './tasks.js';
import { registerInstallation } from './telemetry/installation-metrics.js';
import { DaemonMetrics } from './telemetry/metrics.js';

interface DaemonDeps {
  config: Config;
  db: Database;
  vault: SecretVault;
  clock: () => Date;
  log: Logger;
  /** How receivers' names are resolved; default: by the system's DNS servers. */
  lookup?: NameResolver;
  tracing?: Tracing | null;
  /** What Prometheus reads; default: one of its own. */
  registry?: Registry;
}

/**
 * When the daemon stops, what is in hand may still begin as long as there is time for a full attempt, and this much to
 * record it.
 */
const RECORD_MS = 1_000;

/** The delivery daemon: a runner of jobs, the connection that tells that they are alive, and the sweeps beside them. */
export class Daemon {
  readonly #sender: Sender;
  /** What Prometheus reads. */
  readonly registry: Registry;
  readonly #control: ControlConnection;
  readonly #runner: SupervisedRunner;
  /** For emits of the same process. */
  readonly claims: Claims;
  /** Each ends one of the sweeps beside the runner. */
  readonly #stopSweeps: (() => Promise<void>)[];
  #stopped: Promise<void> | undefined;

  constructor(private readonly deps: DaemonDeps) {
    const { config, db, log, lookup } = deps;
    const { delivery } = config;
    this.#sender = createSender({ ...senderOptions(config), ...(lookup && { lookup }) });
    const metrics = new DaemonMetrics(deps.registry);
    const deadWorkers = new DeadWorkers(log, metrics);
    this.#control = new ControlConnection({ url: db.url, log, deadWorkers });
    const deliverer = new Deliverer({
      ...deps,
      sender: fenced(this.#sender, this.fence),
      fence: this.fence,
      metrics,
    });
    this.registry = metrics.registry;
    this.#registerGauges(metrics);
    const tasks = taskList({ ...deps, deliverer, fence: this.fence, metrics });
    const quarantine = new Quarantine({ db, log });
    this.#runner = new SupervisedRunner(
      { db, log, control: this.#control, drainTimeoutMs: delivery.drainTimeoutMs },
      {
        taskList: unlessStopped(quarantined(tasks, quarantine), { db, fence: this.fence }),
        concurrency: delivery.concurrency,
        cronItems: crontab(),
      },
    );
    this.claims = new Claims({
      db,
      log,
      metrics,
      deliverer,
      fence: this.fence,
      runner: this.#runner,
      slotsMax: delivery.concurrency,
      load: new EventLoopLoad(),
    });
    this.#stopSweeps = [
      startSweeps(deps, metrics),
      startShares({ db, log, deliverer }),
      startEndpointReports({ db, log, gate: deliverer.gate }),
      startInstallationReports({ config, db, log, gate: deliverer.gate }),
    ];
  }

  #registerGauges(metrics: DaemonMetrics): void {
    registerInstallation(metrics.registry, () => readInstallation(this.deps.db.pool));
    metrics.gauge(
      'hookwright_sending_stopped',
      '1 while nothing may be sent, because outcomes could not be recorded.',
      () => Number(this.fence.closed),
    );
    metrics.gauge(
      'hookwright_emits_waiting',
      'Deliveries of tenants that emit a lot at once, not accepted yet because the process is what limits it.',
      () => this.claims.waiting,
    );
    metrics.gauge('hookwright_fetching_jobs', '1 while the daemon fetches jobs.', () => Number(this.running));
  }

  /** Whether jobs are being fetched at the moment. */
  get running(): boolean {
    return this.#runner.running;
  }

  /** Why nothing is being delivered at the moment, in a sentence; null when all is well. */
  get trouble(): string | null {
    if (this.fence.ending) {
      return 'The daemon ends.';
    }
    if (this.fence.silent) {
      return 'The database has been silent for some seconds; nothing is sent.';
    }
    if (this.fence.closed) {
      return 'An outcome could not be recorded yet; nothing is sent until it is.';
    }
    return this.running ? null : 'The daemon does not fetch jobs yet.';
  }

  /** Whether requests may be sent, and why not. */
  get fence(): Fence {
    return this.#control.fence;
  }

  /**
   * Stops fetching, sends what is in hand and can be over in time, waits until it is recorded (at most `withinMs`),
   * then lets go of the rest.
   */
  stop(withinMs: number = this.deps.config.delivery.drainTimeoutMs): Promise<void> {
    const { attemptTimeoutMs } = this.deps.config.delivery;
    return this.#stopOnce(Math.max(0, withinMs - attemptTimeoutMs - RECORD_MS), withinMs);
  }

  /**
   * As `stop`, but nothing more is sent: only what is under way may still be recorded. What is in hand at the end
   * counts as fetched: it may be what has brought the process down.
   */
  stopSending(withinMs: number): Promise<void> {
    return this.#stopOnce(0, withinMs, { mayBeToBlame: true });
  }

  #stopOnce(beginWithinMs: number, withinMs: number, { mayBeToBlame = false } = {}): Promise<void> {
    this.fence.end(beginWithinMs);
    this.#stopped ??= this.#stop(withinMs, mayBeToBlame);
    return this.#stopped;
  }

  async #stop(withinMs: number, mayBeToBlame: boolean): Promise<void> {
    const drained = Promise.all([this.#runner.stop(), ...this.#stopSweeps.map((stop) => stop())]);
    await Promise.race([drained, delay(withinMs, undefined, { ref: false })]);
    this.fence.letGo();
    if (!mayBeToBlame) {
      await this.#runner.letGo();
    }
    // Last: as long as it is there, nobody else takes what is in hand here.
    await this.#control.stop();
    await this.#sender.close();
  }
}

export function senderOptions({ delivery, target }: Config): SenderOptions {
  return {
    policy: target,
    connectTimeoutMs: delivery.connectTimeoutMs,
    totalTimeoutMs: delivery.attemptTimeoutMs,
    responseBytesMax: delivery.responseBytesMax,
    storedBytesMax: delivery.storedBytesMax,
    connectionsPerOriginMax: delivery.concurrency,
    egressProxy: delivery.egressProxy,
  };
}
