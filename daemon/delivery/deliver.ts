import type { Logger } from 'pino';
import { idToDate } from '../../src/domain/ids/delivery-id.js';
import { isUnanswered, judge } from '../../src/domain/outcome.js';
import { kindOf } from '../../src/domain/pacing/endpoint-window.js';
import { type Lane, laneOf, noneDone } from '../../src/domain/pacing/lanes.js';
import { retryInMsOf } from '../../src/domain/retry-policy.js';
import type { FinishedAttempt } from '../../src/operations/attempts/finished-attempt.js';
import {
  type DeliverGroupJob,
  type DueDelivery,
  type LoadedDelivery,
  loadDeliveries,
  type NamedDelivery,
} from '../../src/operations/attempts/load-deliveries.js';
import type { SecretVault } from '../../src/operations/secrets/secret-vault.js';
import { Slots } from '../../src/platform/concurrency/slots.js';
import type { Database } from '../../src/platform/database/database.js';
import { GroupCommit } from '../../src/platform/database/group-commit.js';
import type { Config } from '../../src/platform/settings/config.js';
import type { Tracing } from '../../src/platform/telemetry/tracing.js';
import { Gate, type Permit, WAIT_MS_MAX } from '../gate/gate.js';
import type { NotNow } from '../gate/not-now.js';
import { type Fence, SendingStopped } from '../liveness/fence.js';
import { PutOffWriter } from '../recording/put-off-writer.js';
import { Recorder } from '../recording/recorder.js';
import { weightOf } from '../recording/worker-shares.js';
import { findUrl } from '../sending/known-urls.js';
import type { Sender } from '../sending/send.js';
import type { DaemonMetrics } from '../telemetry/metrics.js';
import { traceAttempt } from '../telemetry/trace-attempt.js';
import { OwnFaults } from './own-faults.js';
import { Signer } from './signer.js';
import { UnderWay } from './under-way.js';

interface DeliverDeps {
  config: Config;
  db: Database;
  vault: SecretVault;
  sender: Sender;
  fence: Fence;
  clock: () => Date;
  log: Logger;
  tracing?: Tracing | null;
  metrics: DaemonMetrics;
}

/** The end of a delivery in its slot: an attempt, a put-off, or the reason why there is none. */
type SlotResult = FinishedAttempt | { delivery: DueDelivery; notNow: NotNow } | Exclude<LoadedDelivery, DueDelivery>;

/** Half as long as a delivery may then wait for a permit. */
const LOADED_FOR_MS = WAIT_MS_MAX / 2;
const BATCH_MAX = 256;
/** A second load beside another one pays only when this many deliveries wait for it. */
const BATCH_BESIDE_LOADS = 64;

/** Makes the attempts that jobs ask for: load, sign, send, judge, plan, record. */
export class Deliverer {
  readonly #loads: GroupCommit<NamedDelivery, LoadedDelivery>;
  readonly #recorder: Recorder;
  readonly #putOffs: PutOffWriter;
  readonly #signer: Signer;
  /** A job may name several deliveries: the slots, not the jobs in hand, limit how many are worked on. */
  readonly #slots: Slots;
  readonly gate: Gate;
  readonly #ownFaults: OwnFaults;
  #done = noneDone();
  #busyWithClaimed = 0;
  readonly #underWay = new UnderWay();

  constructor(private readonly deps: DeliverDeps) {
    const { db, config, vault, metrics } = deps;
    const load = { traced: Boolean(deps.tracing) };
    this.#loads = new GroupCommit((jobs) => loadDeliveries(db.pool, jobs, load), {
      itemsMax: BATCH_MAX,
      onBatch: metrics.batch('load'),
      besideItems: BATCH_BESIDE_LOADS,
    });
    this.#recorder = new Recorder({ ...deps, slots: config.delivery.concurrency });
    this.#putOffs = new PutOffWriter(deps);
    this.#signer = new Signer(vault, config.delivery);
    this.#ownFaults = new OwnFaults(deps.log);
    this.#slots = new Slots(config.delivery.concurrency);
    this.gate = new Gate({
      slots: config.delivery.concurrency,
      endpointMax: config.delivery.endpointConcurrencyMax,
      originMax: config.delivery.originConcurrencyMax,
      streakMsMin: config.failureStreakMsMin,
      callBack: (ids) => this.#putOffs.callBack(ids),
    });
    metrics.watch({ gate: this.gate, slots: this.#slots, slotsMax: config.delivery.concurrency });
  }

  /** Deliveries that have a slot or wait for one. */
  get busy(): number {
    return this.#slots.inUse + this.#slots.waitingCount;
  }

  /** The part of them that emits of the same process have claimed. */
  get busyWithClaimed(): number {
    return this.#busyWithClaimed;
  }

  /**
   * Makes one attempt, if it is due and its endpoint has room; else its job comes again later. Whatever the receiver
   * does is recorded as an outcome.
   *
   * @param priority the job's
   * @throws Error only for faults of our own (the database is away); the job is then run again
   */
  async deliver(job: NamedDelivery, priority: number): Promise<void> {
    this.#busyWithClaimed += Number(job.loaded !== undefined);
    // A promise for each delivery that need not wait is garbage to collect (docs/performance.md, "What garbage costs").
    if (!this.#slots.tryTake()) {
      await this.#slots.take(priority);
    }
    await this.#deliverInSlot(job, priority);
  }

  /**
   * Makes the first attempts of deliveries that share a job, each as if it had one of its own.
   *
   * @throws Error when one of them met a fault of our own, after all of them have ended
   */
  async deliverGroup({ group, ids, loaded }: DeliverGroupJob, priority: number): Promise<void> {
    this.#busyWithClaimed += loaded === undefined ? 0 : ids.length;
    await this.#slots.takeEach(priority, ids, (id) => this.#deliverInSlot({ id, attempt: 1, group, loaded }, priority));
  }

  get isFull(): boolean {
    return this.#slots.inUse >= this.deps.config.delivery.concurrency;
  }

  /** @returns how many attempts were made in each lane since this was asked last */
  takeDone(): Record<Lane, number> {
    const done = this.#done;
    this.#done = noneDone();
    return done;
  }

  /** Makes one attempt in the slot that was taken, gives that back, and records what came of it. */
  async #deliverInSlot(job: NamedDelivery, priority: number): Promise<void> {
    let current = job;
    // Two jobs can name one delivery. For example, it is held and released while attempt 1 is recorded: the job for
    // attempt 2 comes before attempt 1 has ended here, and no other job asks for attempt 2. So the later job waits,
    // without its slot, and then loads the delivery. Between the last `has` and `begin` nothing may be awaited: a third
    // job may have waited too.
    while (this.#underWay.has(job.id)) {
      this.#slots.give();
      await this.#underWay.endOf(job.id);
      await this.#slots.take(priority);
      current = { ...job, loaded: undefined };
    }
    this.#underWay.begin(job.id);
    try {
      const lane = laneOf(priority);
      const weight = weightOf(job.group !== undefined);
      let result: SlotResult;
      try {
        result = await this.#attemptInSlot(current, lane, weight);
      } finally {
        this.#slots.give();
        this.#busyWithClaimed -= Number(job.loaded !== undefined);
      }
      if (typeof result === 'string') {
        this.gate.notDue(job.id);
      }
      if (result === 'NOT_YET') {
        await this.#putOffs.turnAway(job.id, lane);
      } else if (result === 'SUPERSEDED') {
        return;
      } else if ('notNow' in result) {
        await this.#putOffs.putOff(result.delivery, result.notNow, lane);
      } else {
        this.deps.metrics.recorded(lane, await this.#recorder.record(result, weight));
      }
    } finally {
      this.#underWay.end(job.id);
    }
  }

  /** Loads the delivery, enters its endpoint, takes a share of the workers, makes the attempt. */
  async #attemptInSlot(job: NamedDelivery, lane: Lane, weight: number): Promise<SlotResult> {
    if (!this.deps.fence.mayBegin) {
      await this.deps.fence.opened();
    }
    const delivery = freshlyLoaded(job) ?? (await this.#loads.runOne(job));
    if (typeof delivery === 'string') {
      return delivery;
    }
    const { webhookId, url } = delivery;
    const origin = findUrl(url)?.origin ?? url;
    const entry = this.#recorder.notNow(webhookId) ?? (await this.gate.enter(delivery, lane, origin));
    if ('putOffMs' in entry) {
      return { delivery, notNow: entry };
    }
    const noWorker = this.#recorder.tryBegin(webhookId, weight)
      ? null
      : await this.#recorder.begin(webhookId, weight, entry);
    if (noWorker !== null) {
      return { delivery, notNow: noWorker };
    }
    this.#done[lane] += 1;
    const made = await this.#attempt(delivery, entry, weight);
    if ('putOffMs' in made) {
      return { delivery, notNow: made };
    }
    this.deps.metrics.attempted(lane, made, idToDate(delivery.id));
    const { room } = this.#recorder;
    if (!room.tryTake()) {
      await room.take();
    }
    return made;
  }

  /** Signs, sends and judges; not now, when a fault of our own kept the request from being sent. */
  async #attempt(delivery: DueDelivery, permit: Permit, weight: number): Promise<FinishedAttempt | NotNow> {
    const trace = traceAttempt(this.deps.tracing, delivery);
    try {
      const [startedAt, startedAtMs] = [this.deps.clock(), performance.now()];
      const request = this.#signer.signAtOnce(delivery, startedAt) ?? (await this.#signer.sign(delivery, startedAt));
      Object.assign(request.headers, trace?.headers);
      if (this.deps.fence.closed) {
        throw new SendingStopped('The request was not sent, because its outcome could not have been recorded.');
      }
      const result = await this.deps.sender.send(delivery.url, request, delivery.tenantId);
      const endedAtMs = performance.now();
      const outcome = judge(result, this.deps.clock());
      const isSameClosing = permit.giveBack({
        outcome,
        kind: kindOf(outcome, result),
        isUnanswered: isUnanswered(result),
      });
      trace?.ended(outcome, result);
      return {
        delivery,
        startedAt,
        startedAtMs,
        isSameClosing,
        endedAtMs,
        requestHeaders: request.headers,
        result,
        outcome,
        retryInMs: retryInMsOf(this.deps.config.retry, delivery.failuresBefore + 1, outcome),
      };
    } catch (error) {
      trace?.notMade();
      // The permit is kept meanwhile, so that no more wait here than the endpoint's window has.
      return await this.#ownFaults.notNow(error, delivery).finally(() => {
        permit.giveBack();
        this.#recorder.end(delivery.webhookId, weight);
      });
    }
  }
}

/** The delivery as its emit loaded it, unless that is too long ago. */
const freshlyLoaded = ({ id, loaded }: NamedDelivery): DueDelivery | undefined =>
  loaded !== undefined && performance.now() - loaded.atMs < LOADED_FOR_MS ? loaded.deliveries.get(id) : undefined;
