import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { readReportedInstallation } from '../src/operations/installation/installation-report.js';
import type { Database } from '../src/platform/database/database.js';
import { EventLoopLoad } from '../src/platform/node/event-loop-load.js';
import type { Config } from '../src/platform/settings/config.js';
import type { AttemptDeps } from './delivery/attempt-maker.js';
import { Deliverer } from './delivery/deliver.js';
import { dutiesOf } from './duties/duties.js';
import { startDuties, timedDuties } from './duties/duty.js';
import { Claims } from './jobs/claims.js';
import { SupervisedRunner } from './jobs/runner.js';
import { ControlConnection } from './liveness/control-connection.js';
import { DeadWorkers } from './liveness/dead-workers.js';
import type { Fence } from './liveness/fence.js';
import type { NameResolver } from './sending/name-resolver.js';
import { createSender, type Sender, type SenderOptions } from './sending/send.js';
import { taskList } from './tasks.js';
import { registerInstallation } from './telemetry/installation-metrics.js';
import { DaemonMetrics } from './telemetry/metrics.js';

interface DaemonDeps extends Omit<AttemptDeps, 'sender' | 'fence'> {
  db: Database;
  random: (bytes: number) => Buffer;
  /** How receivers' names are resolved; default: by the system's DNS servers. */
  lookup?: NameResolver;
  /** The metrics' registry; default: a new one. */
  registry?: Registry;
}

/** While the daemon stops, deliveries begin as long as there is time for a full attempt and this much to record it. */
const RECORD_MS = 1_000;

/** The delivery daemon: the runner of jobs, the control connection, and the regular duties. */
export class Daemon {
  readonly #sender: Sender;
  readonly registry: Registry;
  readonly #control: ControlConnection;
  readonly #runner: SupervisedRunner;
  /** Takes deliveries from emits of the same process. */
  readonly claims: Claims;
  readonly #stopDuties: () => Promise<void>;
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
      sender: this.#sender,
      fence: this.fence,
      metrics,
      callHere: (ids) => this.claims.callHere(ids),
      wakesHere: () => this.claims.forWoken,
    });
    this.registry = metrics.registry;
    this.#registerGauges(metrics);
    const duties = dutiesOf({ ...deps, metrics }, deliverer, this.#control);
    const { tasks, cronItems } = timedDuties(db.pool, duties);
    this.#runner = new SupervisedRunner({
      db,
      log,
      control: this.#control,
      drainTimeoutMs: delivery.drainTimeoutMs,
      taskList: { ...taskList({ ...deps, deliverer, fence: this.fence }), ...tasks },
      slots: delivery.concurrency,
      cronItems,
    });
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
    this.#stopDuties = startDuties(duties, { pool: db.pool, log, metrics });
  }

  #registerGauges(metrics: DaemonMetrics): void {
    registerInstallation(metrics.registry, () => readReportedInstallation(this.deps.db.pool));
    metrics.gauge(
      'hookwright_sending_stopped',
      '1 while nothing may be sent, because outcomes could not be recorded.',
      () => Number(this.fence.closed),
    );
    metrics.gauge(
      'hookwright_emits_waiting',
      'Deliveries of tenants that emit a lot at once, not accepted yet because the process itself is the limit.',
      () => this.claims.waiting,
    );
    metrics.gauge('hookwright_fetching_jobs', '1 while the daemon fetches jobs.', () => Number(this.running));
  }

  /** Whether jobs are being fetched at the moment. */
  get running(): boolean {
    return this.#runner.life !== undefined;
  }

  /** A sentence that says why nothing is delivered at the moment; null when all is well. */
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

  get fence(): Fence {
    return this.#control.fence;
  }

  /**
   * Stops fetching, sends the deliveries in hand that can end in time, waits until they are recorded (at most
   * `withinMs`), then leaves the rest to other processes.
   */
  stop(withinMs: number = this.deps.config.delivery.drainTimeoutMs): Promise<void> {
    const { attemptTimeoutMs } = this.deps.config.delivery;
    return this.#stop(Math.max(0, withinMs - attemptTimeoutMs - RECORD_MS), withinMs, false);
  }

  /**
   * Stops without sending more; only attempts under way may still be recorded. The fetches of the jobs in hand count,
   * because one of these jobs may have brought the process down.
   */
  stopSending(withinMs: number): Promise<void> {
    return this.#stop(0, withinMs, true);
  }

  #stop(beginWithinMs: number, withinMs: number, mayBeToBlame: boolean): Promise<void> {
    this.fence.end(beginWithinMs);
    this.#stopped ??= this.#drain(withinMs, mayBeToBlame);
    return this.#stopped;
  }

  async #drain(withinMs: number, mayBeToBlame: boolean): Promise<void> {
    const drained = Promise.all([this.#runner.stop(), this.#stopDuties()]);
    await Promise.race([drained, delay(withinMs, undefined, { ref: false })]);
    this.fence.givenUp = true;
    if (!mayBeToBlame) {
      await this.#runner.leave();
    }
    // Last: until then no other process takes the jobs in hand.
    await this.#control.stop();
    await this.#sender.close();
  }
}

export const senderOptions = ({ delivery, target }: Config): SenderOptions => ({
  ...delivery,
  policy: target,
  totalTimeoutMs: delivery.attemptTimeoutMs,
  connectionsPerOriginMax: delivery.concurrency,
});
