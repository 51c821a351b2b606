import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Answer } from '../../daemon/gate/answer.js';
import type { Permit } from '../../daemon/gate/entry.js';
import { Gate } from '../../daemon/gate/gate.js';
import { Chance } from '../seed/chance.js';

const GOOD: Answer = { kind: 'GOOD', outcome: { verdict: 'SUCCEEDED' } };
const TIMED_OUT: Answer = {
  kind: 'STRAINED',
  outcome: { verdict: 'FAILED', errorCode: 'TIMEOUT', retryAfterMs: null, closing: null },
};
const SLOTS = 200;
/** About as long as a put-off takes until its job is written, and a call until its delivery is there. */
const WRITE_MS = 60;
const COME_MS = 40;
const STEP_MS = 10;
const ATTEMPT_MS_MAX = 15_000;

interface Receiver {
  tenantId: number;
  perSecond: number;
  /** Null: it never answers. */
  answerMs: readonly [from: number, to: number] | null;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A gate among receivers, with a clock of its own. Deliveries come as from the runner. */
class Traffic {
  readonly #chance = new Chance(46);
  readonly #gate = new Gate({
    slots: SLOTS,
    endpointMax: 64,
    originMax: 256,
    streakMsMin: 10_000,
    rates: { takeTimes: async () => [], findLeft: async () => [] },
    callBack: async (ids) => {
      setTimeout(() => ids.forEach((id) => void this.#send(id)), COME_MS);
      return ids;
    },
  });
  readonly #deliveries: { webhookId: number; madeAtMs: number; sentAtMs: number | null }[] = [];
  readonly inFlight: number[];
  heldMost = 0;

  constructor(private readonly receivers: readonly Receiver[]) {
    this.inFlight = receivers.map(() => 0);
  }

  get #all(): number {
    return this.inFlight.reduce((sum, count) => sum + count, 0);
  }

  get idleSlotSeconds(): number {
    return this.#gate.idleSlotSeconds;
  }

  async run(seconds: number): Promise<void> {
    this.heldMost = 0;
    for (let passedMs = 0; passedMs < seconds * 1000; passedMs += STEP_MS) {
      for (const [webhookId, { perSecond }] of this.receivers.entries()) {
        if (this.#chance.next() < (perSecond * STEP_MS) / 1000) {
          this.#deliveries.push({ webhookId, madeAtMs: performance.now(), sentAtMs: null });
          void this.#send(this.#deliveries.length - 1);
        }
      }
      await vi.advanceTimersByTimeAsync(STEP_MS);
      const waiting = this.#gate.states().reduce((sum, state) => sum + state.waiting, 0);
      this.heldMost = Math.max(this.heldMost, this.#all + waiting);
    }
  }

  async #send(id: number): Promise<void> {
    const delivery = this.#deliveries[id]!;
    const { tenantId } = this.receivers[delivery.webhookId]!;
    const origin = `https://${delivery.webhookId}.example`;
    const health = { generation: 0, failuresAtLoad: 0, closedForMs: 0, nextProbeInMs: 0, content: null };
    const candidate = { id, webhookId: delivery.webhookId, tenantId, url: `${origin}/`, ...health };
    const entry = await this.#gate.enter(candidate, 'FIRST', origin);
    if ('putOffMs' in entry) {
      setTimeout(() => entry.ended?.(true), WRITE_MS);
    } else {
      delivery.sentAtMs ??= performance.now();
      this.#answer(delivery.webhookId, entry);
    }
  }

  #answer(webhookId: number, permit: Permit): void {
    const { answerMs } = this.receivers[webhookId]!;
    const [fromMs, toMs] = answerMs ?? [ATTEMPT_MS_MAX, ATTEMPT_MS_MAX];
    this.inFlight[webhookId]! += 1;
    setTimeout(
      () => {
        this.inFlight[webhookId]! -= 1;
        permit.giveBack(answerMs === null ? TIMED_OUT : GOOD);
      },
      fromMs + this.#chance.next() * (toMs - fromMs),
    );
  }

  /** The lag that one in a hundred exceeds, of what became due from then on. */
  p99Ms(webhookId: number, fromMs: number): number {
    const lags = this.#deliveries
      .filter((one) => one.webhookId === webhookId && one.madeAtMs >= fromMs)
      .map(({ madeAtMs, sentAtMs }) => (sentAtMs ?? Number.POSITIVE_INFINITY) - madeAtMs)
      .sort((a, b) => a - b);
    return lags[Math.floor(lags.length * 0.99)]!;
  }
}

const SLOW = [
  [7000, 8000],
  [8000, 12_000],
  [5000, 11_000],
  [9000, 13_000],
] as const;
const quick: Receiver = { tenantId: 0, perSecond: 16, answerMs: [450, 1200] };

test.each([
  { whose: 'other tenants', tenantOf: (index: number) => index + 1 },
  { whose: 'its own tenant', tenantOf: () => 0 },
])('an endpoint that needs few slots is not late beside slow ones of $whose, who divide the rest', async (way) => {
  const slow = SLOW.map((answerMs, index) => ({ tenantId: way.tenantOf(index), perSecond: 16, answerMs }));
  const traffic = new Traffic([quick, ...slow]);
  await traffic.run(20);
  const settledAt = performance.now();
  const idleBefore = traffic.idleSlotSeconds;
  await traffic.run(20);

  expect(traffic.p99Ms(0, settledAt)).toBeLessThan(200);
  expect((traffic.idleSlotSeconds - idleBefore) / (20 * SLOTS)).toBeLessThan(0.01);
  for (const inFlight of traffic.inFlight.slice(1)) {
    expect(inFlight).toBeGreaterThan(41.75 * 0.75);
    expect(inFlight).toBeLessThan(41.75 * 1.25);
  }
});

test('a tenant with 300 endpoints that hang delays no other one', async () => {
  const hanging = Array.from({ length: 300 }, (): Receiver => ({ tenantId: 1, perSecond: 1, answerMs: null }));
  const traffic = new Traffic([quick, ...hanging]);
  await traffic.run(16);
  const startedAt = performance.now();
  await traffic.run(20);
  expect(traffic.p99Ms(0, startedAt)).toBeLessThan(200);
  expect(traffic.heldMost).toBeLessThanOrEqual(SLOTS); // else the quick one would wait for a place at the gate
});
