import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../src/config.js';
import type { Database } from '../src/database.js';
import { idToDate } from '../src/domain/delivery-id.js';
import { type DeliveryRequest, deliveryRequest } from '../src/domain/delivery-request.js';
import { strainOf } from '../src/domain/endpoint-window.js';
import { LANES, type Lane, laneAfterPutOff, laneOf } from '../src/domain/lanes.js';
import { judge, type Outcome } from '../src/domain/outcome.js';
import { retryDelayMs } from '../src/domain/retry-policy.js';
import { GroupCommit } from '../src/operations/group-commit.js';
import { type DueDelivery, loadDeliveries, type NamedDelivery } from '../src/operations/load-deliveries.js';
import { type PutOff, putOffDeliveries } from '../src/operations/put-off.js';
import type { FinishedAttempt } from '../src/operations/record-attempts.js';
import type { SecretVault } from '../src/operations/secrets.js';
import type { Tracing } from '../src/tracing.js';
import { version } from '../src/version.js';
import { EgressProxyAway, ProxyOutage } from './egress-proxy.js';
import type { Fence } from './fence.js';
import { Gate, type Pass } from './gate.js';
import { findUrl } from './known-urls.js';
import { type DeliverGroupJob, type DeliverJob, knownStill } from './loaded.js';
import { DaemonMetrics } from './metrics.js';
import { Recorder } from './recorder.js';
import type { Sender } from './send.js';
import { SigningKeys } from './signing-keys.js';
import { Slots } from './slots.js';
import { traceAttempt } from './trace-attempt.js';

export interface DeliverDeps {
  config: Config;
  db: Database;
  vault: SecretVault;
  sender: Sender;
  /** Closed while outcomes cannot be recorded. */
  fence: Fence;
  clock: () => Date;
  log: Logger;
  tracing?: Tracing | null;
  daemonMetrics?: DaemonMetrics;
}

const BATCH_MAX = 256;
/** A second load beside another one pays only when this many deliveries wait for it. */
const BATCH_BESIDE_LOADS = 64;
const PUT_OFF_BEAT_MS = 50;

/** Makes the attempts that jobs ask for: load, sign, send, judge, plan, record. */
export class Deliverer {
  readonly #loads: GroupCommit<NamedDelivery, DueDelivery | null>;
  readonly #recorder: Recorder;
  readonly #putOffs: GroupCommit<PutOff, null>;
  readonly #keys: SigningKeys;
  /** Jobs name several deliveries each: this, and not the number of jobs in hand, is how many are worked on. */
  readonly #slots: Slots;
  /** A request's place is free for the next one as soon as it was answered, unless as many outcomes wait already. */
  readonly #outcomes: Slots;
  readonly gate: Gate;
  readonly metrics: DaemonMetrics;
  #done = noneDone();
  readonly #proxyOutage: ProxyOutage;
  readonly #underWay = new Map<number, Promise<void>>();

  constructor(private readonly deps: DeliverDeps) {
    const { db, config, vault, daemonMetrics: metrics = new DaemonMetrics() } = deps;
    this.metrics = metrics;
    const traced = Boolean(deps.tracing);
    this.#loads = new GroupCommit((jobs) => loadDeliveries(db.pool, jobs, { traced }), {
      itemsMax: BATCH_MAX,
      onBatch: metrics.batch('load'),
      besideItems: BATCH_BESIDE_LOADS,
    });
    this.#recorder = new Recorder({ ...deps, metrics });
    this.#putOffs = new GroupCommit((deliveries) => putOffDeliveries(db.pool, deliveries), {
      itemsMax: BATCH_MAX,
      onBatch: metrics.batch('put_off'),
    });
    this.#keys = new SigningKeys(vault);
    this.#proxyOutage = new ProxyOutage(deps.log);
    this.#slots = new Slots(config.delivery.concurrency);
    this.#outcomes = new Slots(config.delivery.concurrency);
    this.gate = new Gate({
      slots: config.delivery.concurrency,
      endpointMax: config.delivery.endpointConcurrencyMax,
      originMax: config.delivery.originConcurrencyMax,
      now: () => performance.now(),
      random: Math.random,
    });
    metrics.watch({ gate: this.gate, slots: this.#slots, slotsMax: config.delivery.concurrency });
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
  async deliver(job: NamedDelivery & DeliverJob, priority: number = LANES.FIRST.priority): Promise<void> {
    let known = job;
    // Two jobs can name one delivery (a rescued one, or one that was held and released in the same moment). The later
    // waits and is then looked at like any other: it may be the only one that knows of the next attempt.
    for (let other = this.#underWay.get(job.id); other; other = this.#underWay.get(job.id)) {
      await other.catch(() => {});
      known = { ...job, loaded: undefined };
    }
    const turn = this.#takeTurn(known, priority);
    this.#underWay.set(job.id, turn);
    try {
      await turn;
    } finally {
      this.#underWay.delete(job.id);
    }
  }

  /**
   * Makes the first attempts of deliveries that share a job, each as if it had one of its own.
   *
   * @throws Error when one of them met a fault of our own, after all of them have ended
   */
  async deliverGroup({ group, ids, loaded }: DeliverGroupJob, priority: number): Promise<void> {
    const turns = await Promise.allSettled(
      ids.map((id) => this.deliver({ id, attempt: 1, group, loaded }, priority)),
    );
    const failed = turns.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (failed !== undefined) {
      throw failed.reason;
    }
  }

  /** @returns how many attempts were made in each lane since this was asked last */
  takeDone(): Record<Lane, number> {
    const done = this.#done;
    this.#done = noneDone();
    return done;
  }

  async #takeTurn(job: NamedDelivery & DeliverJob, priority: number): Promise<void> {
    const lane = laneOf(priority);
    const turn = await this.#slots.hold(priority, () => this.#send(job, lane));
    if (turn === null) {
      return;
    }
    if ('attempt' in turn) {
      await this.#recorder.record(turn.attempt).finally(() => this.#outcomes.give());
      this.metrics.recorded(lane, turn.attempt);
      return;
    }
    this.metrics.putOff(lane);
    // On the beat, so that those of all endpoints share a statement: nobody waits for it.
    await delay(PUT_OFF_BEAT_MS - (performance.now() % PUT_OFF_BEAT_MS));
    await this.#putOffs.runOne({
      deliveryId: turn.delivery.id,
      attemptNumber: turn.delivery.attemptNumber,
      inMs: turn.putOffMs,
      priority: LANES[laneAfterPutOff(lane)].priority,
    });
  }

  /** Either the attempt that was made, or for how long the delivery is to be put off; null: it is not due. */
  async #send(
    job: NamedDelivery & DeliverJob,
    lane: Lane,
  ): Promise<{ attempt: FinishedAttempt } | { delivery: DueDelivery; putOffMs: number } | null> {
    await this.deps.fence.opened();
    const delivery = knownStill(job) ?? (await this.#loads.runOne(job));
    if (delivery === null) {
      return null;
    }
    const turn = await this.gate.enter({
      ...delivery,
      origin: findUrl(delivery.url)?.origin ?? delivery.url,
    });
    if ('putOffMs' in turn) {
      return { delivery, putOffMs: turn.putOffMs };
    }
    this.#done[lane] += 1;
    const attempt = await this.#attempt(delivery, turn.pass);
    if (attempt === null) {
      return { delivery, putOffMs: this.#proxyOutage.putOffMs };
    }
    this.metrics.attempted(lane, attempt, idToDate(delivery.id));
    await this.#outcomes.take(0);
    return { attempt };
  }

  /** Null when no request could leave, which is nobody's failure: no attempt is burned. */
  async #attempt(delivery: DueDelivery, pass: Pass): Promise<FinishedAttempt | null> {
    const trace = traceAttempt(this.deps.tracing, delivery);
    try {
      const startedAt = this.deps.clock();
      const request = await this.#sign(delivery, startedAt);
      Object.assign(request.headers, trace?.headers);
      const result = await this.deps.sender.send(delivery.url, request);
      const outcome = judge(result, this.deps.clock());
      pass.leave(strainOf(outcome, result));
      trace?.ended(outcome, result);
      const retryInMs = this.#plan(delivery, outcome);
      return { delivery, startedAt, requestHeaders: request.headers, result, outcome, retryInMs };
    } catch (error) {
      if (!(error instanceof EgressProxyAway)) {
        throw error;
      }
      pass.leave();
      await this.#proxyOutage.noticed(error);
      return null;
    } finally {
      pass.leave();
      trace?.notMade();
    }
  }

  async #sign(delivery: DueDelivery, at: Date): Promise<DeliveryRequest> {
    const { headerPrefix, standardWebhooks } = this.deps.config.delivery;
    return deliveryRequest({
      deliveryId: delivery.id,
      eventType: delivery.eventType,
      body: delivery.body,
      keys: await this.#keys.of(delivery),
      at,
      headerPrefix,
      standardWebhooks,
      userAgent: `Hookwright/${version}`,
    });
  }

  /** Milliseconds until the next attempt, or null when this was the last. */
  #plan(delivery: DueDelivery, outcome: Outcome): number | null {
    if (outcome.verdict !== 'FAILED') {
      return null;
    }
    const wait = retryDelayMs(this.deps.config.retry, delivery.failuresBefore + 1, outcome.retryAfterMs);
    return wait === 'EXHAUSTED' ? null : wait;
  }
}

const noneDone = (): Record<Lane, number> => ({ TEST: 0, FIRST: 0, CROWDED: 0, RETRY: 0, BULK: 0 });
