import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Settling } from '../../daemon/settling.js';
import type { SettlePayload } from '../../src/operations/enqueue.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver } from '../support/receiver.js';

const payload = (webhookId: number): SettlePayload => ({ tenantId: 1, webhookId });

describe('turns of settling webhooks', () => {
  /** Each turn lasts until it is ended; the clock stands still until it is moved. */
  function settlingBy(concurrency: number) {
    const turns: { webhookId: number; end: () => void }[] = [];
    const putOffs: { webhookId: number; inMs: number }[] = [];
    const clock = { ms: 0 };
    const fence = { ending: false };
    const settling = new Settling({
      fence,
      concurrency,
      settle: ({ webhookId }) => new Promise((end) => turns.push({ webhookId, end })),
      putOff: async ({ webhookId }, inMs) => void putOffs.push({ webhookId, inMs }),
      now: () => clock.ms,
    });
    return { turns, putOffs, clock, fence, settling };
  }

  test('two are settled at once, a tenth of the jobs in hand waits, and the others come again when it is their turn', async () => {
    const { turns, putOffs, clock, settling } = settlingBy(30);
    const first = settling.run(payload(0));
    await eventually(() => turns[0]);
    clock.ms += 4_000;
    turns[0]?.end();
    await first; // a quarter of it is the mean now: 1,000 ms, for two at once
    const asked = Array.from({ length: 8 }, (_, n) => settling.run(payload(n + 1)));
    await eventually(() => turns[2]);
    expect(turns.slice(1).map(({ webhookId }) => webhookId)).toEqual([1, 2]);
    expect(putOffs).toEqual([
      { webhookId: 6, inMs: 2_000 },
      { webhookId: 7, inMs: 2_500 },
      { webhookId: 8, inMs: 3_000 },
    ]);
    for (let n = 1; n <= 5; n += 1) {
      await eventually(() => turns[n]);
      turns[n]?.end();
    }
    await Promise.all(asked);
    expect(turns.map(({ webhookId }) => webhookId)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('nobody is put off for longer than the sweep waits, nor for what was put off long ago', async () => {
    const { turns, putOffs, clock, settling } = settlingBy(10);
    const first = settling.run(payload(0));
    await eventually(() => turns[0]);
    clock.ms += 8_000;
    turns[0]?.end();
    await first;
    for (let n = 1; n <= 100; n += 1) {
      settling.run(payload(n));
    }
    expect(Math.max(...putOffs.map(({ inMs }) => inMs))).toBe(25_000);
    clock.ms += 24_000;
    await settling.run(payload(101));
    expect(putOffs.at(-1)).toEqual({ webhookId: 101, inMs: 2_000 });
  });

  test('who still waits when the daemon ends leaves it to another one', async () => {
    const { turns, putOffs, fence, settling } = settlingBy(10);
    const asked = [1, 2, 3].map((webhookId) => settling.run(payload(webhookId)));
    await eventually(() => turns[1]);
    fence.ending = true;
    for (const { end } of turns) {
      end();
    }
    await Promise.all(asked);
    expect(turns).toHaveLength(2);
    expect(putOffs).toEqual([{ webhookId: 3, inMs: 0 }]);
  });
});

describe('a hundred webhooks that are enabled at once', () => {
  let stack: DeliveryStack;
  let receiver: Receiver;
  beforeAll(async () => {
    stack = await DeliveryStack.open({ DELIVERY_CONCURRENCY: '10' });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await stack[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  test('all send what was held for them, however few turns there are', async () => {
    for (let n = 0; n < 100; n += 1) {
      await stack.webhook(receiver.url);
    }
    await stack.emit();
    await stack.rows(
      `update hookwright.deliveries set status = 'HELD';
       delete from graphile_worker._private_jobs;
       select hookwright.enqueue_settle(id, tenant_id) from hookwright.webhooks`,
    );
    stack.startDaemon();
    await eventually(async () => (await stack.deliveries("status = 'SUCCEEDED'")).length === 100, 20_000);
    await eventually(
      async () =>
        (await stack.rows(`select from graphile_worker._private_jobs where key like 'w:%'`)).length === 0,
    );
  });
});
