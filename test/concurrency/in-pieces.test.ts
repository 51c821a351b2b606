import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { piece } from '../../src/platform/concurrency/in-pieces.js';

/** Longer than all pieces may take in one turn. */
const LONG_MS = 6;

let turn = 0;
let counting: NodeJS.Immediate;
beforeEach(async () => {
  await nextTurn();
  await nextTurn();
  turn = 0;
  counting = setImmediate(function count() {
    turn += 1;
    counting = setImmediate(count);
  });
});
afterEach(() => clearImmediate(counting));

function busyFor(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; ) {
    // the event loop stands still
  }
}

const long = (tenantId: number | null) =>
  piece(tenantId, () => {
    busyFor(LONG_MS);
    return { tenantId, turn };
  });

test('long pieces run in turns of the event loop of their own', async () => {
  const done = await Promise.all(Array.from({ length: 8 }, () => long(1)));
  expect(new Set(done.map((one) => one.turn)).size).toBe(8);
});

test('the first piece runs at once, and short ones share turns', async () => {
  let isDone = false;
  const first = piece(1, () => {
    isDone = true;
  });
  expect(isDone).toBe(true);
  await first;
  const turns = await Promise.all(Array.from({ length: 1_000 }, () => piece(1, () => turn)));
  expect(new Set(turns).size).toBeLessThan(200);
});

test('tenants that wait have a piece each in turns', async () => {
  const order: (number | null)[] = [];
  const noted = async (tenantId: number | null) => order.push((await long(tenantId)).tenantId);
  await Promise.all([noted(1), noted(1), noted(1), noted(1), noted(2), noted(2), noted(null)]);
  expect(order).toEqual([1, 1, 2, null, 1, 2, 1]);
});

test('timers come between long pieces', async () => {
  let timers = 0;
  const timer = setInterval(() => {
    timers += 1;
  }, 1);
  await Promise.all(Array.from({ length: 10 }, () => long(1)));
  clearInterval(timer);
  expect(timers).toBeGreaterThanOrEqual(8);
});

test('a piece that throws rejects, and those behind it run', async () => {
  const fault = new Error('of the work');
  const failing = () => {
    busyFor(LONG_MS);
    throw fault;
  };
  const [first, second, third] = await Promise.allSettled([piece(1, failing), piece(1, failing), long(1)]);
  expect([first, second]).toEqual(Array(2).fill({ status: 'rejected', reason: fault }));
  expect(third!.status).toBe('fulfilled');
});
