import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PacedWork } from '../../daemon/jobs/paced-work.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { countJobs, deleteJobs, OF_WEBHOOKS } from '../support/jobs.js';
import { type Receiver, startReceiver } from '../support/receiver.js';

describe('long work in pieces', () => {
  interface Work {
    tenantId: number;
    name: string;
  }
  /** Pieces of work that run until the test ends them; the clock moves when the test says so. */
  function pacedWork(waitingMax: number) {
    const begun: { name: string; restInMs: () => number; end: () => void }[] = [];
    const putOffs: { name: string; inMs: number }[] = [];
    const clock = { ms: 0 };
    const fence = { ending: false };
    const paced = new PacedWork<Work>({
      fence,
      atOnce: 2,
      waitingMax,
      work: ({ name }, restInMs) => new Promise<void>((end) => begun.push({ name, restInMs, end })),
      putOff: async ({ name }, inMs) => void putOffs.push({ name, inMs }),
      now: () => clock.ms,
    });
    /** The first piece, which shows how long one takes. */
    const learn = async (ms: number) => {
      const first = paced.run({ tenantId: 0, name: 'first' });
      await eventually(() => begun[0]);
      clock.ms += ms;
      begun[0]!.end();
      await first;
      begun.splice(0);
    };
    return { begun, putOffs, clock, fence, paced, learn };
  }

  test('two have theirs at once, some wait, and the others come again when it is their turn', async () => {
    const { begun, putOffs, paced, learn } = pacedWork(2);
    await learn(400); // a quarter of it is the mean: 100 ms, for two at once
    const asked = ['a', 'b', 'c', 'd', 'e', 'f'].map((name, tenantId) => paced.run({ tenantId, name }));
    await eventually(() => begun[1]);
    expect(putOffs).toEqual([
      { name: 'e', inMs: 300 },
      { name: 'f', inMs: 350 },
    ]);
    for (let n = 0; n < 4; n += 1) {
      await eventually(() => begun[n]);
      begun[n]!.end();
    }
    await Promise.all(asked);
    expect(begun.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('nobody waits who would wait for long', async () => {
    const { begun, putOffs, paced, learn } = pacedWork(50);
    await learn(4_000);
    const asked = ['a', 'b', 'c', 'd', 'e'].map((name) => paced.run({ tenantId: 1, name }));
    await eventually(() => begun[1]);
    expect(putOffs).toEqual([{ name: 'e', inMs: 1_500 }]);
    for (let n = 0; n < 4; n += 1) {
      await eventually(() => begun[n]);
      begun[n]!.end();
    }
    await Promise.all(asked);
  });

  test('but who has nothing here waits all the same: others have it done one turn later, whatever one tenant has put off', async () => {
    const { begun, putOffs, paced, learn } = pacedWork(50);
    await learn(4_000);
    const asked = Array.from({ length: 40 }, (_, n) => paced.run({ tenantId: 1, name: `long ${n}` }));
    expect(putOffs).toHaveLength(36);
    asked.push(paced.run({ tenantId: 2, name: 'of another' }));
    expect(putOffs).toHaveLength(36);
    for (let n = 0; n < 5; n += 1) {
      await eventually(() => begun[n]);
      begun[n]!.end();
    }
    await Promise.all(asked);
    expect(begun.at(-1)?.name).toBe('of another');
  });

  test('a tenant has half of the places, and the rest of its long work comes after what others have put off', async () => {
    const { begun, putOffs, clock, paced, learn } = pacedWork(2);
    await learn(400);
    const asked = ['a', 'b', 'c'].map((name) => paced.run({ tenantId: 1, name }));
    asked.push(paced.run({ tenantId: 2, name: 'of another' }));
    await eventually(() => begun[1]);
    expect(putOffs).toEqual([{ name: 'c', inMs: 300 }]);
    expect(begun[0]!.restInMs()).toBe(350);
    for (let n = 0; n < 3; n += 1) {
      await eventually(() => begun[n]);
      begun[n]!.end();
    }
    await Promise.all(asked);
    clock.ms += 2_000;
    expect(begun[0]!.restInMs()).toBe(0);
  });

  test('nobody is put off for a moment only, nor for longer than the sweeps wait', async () => {
    const { begun, putOffs, paced, learn } = pacedWork(0);
    const asked = [1, 2, 3].map((tenantId) => paced.run({ tenantId, name: 'new' }));
    await eventually(() => begun[1]);
    expect(putOffs).toEqual([{ name: 'new', inMs: 250 }]);
    begun.forEach(({ end }) => {
      end();
    });
    await Promise.all(asked);
    begun.splice(0);
    await learn(80_000);
    for (let tenantId = 1; tenantId <= 100; tenantId += 1) {
      void paced.run({ tenantId, name: 'many' });
    }
    expect(putOffs.at(-1)).toEqual({ name: 'many', inMs: 25_000 });
  });

  test('who still waits when the daemon ends leaves it to another one', async () => {
    const { begun, putOffs, fence, paced } = pacedWork(2);
    const asked = [1, 2, 3].map((tenantId) => paced.run({ tenantId, name: String(tenantId) }));
    await eventually(() => begun[1]);
    fence.ending = true;
    for (const { end } of begun) {
      end();
    }
    await Promise.all(asked);
    expect(begun).toHaveLength(2);
    expect(putOffs).toEqual([{ name: '3', inMs: 0 }]);
  });
});

describe('a hundred webhooks that are enabled at once', () => {
  let stack: DeliveryStack;
  let receiver: Receiver;
  beforeAll(async () => {
    stack = await DeliveryStack.open({ DELIVERY_CONCURRENCY: '40' });
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
    await deleteJobs(stack);
    await stack.rows(
      `update hookwright.deliveries set status = 'HELD';
       select hookwright.enqueue_align(id, tenant_id) from hookwright.webhooks`,
    );
    // Without the sweep that would find what is forgotten.
    const sweeper = new pg.Client(stack.databaseUrl);
    await sweeper.connect();
    await sweeper.query(`select pg_advisory_lock(hashtextextended('hookwright.rescue-held', 0))`);
    stack.startDaemon();
    await eventually(async () => (await stack.deliveries("status = 'SUCCEEDED'")).length === 100, 20_000);
    await sweeper.end();
    await eventually(async () => (await countJobs(stack, OF_WEBHOOKS)) === 0);
  });
});
