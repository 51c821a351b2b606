import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { SOON } from '../support/program.js';
import type { Receiver } from '../support/receiver.js';

/** When the requests began, by the clock of their daemons: what the receiver sees may have been kept up on the way. */
async function beganAt(stack: DeliveryStack): Promise<number[]> {
  const rows = await stack.rows<{ at: Date }>('select started_at as at from hookwright.attempts order by started_at');
  return rows.map(({ at }) => at.getTime()).slice(WARM_UP);
}

/** The first requests open the tenant's key. */
const WARM_UP = 3;
async function warmUp(stack: DeliveryStack, receiver: Receiver): Promise<void> {
  await stack.emits(WARM_UP);
  await stack.succeeded(WARM_UP);
  receiver.received.length = 0;
}

const mostInASecond = (times: readonly number[]) =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));

const pausesOf = (times: readonly number[]) => times.slice(1).map((at, index) => at - times[index]!);

/** Deliveries that a killed daemon had in hand go out again within this (docs/faults.md). */
const TAKEN_OVER_MS = 5_000;

/** A daemon in a process of its own. */
async function startProcess(stack: DeliveryStack): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['dist/program/main.js', 'daemon'], {
    env: { ...stack.processEnv, ...SOON },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout!.on('data', (chunk) => {
    output += chunk;
  });
  await eventually(() => output.includes('the delivery daemon is running'), 60_000);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Real time is measured: nothing else runs beside it. */
test('ten requests a second are kept when the daemon that has them all is killed', { timeout: 120_000 }, async () => {
  await using stack = await DeliveryStack.open();
  const receiver = await stack.endpoint();
  const [dies, lives] = await Promise.all([startProcess(stack), startProcess(stack)]);
  await warmUp(stack, receiver);
  await stack.change(receiver.webhookId, { ratePerSecond: 10 });
  const paths = () => new Set(receiver.received.map(({ headers }) => headers['x-service-delivery']));
  lives.kill('SIGSTOP');
  await stack.emits(100);
  await eventually(() => paths().size >= 5);
  lives.kill('SIGCONT');
  await eventually(() => paths().size >= 25);
  await kill(dies);
  await eventually(() => paths().size === 100, 20_000);
  await stack.succeeded(WARM_UP + 100);
  const times = await beganAt(stack);
  expect(mostInASecond(times)).toBeLessThanOrEqual(11);
  const tookMs = times.at(-1)! - times[0]!;
  expect(tookMs).toBeGreaterThanOrEqual(9_500);
  expect(tookMs).toBeLessThanOrEqual(11_000 + TAKEN_OVER_MS);
  expect(Math.max(...pausesOf(times))).toBeLessThanOrEqual(TAKEN_OVER_MS);
  await kill(lives);
});

describe.concurrent('a limit that a webhook sets', { timeout: 60_000 }, () => {
  test('of one request in two seconds is kept by three daemons', async () => {
    await using stack = await DeliveryStack.open();
    const receiver = await stack.endpoint();
    for (const _ of [1, 2, 3]) {
      stack.startDaemon();
    }
    await warmUp(stack, receiver);
    await stack.change(receiver.webhookId, { ratePerSecond: 0.5 });
    await stack.emits(5);
    await eventually(() => receiver.received.length === 5, 30_000);
    await stack.succeeded(WARM_UP + 5);
    // A time that is over before a busy machine can use it is lost, so there is no longest pause.
    expect(Math.min(...pausesOf(await beganAt(stack)))).toBeGreaterThanOrEqual(1_900);
  });

  test('of the rate burns no attempt, and ends at once when it is removed', async () => {
    await using stack = await DeliveryStack.open();
    const receiver = await stack.endpoint();
    await stack.change(receiver.webhookId, { ratePerSecond: 0.1 });
    stack.startDaemon();
    await stack.emits(30);
    await eventually(() => receiver.received.length === 1, 15_000);
    const waiting = await stack.deliveries("status = 'PENDING'");
    expect(waiting.every(({ attempt_count }) => attempt_count === 0)).toBe(true);
    await stack.change(receiver.webhookId, { ratePerSecond: null });
    await stack.emit();
    await stack.succeeded(31, 10_000);
    expect(receiver.received).toHaveLength(31);
  });

  test('of requests at a time is divided by the daemons, once they know of each other', async () => {
    await using stack = await DeliveryStack.open();
    const slow = await stack.endpoint((_, response) => setTimeout(() => response.writeHead(200).end(), 100));
    await stack.change(slow.webhookId, { concurrencyMax: 4 });
    for (const _ of [1, 2]) {
      stack.startDaemon();
    }
    const reportedAgain = `select from hookwright.daemons where last_seen_at > started_at + interval '4 s'`;
    await eventually(async () => (await stack.rows(reportedAgain)).length === 2, 20_000);
    await stack.emits(40);
    await stack.succeeded(40);
    expect(slow.inFlightPeak).toBeLessThanOrEqual(4);
    expect(slow.inFlightPeak).toBeGreaterThan(1);
  });
});
