import { expect, test } from 'vitest';
import { Deliverer } from '../../daemon/delivery/deliver.js';
import { Fence, SendingStopped } from '../../daemon/liveness/fence.js';
import { DaemonMetrics } from '../../daemon/telemetry/metrics.js';
import { LANES } from '../../src/domain/pacing/lanes.js';
import { DeliveryStack } from '../support/delivery-stack.js';

test('the fence is closed before the database was heard for the first time', () => {
  expect(new Fence(() => 0).closed).toBe(true);
});

test('it closes after five seconds of silence, counted from the question and not from its answer', () => {
  let now = 100;
  const fence = new Fence(() => now);
  fence.heard(100);
  now = 5_100;
  expect(fence.closed).toBe(false);
  now = 5_101;
  expect(fence.closed).toBe(true);
  fence.heard(5_000);
  expect(fence.closed).toBe(false);
  fence.heard(10); // late news
  expect(fence.closed).toBe(false);
});

test('it closes sooner when the connection has broken, and opens when a later question is answered', () => {
  let now = 0;
  const fence = new Fence(() => now);
  fence.heard(0);
  now = 900;
  fence.lost();
  now = 1_000;
  fence.lost();
  now = 1_500;
  expect(fence.closed).toBe(false);
  now = 1_501;
  expect(fence.closed).toBe(true);
  fence.heard(900); // asked before
  expect(fence.closed).toBe(true);
  fence.heard(1_400);
  expect(fence.closed).toBe(false);
});

test('a wait for silence ends soon after the connection broke, or when it is given up', async () => {
  const fence = new Fence();
  fence.heard(performance.now());
  const givingUp = new AbortController();
  const givenUp = fence.untilSilent(givingUp.signal);
  givingUp.abort();
  await givenUp;
  expect(fence.silent).toBe(false);
  const silent = fence.untilSilent(AbortSignal.timeout(4_000));
  fence.lost();
  await silent;
  expect(fence.silent).toBe(true);
});

test('while an outcome waits to be recorded nothing is sent, and whoever waits for it goes on afterwards', async () => {
  const fence = new Fence(() => 0);
  fence.heard(0);
  const first = fence.outcomeWaits();
  const second = fence.outcomeWaits();
  first();
  expect(fence.closed).toBe(true);
  const opened = fence.opened();
  second();
  await opened;
  expect(fence.closed).toBe(false);
});

test('a delivery is not sent when an outcome begins to wait after it was loaded', async () => {
  await using stack = await DeliveryStack.open();
  await stack.webhook('http://127.0.0.1:1/');
  const { id } = await stack.delivery(await stack.emit());
  const fence = new Fence();
  fence.heard(performance.now());
  const clock = () => {
    fence.outcomeWaits();
    return new Date();
  };
  const reject = () => Promise.reject(new Error('sent'));
  const sender = { send: reject, ask: reject, close: () => Promise.resolve() };
  const deliverer = new Deliverer({ ...stack.services, clock, sender, fence, metrics: new DaemonMetrics() });
  await expect(deliverer.deliver({ id, attempt: 1 }, LANES.FIRST.priority)).rejects.toThrow(SendingStopped);
});

test('whoever waits gives up when the database is silent, and when the daemon ends', async () => {
  const silent = new Fence(() => 0);
  await expect(silent.opened()).rejects.toThrow(SendingStopped);
  const ended = new Fence(() => 0);
  ended.heard(0);
  ended.outcomeWaits();
  const opened = ended.opened();
  ended.end();
  await expect(opened).rejects.toThrow(SendingStopped);
});

test('once the daemon ends, what it has in hand may begin for a while, and is sent when it has begun', async () => {
  let now = 0;
  const fence = new Fence(() => now);
  fence.heard(0);
  expect(fence.mayBegin).toBe(true);
  fence.end(100);
  now = 99;
  expect(fence.mayBegin).toBe(true);
  now = 100;
  expect(fence.mayBegin).toBe(false);
  await expect(fence.opened()).rejects.toThrow(SendingStopped);
  expect(fence.closed).toBe(false);
  fence.end(1_000);
  expect(fence.mayBegin).toBe(false);
});
