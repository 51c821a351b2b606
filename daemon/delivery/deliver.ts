import { idToDate } from '../../src/domain/ids/delivery-id.js';
import { type Lane, laneOf, noneDone } from '../../src/domain/pacing/lanes.js';
import type { FinishedAttempt } from '../../src/operations/attempts/finished-attempt.js';
import {
  type DeliverGroupJob,
  type DueDelivery,
  loadDeliveries,
  type NamedDelivery,
  type NotDue,
} from '../../src/operations/attempts/load-deliveries.js';
import { isCalledAsBefore } from '../../src/operations/attempts/webhook-to-send.js';
import type { WakesHere } from '../../src/operations/ordering/turns.js';
import { probeAgain } from '../../src/operations/webhooks/probe-webhooks.js';
import { Slots } from '../../src/platform/concurrency/slots.js';
import type { Database } from '../../src/platform/database/database.js';
import { GroupCommit } from '../../src/platform/database/group-commit.js';
import { Gate } from '../gate/gate.js';
import { isNotNow, type NotNow } from '../gate/not-now.js';
import { rateTables } from '../gate/rate-tables.js';
import { WAIT_MS_MAX } from '../gate/wait-limits.js';
import { PutOffWriter } from '../recording/put-off-writer.js';
import { Recorder } from '../recording/recorder.js';
import { findUrl } from '../sending/known-urls.js';
import type { DaemonMetrics } from '../telemetry/metrics.js';
import { type AttemptDeps, AttemptMaker } from './attempt-maker.js';
import type { Challenges } from './challenges.js';
import { InFlight } from './in-flight.js';

interface DeliverDeps extends AttemptDeps {
  db: Database;
  random: (bytes: number) => Buffer;
  metrics: DaemonMetrics;
  callHere?: (ids: readonly number[]) => Promise<readonly number[]>;
  wakesHere?: () => WakesHere | null;
}

/** A delivery in its slot. */
interface Turn {
  job: NamedDelivery;
  lane: Lane;
  /** Set once it is loaded, and due. */
  delivery?: DueDelivery;
}

/** Half as long as a delivery may then wait for a permit. */
const LOADED_FOR_MS = WAIT_MS_MAX / 2;
const BATCH_MAX = 256;
/** An application's transaction that replaces a delivery has ended by then, or it is looked at again. */
const REPLACED_MS = 1_000;
/** A second load beside another one pays only when this many deliveries wait for it. */
const BATCH_BESIDE_LOADS = 64;

/** Makes the attempts that jobs ask for: load, sign, send, judge, plan, record. */
export class Deliverer {
  readonly #loads: GroupCommit<NamedDelivery, DueDelivery | NotDue>;
  readonly #recorder: Recorder;
  readonly #putOffs: PutOffWriter;
  readonly #attempts: AttemptMaker;
  /** A job may name several deliveries: the slots, not the jobs in hand, limit how many are worked on. */
  readonly #slots: Slots;
  readonly gate: Gate;
  readonly challenges: Challenges;
  #done = noneDone();
  /** The part of `busy` that emits of the same process have claimed. */
  busyWithClaimed = 0;
  readonly #inFlight = new InFlight();

  constructor(private readonly deps: DeliverDeps) {
    const { db, config, metrics } = deps;
    const load = { traced: Boolean(deps.tracing) };
    this.#loads = new GroupCommit((jobs) => loadDeliveries(db.pool, jobs, load), {
      itemsMax: BATCH_MAX,
      onBatch: metrics.batch('load'),
      besideItems: BATCH_BESIDE_LOADS,
    });
    this.#recorder = new Recorder({ ...deps, slots: config.delivery.concurrency });
    this.#putOffs = new PutOffWriter(deps);
    this.#attempts = new AttemptMaker(deps);
    this.challenges = this.#attempts.challenges(db, deps.random);
    this.#slots = new Slots(config.delivery.concurrency);
    this.gate = new Gate({
      slots: config.delivery.concurrency,
      endpointMax: config.delivery.endpointConcurrencyMax,
      originMax: config.delivery.originConcurrencyMax,
      streakMsMin: config.failureStreakMsMin,
      callBack: (ids, here) => this.#putOffs.callBack(ids, here),
      rates: rateTables(db.pool, deps.log),
    });
    const { gate } = this;
    metrics.watch({ gate, slots: this.#slots, slotsMax: config.delivery.concurrency, attempts: this.#attempts });
  }

  /** Deliveries that have a slot or wait for one. */
  get busy(): number {
    return this.#slots.inUse + this.#slots.waitingCount;
  }

  /**
   * Makes one attempt, if it is due and its endpoint has room; else its job comes again later. Whatever the receiver
   * does is recorded as an outcome.
   *
   * @param priority the job's
   * @throws Error only for faults of our own (the database is away); the job is then run again
   */
  async deliver(job: NamedDelivery, priority: number): Promise<void> {
    this.busyWithClaimed += Number(job.loaded !== undefined);
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
    this.busyWithClaimed += loaded === undefined ? 0 : ids.length;
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

  /** The way of a delivery that has a slot: its attempt, without the slot then what came of it, and its end. */
  async #deliverInSlot(job: NamedDelivery, priority: number): Promise<void> {
    const begun = this.#inFlight.tryBegin(job.id) ? job : await this.#beginAfterOthers(job, priority);
    try {
      const turn: Turn = { job: begun, lane: laneOf(priority) };
      let made: FinishedAttempt | NotNow;
      try {
        made = await this.#attemptInSlot(turn);
      } finally {
        this.#slots.give();
        this.busyWithClaimed -= Number(job.loaded !== undefined);
      }
      if (isNotNow(made)) {
        await this.#notNow(turn, made);
      } else {
        this.deps.metrics.recorded(turn.lane, await this.#recorder.record(made));
      }
    } finally {
      this.#inFlight.end(job.id);
    }
  }

  /**
   * Two jobs can name one delivery. For example, it is held and released while attempt 1 is recorded: the job for
   * attempt 2 comes before attempt 1 has ended here, and no other job asks for attempt 2. So the later job waits,
   * without its slot, and then loads the delivery.
   */
  async #beginAfterOthers(job: NamedDelivery, priority: number): Promise<NamedDelivery> {
    do {
      this.#slots.give();
      await this.#inFlight.endOf(job.id);
      await this.#slots.take(priority);
    } while (!this.#inFlight.tryBegin(job.id)); // a third job may have waited too
    return { ...job, loaded: undefined };
  }

  /**
   * Load, read options, enter, attempt: each step gives the next one what it needs, or says why nothing is sent now.
   *
   * @throws Error for faults of our own after which the job is run again, such as SendingStopped
   */
  async #attemptInSlot(turn: Turn): Promise<FinishedAttempt | NotNow> {
    const { job, lane } = turn;
    if (!this.deps.fence.mayBegin) {
      await this.deps.fence.opened();
    }
    const delivery = freshlyLoaded(job) ?? (await this.#loads.runOne(job));
    if (isNotNow(delivery)) {
      return delivery;
    }
    turn.delivery = delivery;
    if (delivery.isBeingReplaced) {
      return { putOffMs: REPLACED_MS };
    }
    const options = this.#attempts.optionsAtHand(delivery) ?? (await this.#attempts.readOptions(delivery));
    if (isNotNow(options)) {
      return options;
    }
    const { id, webhookId, url, isCheck, isProbe } = delivery;
    const origin = findUrl(url)?.origin ?? url;
    const permit =
      this.#recorder.notNow(webhookId) ??
      (isCheck || isProbe
        ? this.gate.enterCheck(delivery, origin)
        : await this.gate.enter(delivery, lane, origin, options.allowed));
    if (isNotNow(permit)) {
      return permit;
    }
    this.#done[lane] += 1;
    const made = await this.#attempts.make(delivery, options, permit, async () => {
      const now = await this.#loads.runOne(job);
      return !isNotNow(now) && isCalledAsBefore(delivery, now);
    });
    if (isNotNow(made)) {
      return made;
    }
    this.deps.metrics.attempted(lane, made, idToDate(id));
    const { room } = this.#recorder;
    if (!room.tryTake()) {
      await room.take();
    }
    return made;
  }

  /** Gives a delivery that is not sent now a later time, if its job still has something to do. */
  async #notNow({ job: { id }, lane, delivery }: Turn, why: NotNow): Promise<void> {
    if (typeof why === 'object') {
      if (delivery?.isProbe) {
        return await probeAgain(this.deps.db.pool, delivery.webhookId, why.putOffMs);
      }
      return await this.#putOffs.putOff(delivery!, why, lane);
    }
    this.gate.notDue(id);
    if (why === 'NOT_YET') {
      await this.#putOffs.turnAway(id, lane);
    }
  }
}

/** The delivery as its emit loaded it, unless that is too long ago. */
const freshlyLoaded = ({ id, loaded }: NamedDelivery): DueDelivery | undefined =>
  loaded !== undefined && performance.now() - loaded.atMs < LOADED_FOR_MS ? loaded.deliveries.get(id) : undefined;
