import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { RealReceiver } from '../support/real-receiver.js';
import { openSlowNetwork } from '../support/slow-network.js';

/** Receivers as they are, and the rules as they are by default. */
describe.concurrent('an endpoint stays active', () => {
  test.each([
    [300, 30],
    [3_000, 100],
  ])('whose receiver is away for %i ms at %i events a second', async (awayMs, perSecond) => {
    await using site = await Site.open();
    const load = site.emitSteadily(perSecond, awayMs + 1_500);
    await delay(500);
    await site.receiver.goAway();
    await delay(awayMs);
    await site.receiver.comeBack();
    await load;
    await site.firstAttemptsAreMade();
    await site.isActive();
  });

  test.each(['answered', 'never'] as const)('whose receiver stalls, and what it got is %s', async (kind) => {
    await using site = await Site.open({ ATTEMPT_TIMEOUT_MS: '2000' });
    const load = site.emitSteadily(50, 5_500);
    await delay(500);
    site.receiver.behaviour.stall();
    await delay(2_500);
    site.receiver.behaviour.endStall(kind);
    await load;
    await site.firstAttemptsAreMade();
    await site.isActive();
  });

  test.each([1, null])('that takes 20 a second, and says 429 with Retry-After %s above that', async (seconds) => {
    const count = 120;
    await using site = await Site.open();
    site.receiver.behaviour.latencyMs = 20;
    site.receiver.behaviour.limitTo({ perSecond: 20, burst: 20, retryAfterSeconds: seconds });
    await Promise.all(Array.from({ length: count }, () => site.stack.emit()));
    await site.firstAttemptsAreMade();
    await site.isActive();
    const refused = site.receiver.arrivals.filter(({ status }) => status === 429).length;
    expect(refused).toBeLessThan(count / 4);
  });

  test('whose receiver, 50 ms away, closes its idle connections again and again', async () => {
    await using site = await Site.open({}, 50);
    const load = site.emitSteadily(80, 3_000);
    for (let reload = 0; reload < 10; reload++) {
      await delay(250);
      site.receiver.closeIdle();
    }
    await load;
    await site.firstAttemptsAreMade();
    expect(await site.failures()).toBe(0);
  });
});

describe.concurrent('a restart of a receiver', () => {
  test.each([
    ['1 daemon', 1, false],
    ['2 daemons', 2, false],
    ['1 daemon, over connections that were used before', 1, true],
  ])('counts once, however many requests it ends: %s', async (_, daemons, reused) => {
    await using site = await Site.open({ ENDPOINT_CONCURRENCY_MAX: '6' });
    if (daemons === 2) {
      site.stack.startDaemon();
    }
    if (reused) {
      site.receiver.behaviour.latencyMs = 50;
      await site.stack.emits(12);
      await eventually(() => site.receiver.arrivals.length === 12 && site.receiver.inFlight === 0);
    }
    site.receiver.behaviour.latencyMs = null;
    await site.stack.emits(6);
    await eventually(() => site.receiver.inFlight === 6);
    await site.receiver.goAway();
    await eventually(async () => (await site.failures()) === 6);
    expect(await site.stack.webhookRow(site.webhookId)).toMatchObject({ active: true, consecutive_failures: 1 });
  });

  test('does not disable its webhook a second time within a streak, though its answers take long', async () => {
    // As with 5 to 11 s, restarts of 1.5 s and the usual 10 s, in a fifth of the time.
    await using site = await Site.open({ DISABLE_AFTER_SECONDS_MIN: '2' });
    let requests = 0;
    Object.defineProperty(site.receiver.behaviour, 'latencyMs', { get: () => 1_000 + 300 * (requests++ % 5) });
    const load = site.emitSteadily(10, 8_000);
    await delay(2_500);
    for (const untilNextMs of [2_600, 0]) {
      await site.receiver.goAway();
      await delay(300);
      await site.receiver.comeBack();
      await delay(untilNextMs);
    }
    await load;
    await site.firstAttemptsAreMade();
    await site.isActive();
  });
});

describe.concurrent('deliveries', () => {
  test.each([1, 2])('of a dead endpoint disable it at the tenth failure: %i daemons', async (daemons) => {
    await using site = await Site.open();
    if (daemons === 2) {
      site.stack.startDaemon();
    }
    await site.receiver.goAway();
    const load = site.emitSteadily(30, 2_000);
    await eventually(async () => !(await site.stack.webhookRow(site.webhookId)).active, 40_000);
    await load;
    expect(await site.stack.webhookRow(site.webhookId)).toMatchObject({ consecutive_failures: 10 });
    const [row] = await site.stack.rows<{ seconds: number; failures: number }>(
      `select extract(epoch from disabled_at - (select min(started_at) from hookwright.attempts))::float8 as seconds,
              (select count(*)::integer from hookwright.attempts where error_code is not null) as failures
       from hookwright.webhooks`,
    );
    expect(row!.seconds).toBeGreaterThanOrEqual(9.9);
    if (daemons === 1) {
      // Those that are in flight at the tenth are recorded, too. A failing endpoint has few.
      expect(row!.failures).toBeGreaterThanOrEqual(10);
      expect(row!.failures).toBeLessThanOrEqual(14);
      expect(row!.seconds).toBeLessThan(20);
    }
  });

  test('to an endpoint that takes 600 ms keep up, and arrive in the order in which they were emitted', async () => {
    await using site = await Site.open();
    site.receiver.behaviour.latencyMs = 600;
    const emitted = await site.emitSteadily(20, 6_000);
    await site.firstAttemptsAreMade();
    expect(site.receiver.inFlightPeak).toBeGreaterThan(8);
    const lags = await site.lags(emitted);
    expect(Math.max(...lags.slice(60))).toBeLessThan(3_000);
  });

  test('that a slow spell has put off arrive within seconds of its end', async () => {
    await using site = await Site.open({ ENDPOINT_CONCURRENCY_MAX: '8' });
    site.receiver.behaviour.latencyMs = 2_000;
    const emitted = await site.emitSteadily(20, 5_000);
    const waiting = emitted.length - site.receiver.deliveries;
    expect(waiting).toBeGreaterThan(40);
    site.receiver.behaviour.latencyMs = 2;
    const endedAt = performance.now();
    await eventually(() => site.receiver.deliveries === emitted.length, 30_000);
    expect(performance.now() - endedAt).toBeLessThan(10_000);
  });
});

test('a backlog is gone within seconds of the recovery of an endpoint whose window had closed to one', async () => {
  await using site = await Site.open({ MAX_RETRIES: '0' });
  site.receiver.behaviour.latencyMs = 8;
  await site.receiver.goAway();
  const emitted = await site.emitSteadily(150, 6_000);
  await site.receiver.comeBack();
  const cameBackAt = performance.now();
  await site.firstAttemptsAreMade();
  // At most 4 s until the next look.
  expect(performance.now() - cameBackAt).toBeLessThan(14_000);
  expect(site.receiver.deliveries).toBeGreaterThan(emitted.length - 10);
});

/** A service with a daemon, one webhook, and its receiver, as far away as it is told. */
class Site implements AsyncDisposable {
  private constructor(
    readonly stack: DeliveryStack,
    readonly receiver: RealReceiver,
    readonly webhookId: number,
    private readonly closeNetwork: () => Promise<void>,
  ) {}

  static async open(settings: Record<string, string> = {}, oneWayMs = 0): Promise<Site> {
    const stack = await DeliveryStack.open({
      DISABLE_AFTER_SECONDS_MIN: '10',
      RETRY_BASE_SECONDS: '120',
      ...settings,
    });
    const receiver = await RealReceiver.start();
    const network = oneWayMs > 0 ? await openSlowNetwork({ to: Number(new URL(receiver.url).port), oneWayMs }) : null;
    const { id } = await stack.webhook(network === null ? receiver.url : `${network.url}/hook`);
    stack.startDaemon();
    return new Site(stack, receiver, id, async () => await network?.close());
  }

  /** @returns when each event was emitted, with its id */
  async emitSteadily(perSecond: number, ms: number): Promise<{ eventId: number; atMs: number }[]> {
    const startedAt = performance.now();
    const emits: Promise<{ eventId: number; atMs: number }>[] = [];
    for (let n = 0; (n * 1_000) / perSecond < ms; n++) {
      await delay(Math.max(0, startedAt + (n * 1_000) / perSecond - performance.now()));
      const atMs = performance.now();
      emits.push(this.stack.emit().then((eventId) => ({ eventId, atMs })));
    }
    return await Promise.all(emits);
  }

  /** Waits until each delivery has had an attempt. */
  async firstAttemptsAreMade(): Promise<void> {
    await eventually(async () => (await this.stack.deliveries('attempt_count = 0')).length === 0, 40_000);
  }

  async isActive(): Promise<void> {
    expect(await this.stack.webhookRow(this.webhookId)).toMatchObject({ active: true });
  }

  /** Attempts that failed. */
  async failures(): Promise<number> {
    return (await this.stack.rows('select from hookwright.attempts where error_code is not null')).length;
  }

  /** How long each delivery took from its emit until it came, ms. */
  async lags(emitted: readonly { eventId: number; atMs: number }[]): Promise<number[]> {
    const deliveries = await this.stack.rows<{ id: number; event_id: number }>(
      'select id, event_id from hookwright.deliveries',
    );
    const idOf = new Map(deliveries.map(({ id, event_id }) => [event_id, id]));
    return emitted.map(({ eventId, atMs }) => this.receiver.arrivalsOf(idOf.get(eventId)!)[0]! - atMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack[Symbol.asyncDispose]();
    await this.closeNetwork();
    await this.receiver[Symbol.asyncDispose]();
  }
}
