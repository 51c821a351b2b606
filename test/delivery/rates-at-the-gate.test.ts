import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Allowance, type Allowed } from '../../daemon/gate/allowance.js';
import { Gate } from '../../daemon/gate/gate.js';
import type { RateTables } from '../../daemon/gate/rates.js';
import type { Lane } from '../../src/domain/pacing/lanes.js';
import { burstOf, everyMsOf, TAKEN_AHEAD_MS } from '../../src/domain/pacing/request-rate.js';
import type { WantedTimes } from '../../src/operations/attempts/endpoint-rates.js';
import { Chance } from '../seed/chance.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  chanceFrom(1);
  tables = new Tables();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Daemons ask at moments that differ by chance, which is the same in each run. */
function chanceFrom(seed: number): void {
  vi.spyOn(Math, 'random').mockImplementation(new Chance(seed).next);
}

const ANSWER_MS = 20;
const COME_MS = 20;
const REPLY_MS = 2;

/** The row of each webhook, and the jobs of deliveries that were put off. */
class Tables {
  asked = 0;
  /** How long each of the next answers takes. */
  readonly slowMs: number[] = [];
  readonly #nextMs = new Map<number, number>();
  readonly putOff = new Map<number, number>();

  readonly rates: RateTables = {
    takeTimes: async (wanted) => {
      this.asked += 1;
      const granted = wanted.map((each) => this.#take(each, performance.now()));
      const slowMs = this.slowMs.shift() ?? REPLY_MS;
      await new Promise((resolve) => setTimeout(resolve, slowMs));
      return granted;
    },
    findLeft: async (webhooks) =>
      webhooks.flatMap(({ webhookId, isAlone }) => {
        const ids = [...this.putOff].filter(([, of]) => of === webhookId).map(([id]) => id);
        const isIdle = isAlone || (this.#nextMs.get(webhookId) ?? 0) < performance.now() - 1_000;
        const deliveries = isIdle ? ids.map((id) => ({ id, priority: 10 })) : [];
        return ids.length === 0 ? [] : [{ webhookId, isIdle, deliveries }];
      }),
  };

  #take({ webhookId, perSecond, wanted, givenBack, nextMs: knownMs, lateMs }: WantedTimes, nowMs: number) {
    const everyMs = everyMsOf(perSecond);
    const standsMs = this.#nextMs.get(webhookId) ?? 0;
    const freeMs = standsMs === knownMs ? standsMs - givenBack * everyMs : standsMs;
    const firstMs = Math.max(freeMs, nowMs - (burstOf(perSecond) - 1) * everyMs + lateMs);
    const count = Math.max(0, Math.min(wanted, Math.floor((nowMs + TAKEN_AHEAD_MS - firstMs) / everyMs) + 1));
    this.#nextMs.set(webhookId, firstMs + count * everyMs);
    return { webhookId, count, firstMs, nextMs: firstMs + count * everyMs, nowMs };
  }
}

let tables: Tables;

/** A daemon's gate. Deliveries come as from the runner, also those that were put off and called back. */
class Daemon {
  readonly sent: { id: number; atMs: number }[] = [];
  readonly lanes = new Map<number, Lane>();
  isDead = false;
  readonly gate = new Gate({
    slots: 200,
    endpointMax: 20,
    originMax: 256,
    streakMsMin: 10_000,
    rates: tables.rates,
    callBack: async (ids) => {
      const coming = ids.filter((id) => !this.isDead && tables.putOff.delete(id));
      setTimeout(() => coming.forEach((id) => void this.send(id)), COME_MS);
      return coming;
    },
  });

  constructor(private readonly allowed: Partial<Allowed>) {}

  async send(id: number, lane: Lane = 'FIRST'): Promise<void> {
    const at = { webhookId: 1, tenantId: 1, url: 'https://a.example/' };
    const open = { generation: 0, failuresAtLoad: 0, closedForMs: 0, nextProbeInMs: 0, content: null };
    const allowed = { ratePerSecond: null, concurrencyMax: null, ...this.allowed };
    const entry = await this.gate.enter({ id, ...at, ...open }, lane, 'https://a.example', allowed);
    if (this.isDead) {
      tables.putOff.set(id, 1);
    } else if ('giveBack' in entry) {
      this.sent.push({ id, atMs: performance.now() });
      setTimeout(() => entry.giveBack({ kind: 'GOOD', outcome: { verdict: 'SUCCEEDED' } }), ANSWER_MS);
    } else {
      setTimeout(() => {
        tables.putOff.set(id, 1);
        entry.ended?.(true);
      }, 50);
    }
  }

  sendAll(ids: readonly number[], lane?: Lane): void {
    ids.forEach((id) => void this.send(id, lane));
  }
}

const ids = (count: number, from = 1) => Array.from({ length: count }, (_, index) => from + index);
const sentBy = (...daemons: Daemon[]) => daemons.flatMap(({ sent }) => sent).toSorted((a, b) => a.atMs - b.atMs);
/** The most that began within any second. */
const mostInASecond = (sent: readonly { atMs: number }[]) =>
  Math.max(...sent.map(({ atMs }) => sent.filter((other) => other.atMs >= atMs && other.atMs < atMs + 1_000).length));

describe('a rate', () => {
  test.each([0.5, 3, 10, 40, 200])('of %d a second is kept and used up by two daemons', async (perSecond) => {
    const daemons = [new Daemon({ ratePerSecond: perSecond }), new Daemon({ ratePerSecond: perSecond })];
    const count = Math.ceil(perSecond * 10);
    daemons[0]!.sendAll(ids(count / 2));
    daemons[1]!.sendAll(ids(count - Math.floor(count / 2), count));
    await vi.advanceTimersByTimeAsync(12_500);
    const sent = sentBy(...daemons);
    expect(sent).toHaveLength(count);
    const tookMs = sent.at(-1)!.atMs - sent[0]!.atMs;
    expect(tookMs).toBeGreaterThanOrEqual(((count - burstOf(perSecond)) / perSecond) * 1_000 - 50);
    expect(tookMs).toBeLessThanOrEqual(11_500);
    expect(mostInASecond(sent)).toBeLessThanOrEqual(perSecond + burstOf(perSecond) + 1);
  });

  test('sends the oldest first, and what a person waits for before all others', async () => {
    const daemon = new Daemon({ ratePerSecond: 10 });
    daemon.sendAll(ids(20));
    await vi.advanceTimersByTimeAsync(1_000);
    void daemon.send(100, 'TEST');
    await vi.advanceTimersByTimeAsync(2_000);
    const order = daemon.sent.map(({ id }) => id);
    expect(order.filter((id) => id < 100)).toEqual(ids(20));
    expect(order.indexOf(100)).toBeLessThan(15);
  });

  test('delays nobody who stays below it, after the first second', async () => {
    const daemon = new Daemon({ ratePerSecond: 100 });
    const late: number[] = [];
    for (const id of ids(200)) {
      const cameAtMs = performance.now();
      void daemon.send(id);
      await vi.advanceTimersByTimeAsync(20);
      const sentAtMs = daemon.sent.find((each) => each.id === id)?.atMs ?? Number.POSITIVE_INFINITY;
      late.push(sentAtMs - cameAtMs);
    }
    expect(daemon.sent).toHaveLength(200);
    expect(late.slice(50).filter((ms) => ms > 10).length).toBeLessThan(10);
  });

  test('asks for times at most five times a second, and only for endpoints that have one', async () => {
    const daemon = new Daemon({ ratePerSecond: 50 });
    daemon.sendAll(ids(500));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(tables.asked).toBeGreaterThan(15);
    expect(tables.asked).toBeLessThanOrEqual(26);
    await vi.advanceTimersByTimeAsync(10_000);
    tables.asked = 0;
    new Daemon({}).sendAll(ids(500, 1_000));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(tables.asked).toBe(0);
  });

  test('of a daemon that dies is used by the others, who send what it put off', async () => {
    const [dies, lives] = [new Daemon({ ratePerSecond: 10 }), new Daemon({ ratePerSecond: 10 })];
    dies.sendAll(ids(50));
    lives.sendAll(ids(50, 51));
    await vi.advanceTimersByTimeAsync(3_000);
    dies.isDead = true;
    // The times that it had are lost, and the others look for what is left every few seconds.
    await vi.advanceTimersByTimeAsync(20_000);
    // Perhaps the one that was being sent.
    expect(sentBy(dies, lives).length).toBeGreaterThanOrEqual(99);
    expect(mostInASecond(sentBy(dies, lives))).toBeLessThanOrEqual(11);
  });

  test('of a daemon that dies is used by one that has met only a single delivery of the endpoint', async () => {
    const [dies, lives] = [new Daemon({ ratePerSecond: 10 }), new Daemon({ ratePerSecond: 10 })];
    dies.sendAll(ids(50));
    await vi.advanceTimersByTimeAsync(1_000);
    dies.isDead = true;
    await vi.advanceTimersByTimeAsync(2_000);
    void lives.send(51);
    await vi.advanceTimersByTimeAsync(7_000);
    expect(sentBy(dies, lives).length).toBeGreaterThanOrEqual(50);
    expect(mostInASecond(sentBy(dies, lives))).toBeLessThanOrEqual(11);
  });

  // With the last two, one daemon gave back times that the other one had taken.
  test.each([
    { slowMs: [150], seed: 1 },
    { slowMs: [80, 2, 50], seed: 1 },
    { slowMs: [40, 30, 2], seed: 1 },
    { slowMs: [40, 30, 2], seed: 114 },
    { slowMs: [40, 30, 2], seed: 127 },
  ])('is kept when the first answers are late: %o', async ({ slowMs, seed }) => {
    chanceFrom(seed);
    tables.slowMs.push(...slowMs);
    const daemons = [new Daemon({ ratePerSecond: 10 }), new Daemon({ ratePerSecond: 10 })];
    daemons[0]!.sendAll(ids(50));
    await vi.advanceTimersByTimeAsync(1_000);
    daemons[1]!.sendAll(ids(50, 51));
    await vi.advanceTimersByTimeAsync(11_000);
    expect(sentBy(...daemons)).toHaveLength(100);
    expect(mostInASecond(sentBy(...daemons))).toBeLessThanOrEqual(11);
  });

  test('gives back times of this daemon alone, though it has heard of later ones that another daemon took', () => {
    const allowance = new Allowance({ endpointMax: 20, daemons: 2, streakMsMin: 0 });
    const clock = { toOurs: (serverMs: number) => serverMs, openMs: 0 };
    allowance.learn({ ratePerSecond: 10, concurrencyMax: null });
    allowance.granted({ webhookId: 1, firstMs: 0, count: 1, nextMs: 100, nowMs: 0 }, clock, 0);
    allowance.granted({ webhookId: 1, firstMs: 300, count: 0, nextMs: 300, nowMs: 0 }, clock, 0);
    // The table gives back only what ends where its row does.
    expect(allowance.timesWanted(200, 5)).toMatchObject({ givenBack: 1, nextMs: 100 });
  });

  test.each([1, 2, 5])('gives each of %d daemons a time that much less often', (daemons) => {
    const allowance = new Allowance({ endpointMax: 20, daemons, streakMsMin: 0 });
    allowance.learn({ ratePerSecond: 10, concurrencyMax: null });
    expect(allowance.everyMs).toBe(100 * daemons);
  });

  test('is used up where every answer of Postgres takes long', async () => {
    tables.slowMs.push(...Array.from({ length: 200 }, () => 120));
    const daemon = new Daemon({ ratePerSecond: 10 });
    daemon.sendAll(ids(100));
    await vi.advanceTimersByTimeAsync(12_500);
    expect(daemon.sent).toHaveLength(100);
    expect(mostInASecond(daemon.sent)).toBeLessThanOrEqual(11);
  });

  test('that is lower than what comes puts the endpoint behind', async () => {
    const daemon = new Daemon({ ratePerSecond: 5 });
    daemon.sendAll(ids(250));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(daemon.gate.behind).toBe(0);
    daemon.sendAll(ids(250, 251));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(daemon.gate.behind).toBe(1);
  });
});

describe('the most requests at a time that a webhook sets', () => {
  test.each([
    { concurrencyMax: 1, daemons: 1, most: 1 },
    { concurrencyMax: 10, daemons: 3, most: 3 },
    { concurrencyMax: 2, daemons: 3, most: 1 },
    { concurrencyMax: 500, daemons: 2, most: 20 },
  ])('is divided by the daemons: %o', async ({ concurrencyMax, daemons, most }) => {
    const daemon = new Daemon({ concurrencyMax });
    daemon.gate.daemons = daemons;
    let heldMost = 0;
    daemon.sendAll(ids(600));
    for (let at = 0; at < 4_000; at += 5) {
      await vi.advanceTimersByTimeAsync(5);
      heldMost = Math.max(heldMost, daemon.gate.states()[0]!.inFlight);
    }
    expect(heldMost).toBe(most);
  });
});
