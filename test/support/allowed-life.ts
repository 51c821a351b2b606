import { judge, type SendResult } from '../../src/domain/deliveries/outcome.js';
import { retryInMsOf } from '../../src/domain/deliveries/retry-policy.js';
import { LANES } from '../../src/domain/pacing/lanes.js';
import { PAUSE_MS_MAX } from '../../src/domain/pacing/probes.js';
import { uncalledMs } from '../../src/domain/pacing/put-off-times.js';
import { takeTimes } from '../../src/operations/attempts/endpoint-rates.js';
import type { FinishedAttempt } from '../../src/operations/attempts/finished-attempt.js';
import { type DueDelivery, loadDeliveries } from '../../src/operations/attempts/load-deliveries.js';
import { putOffDeliveries } from '../../src/operations/attempts/put-off.js';
import { recordAttempts } from '../../src/operations/attempts/record-attempts.js';
import { turnAwayDeliveries } from '../../src/operations/attempts/turn-away-deliveries.js';
import { alignWronglyHeld } from '../../src/operations/deliveries/rescue-deliveries.js';
import { scheduleDeliveries } from '../../src/operations/deliveries/schedule-deliveries.js';
import { setJobAside } from '../../src/operations/jobs/quarantined-jobs.js';
import { scheduleEvent } from '../../src/operations/scheduled/schedule-event.js';
import { probeDisabled } from '../../src/operations/webhooks/probe-webhooks.js';
import type { Answered, Happening, Life, Options } from './allowed-lives.js';
import type { DeliveryStack } from './delivery-stack.js';
import { couponEmit } from './factories.js';
import { failJobs, fetchJobs } from './jobs.js';

const POOL = 'pool-of-test';

/** An installation in which nothing happens but what is allowed, by the operations that do it. */
export class AllowedLife {
  /** By webhook. */
  readonly #options = new Map<number, Options>();

  constructor(private readonly stack: DeliveryStack) {}

  async live({ endpoints, happenings }: Life): Promise<void> {
    for (const options of endpoints) {
      const { id } = await this.stack.webhook('https://receiver.example.com/');
      await this.#change(id, options);
      await this.#emit('a');
    }
    const webhooks = [...this.#options.keys()];
    for (const [index, one] of happenings) {
      await this.#happens(webhooks[index % webhooks.length]!, one);
    }
  }

  async #happens(webhook: number, one: Happening): Promise<void> {
    const { stack } = this;
    const { pool } = stack.services.db;
    switch (one.kind) {
      case 'emit':
        return await this.#emit(one.key);
      case 'attempts':
        return await this.#attempts(webhook, one.answer);
      case 'change':
        return await this.#change(webhook, one.options);
      case 'putOff':
        return await this.#putOff(webhook, one.chance);
      case 'schedule':
        await scheduleEvent(stack.services.db, { ...couponEmit(stack.tenantId), deliverAt: null, ...one });
        return;
      case 'replaced':
        return await this.#replaceRunning(webhook);
      case 'failed':
        // Four fetches make no suspect.
        await fetchJobs(stack, POOL, `attempts < 4 and run_at <= now() and locked_by is null and key is not null`);
        await failJobs(stack, POOL, 'Query read timeout');
        return;
      case 'finishedAside':
        return await this.#finishAside(webhook);
      case 'turnedAway':
        return await this.#turnAway(webhook);
      case 'pause':
      case 'resume':
        return await this.#switch(webhook, { active: one.kind === 'resume' });
      case 'keep':
        return await this.#switch(webhook, { active: true, held: 'KEEP' });
      case 'sweep':
        await scheduleDeliveries(pool);
        await alignWronglyHeld(pool);
        await probeDisabled(pool, 'MANUAL');
        return;
      case 'wait':
        return await this.#wait(webhook);
    }
  }

  async #change(webhook: number, options: Options): Promise<void> {
    this.#options.set(webhook, options);
    await this.stack.change(webhook, options);
    await this.stack.align(webhook);
  }

  async #switch(webhook: number, change: { active: boolean; held?: 'KEEP' }): Promise<void> {
    const { active } = await this.stack.webhookRow(webhook);
    if (active !== change.active) {
      await this.stack.change(webhook, change);
      await this.stack.align(webhook);
    }
  }

  async #emit(orderingKey: string | null): Promise<void> {
    await this.stack.services.emitter.emit([couponEmit(this.stack.tenantId, { orderingKey })]);
  }

  #pending(webhook: number) {
    return this.stack.deliveries(`webhook_id = ${webhook} and status = 'PENDING'`);
  }

  async #due(webhook: number): Promise<DueDelivery[]> {
    const pending = await this.#pending(webhook);
    const named = pending.map(({ id, attempt_count }) => ({ id: Number(id), attempt: attempt_count + 1 }));
    const loaded = await loadDeliveries(this.stack.services.db.pool, named);
    return loaded.filter((one) => typeof one === 'object');
  }

  async #toSend(webhook: number): Promise<DueDelivery[]> {
    return (await this.#due(webhook)).filter(({ closedForMs }) => closedForMs <= 0);
  }

  async #attempts(webhook: number, answer: Answered): Promise<void> {
    const { db, config } = this.stack.services;
    const rules = { holdHours: config.holdHours, streakMsMin: 0 };
    for (const delivery of await this.#toSend(webhook)) {
      await recordAttempts(db.pool, [this.#attempt(delivery, answer)], rules, 1_000);
    }
    await this.stack.align(webhook);
  }

  #attempt(delivery: DueDelivery, { status, pauseSeconds }: Answered): FinishedAttempt {
    const result: SendResult = {
      kind: 'response',
      statusCode: status,
      headers: {},
      retryAfter: pauseSeconds === null ? undefined : String(pauseSeconds),
      body: Buffer.alloc(0),
      bodyTruncated: false,
      durationMs: 1,
    };
    const [startedAt, now] = [new Date(), performance.now()];
    const outcome = judge(result, startedAt);
    const { retryDelaysSeconds } = this.stack.services.config.deliveryDefaults;
    const delays = this.#options.get(delivery.webhookId)?.retryDelaysSeconds ?? retryDelaysSeconds;
    return {
      delivery,
      startedAt,
      startedAtMs: now,
      endedAtMs: now,
      isSameClosing: false,
      requestHeaders: {},
      result,
      outcome,
      retryInMs: retryInMsOf(delays, delivery.failuresBefore + 1, outcome),
    };
  }

  async #turnAway(webhook: number): Promise<void> {
    const turned = (await this.#pending(webhook)).map(({ id }) => ({ id, priority: LANES.RETRY.priority }));
    if (turned.length > 0) {
      await turnAwayDeliveries(this.stack.services.db.pool, turned);
    }
  }

  /** Behind a long backlog. */
  async #putOff(webhook: number, chance: number): Promise<void> {
    const due = await this.#due(webhook);
    const isRated = this.#options.get(webhook)?.ratePerSecond !== null;
    const wait = uncalledMs({ lane: 'FIRST', calledInMs: 10 * PAUSE_MS_MAX, isRated }, chance);
    const putOffs = due.map((delivery) => ({
      ...delivery,
      deliveryId: delivery.id,
      inMs: Math.max(0, delivery.closedForMs) + wait,
      priority: LANES.CROWDED.priority,
    }));
    await putOffDeliveries(this.stack.services.db.pool, putOffs);
  }

  /** Other jobs take the place of those that are running, whose end is not heard of: these are dead. */
  async #replaceRunning(webhook: number): Promise<void> {
    const { stack } = this;
    await fetchJobs(stack, POOL, `run_at <= now() and locked_by is null and key ~ '^d:'`);
    await this.#attempts(webhook, { status: 500, pauseSeconds: null });
    await stack.rows(`
      select hookwright.enqueue_deliveries(array_agg(id), array_agg(attempt_count + 1), array_agg(due_at), array_agg(0))
      from hookwright.deliveries where status = 'PENDING' and due_at <= now() having count(*) > 0`);
    await failJobs(stack, POOL, 'Query read timeout');
  }

  /** Suspects have succeeded, and the jobs that were put aside for them were locked by another session. */
  async #finishAside(webhook: number): Promise<void> {
    const { pool } = this.stack.services.db;
    for (const delivery of await this.#toSend(webhook)) {
      const payload = { id: delivery.id, attempt: delivery.attemptNumber };
      await setJobAside(pool, null, payload, { seconds: 3_600, fetches: 7 });
    }
    await this.#attempts(webhook, { status: 200, pauseSeconds: null });
  }

  /** What the endpoint makes wait has waited for long. A pause that is nearly over may end before the doctor looks. */
  async #wait(webhook: number): Promise<void> {
    const { pool } = this.stack.services.db;
    const perSecond = this.#options.get(webhook)?.ratePerSecond;
    const isSlow = perSecond === 0.01;
    for (let taken = 0; taken < 2 && isSlow; taken += 1) {
      await takeTimes(pool, [{ webhookId: webhook, perSecond, wanted: 5, givenBack: 0, nextMs: 0, lateMs: 0 }]);
    }
    await this.stack.rows(`
      update hookwright.deliveries d set due_at = due_at - interval '50 minutes'
      from hookwright.webhooks w
      where d.webhook_id = ${webhook} and w.id = d.webhook_id and status = 'PENDING' and due_at <= now()
        and (${isSlow} or w.closed_until > now() + interval '2 minutes')`);
  }
}
