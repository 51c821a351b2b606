import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Permit } from '../../daemon/gate/entry.js';
import { Gate } from '../../daemon/gate/gate.js';

const SLOTS = 200;
/** About as long as a put-off takes until its job is written, and a call until its delivery is there. */
const WRITE_MS = 60;
const COME_MS = 40;
const STEP_MS = 1;

interface Kind {
  tenantId: number;
  firstWebhook: number;
  endpoints: number;
  answerMs: number;
  /** How long its content takes; null: it has none. */
  contentMs: number | null;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A gate with a clock of its own, before a thread that makes one content after the other, at each tenant's pace. */
class Traffic {
  readonly #gate = new Gate({
    slots: SLOTS,
    endpointMax: 64,
    originMax: 256,
    streakMsMin: 10_000,
    rates: { takeTimes: async () => [], findLeft: async () => [] },
    callBack: async (ids, here) => {
      expect(ids.every((id) => (this.#deliveries[id]!.contentMs !== null) === here)).toBe(true);
      setTimeout(() => ids.forEach((id) => void this.#enter(id)), COME_MS);
      return ids;
    },
  });
  readonly #deliveries: (Kind & { webhookId: number; madeAtMs: number; sentAtMs: number | null })[] = [];
  #toMake: { id: number; permit: Permit }[] = [];

  send(kind: Kind, perEndpoint = 1): void {
    for (let count = 0; count < kind.endpoints * perEndpoint; count++) {
      const webhookId = kind.firstWebhook + (count % kind.endpoints);
      this.#deliveries.push({ ...kind, webhookId, madeAtMs: performance.now(), sentAtMs: null });
      void this.#enter(this.#deliveries.length - 1);
    }
  }

  async run(ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += STEP_MS) {
      await vi.advanceTimersByTimeAsync(STEP_MS);
      this.#make();
    }
  }

  /** Requests in flight, contents among them that are to be made, and deliveries that wait for a permit. */
  held({ tenantId }: Kind): number {
    const states = this.#gate.states().filter((state) => state.tenantId === tenantId);
    return states.reduce((sum, { inFlight, waiting }) => sum + inFlight + waiting, 0);
  }

  sent({ tenantId }: Kind): { lateMs: number; webhookId: number }[] {
    return this.#deliveries.flatMap(({ sentAtMs, madeAtMs, webhookId, ...kind }) =>
      sentAtMs === null || kind.tenantId !== tenantId ? [] : [{ lateMs: sentAtMs - madeAtMs, webhookId }],
    );
  }

  async #enter(id: number): Promise<void> {
    const { webhookId, tenantId, contentMs } = this.#deliveries[id]!;
    const health = { generation: 0, failuresAtLoad: 0, closedForMs: 0, nextProbeInMs: 0 };
    const content = contentMs === null ? null : { id: webhookId, eventId: id };
    const origin = `https://${webhookId}.example`;
    const entry = await this.#gate.enter({ id, webhookId, tenantId, url: origin, content, ...health }, 'FIRST', origin);
    if ('putOffMs' in entry) {
      setTimeout(() => entry.ended?.(true), WRITE_MS);
    } else if (entry.making === null) {
      this.#answer(id, entry);
    } else {
      this.#toMake.push({ id, permit: entry });
    }
  }

  #make(): void {
    this.#toMake = this.#toMake.filter(({ id, permit }) => {
      const now = performance.now();
      const waits = permit.making!.pace.isOver(now);
      if (!waits) {
        permit.making!.end(now, this.#deliveries[id]!.contentMs!);
        this.#answer(id, permit);
      }
      return waits;
    });
  }

  #answer(id: number, permit: Permit): void {
    const delivery = this.#deliveries[id]!;
    delivery.sentAtMs ??= performance.now();
    setTimeout(() => permit.giveBack({ kind: 'GOOD', outcome: { verdict: 'SUCCEEDED' } }), delivery.answerMs);
  }
}

const DEAR: Kind = { tenantId: 1, firstWebhook: 1_000, endpoints: 95, answerMs: 5, contentMs: 5 };
const QUIET: Kind = { tenantId: 2, firstWebhook: 2_000, endpoints: 1, answerMs: 5, contentMs: null };

test('dear contents wait without slots while others are sent, and get all of their tenant’s time', async () => {
  const traffic = new Traffic();
  traffic.send(DEAR, 8);
  await traffic.run(1_000);
  const before = traffic.sent(DEAR).length;
  for (let count = 0; count < 100; count++) {
    traffic.send(QUIET);
    await traffic.run(50);
    expect(traffic.held(DEAR)).toBeLessThan(SLOTS / 4);
  }
  expect(traffic.sent(QUIET).filter(({ lateMs }) => lateMs === 0)).toHaveLength(100);
  // Five seconds, of which a fifth is theirs.
  const made = traffic.sent(DEAR).length - before;
  expect(made).toBeGreaterThan(0.8 * 200);
  expect(made).toBeLessThanOrEqual(1.05 * 200);
  await traffic.run(16_000);
  expect(traffic.sent(DEAR)).toHaveLength(95 * 8);
});

test('slots that a tenant cannot use for its contents are not kept for it', async () => {
  const traffic = new Traffic();
  const busy: Kind = { tenantId: 3, firstWebhook: 3_000, endpoints: 5, answerMs: 2_000, contentMs: null };
  traffic.send(DEAR, 20);
  await traffic.run(1_000);
  traffic.send(busy, 200);
  await traffic.run(10_000);
  expect(traffic.held(busy)).toBeGreaterThan(SLOTS / 2);
});

test('contents that take a moment never wait for their turn', async () => {
  const traffic = new Traffic();
  const ordinary: Kind = { tenantId: 4, firstWebhook: 4_000, endpoints: 50, answerMs: 5, contentMs: 0.02 };
  traffic.send(ordinary);
  await traffic.run(10);
  for (let count = 0; count < 20; count++) {
    traffic.send(ordinary);
    await traffic.run(20);
  }
  expect(traffic.sent(ordinary).filter(({ lateMs }) => lateMs <= STEP_MS)).toHaveLength(50 * 21);
});

test('plain deliveries of a tenant do not wait for its dear contents', async () => {
  const traffic = new Traffic();
  const plain: Kind = { tenantId: 1, firstWebhook: 1_500, endpoints: 1, answerMs: 5, contentMs: null };
  traffic.send(DEAR, 8);
  await traffic.run(1_000);
  for (let count = 0; count < 50; count++) {
    traffic.send(plain);
    await traffic.run(50);
  }
  const sent = traffic.sent(plain).filter(({ webhookId }) => webhookId === plain.firstWebhook);
  expect(sent.filter(({ lateMs }) => lateMs === 0)).toHaveLength(50);
});
