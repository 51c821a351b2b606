import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { jobsIn } from '../support/jobs.js';
import { answer, holdAnswers } from '../support/receiver.js';

/** Gives the process a fault of its own whenever a test wants it. */
const FAULT = `data:text/javascript,${encodeURIComponent(
  "process.on('SIGUSR2', () => { Promise.reject(new Error('nobody looked after this')); });",
)}`;

let stack: DeliveryStack;
let child: ChildProcess;
let output: string;
beforeEach(async () => {
  stack = await DeliveryStack.open();
  child = spawn(process.execPath, ['--import', FAULT, 'dist/program/main.js', 'daemon'], {
    env: {
      ...stack.processEnv,
      ATTEMPT_TIMEOUT_MS: '8000', // longer than the five seconds within which others take over
    },
  });
  output = '';
  child.stdout!.on('data', (chunk) => {
    output += chunk;
  });
  await eventually(() => output.includes('the delivery daemon is running'), 20_000);
});
afterEach(async () => {
  child.kill('SIGKILL');
  await stack[Symbol.asyncDispose]();
});

test('a fault that nobody caught ends the process with 70, after it was logged', async () => {
  const exited = once(child, 'exit');
  child.kill('SIGUSR2');
  const [code] = await exited;
  expect(code).toBe(70);
  expect(output).toContain('nobody looked after this');
});

test('a process that is told to end while an endpoint hangs waits for that attempt, records it, and ends with 0', async () => {
  const receiver = await stack.endpoint(() => {});
  const eventId = await stack.emit();
  await eventually(() => receiver.received.length === 1);
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  expect(await stack.delivery(eventId)).toMatchObject({
    status: 'PENDING',
    attempt_count: 1,
    last_error_code: 'TIMEOUT',
  });
  expect(await jobsIn(stack, 'locked_at is not null')).toEqual([]);
});

test('a signal that comes twice at once, as from "timeout" or by way of npm, cuts nothing off', async () => {
  const receiver = await stack.endpoint();
  const nextAnswer = holdAnswers(receiver, answer(200));
  const eventId = await stack.emit();
  const letAnswerGo = await nextAnswer();
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  child.kill('SIGINT');
  await eventually(() => output.includes('ending: requests under way'));
  letAnswerGo();
  expect(await exited).toEqual([0, null]);
  expect(await stack.delivery(eventId)).toMatchObject({ status: 'SUCCEEDED' });
});

test('a signal that comes again later ends the process at once', async () => {
  const receiver = await stack.endpoint(() => {});
  await stack.emit();
  await eventually(() => receiver.received.length === 1);
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await eventually(() => {
    child.kill('SIGTERM');
    return child.exitCode !== null;
  });
  expect(await exited).toEqual([1, null]);
  expect(output).toContain('asked a second time: ending at once');
});

test('what a killed process had in hand is sent by another one within five seconds', async () => {
  await eventually(async () => {
    // In its first seconds a server takes nobody for dead.
    const [row] = await stack.rows<{ old: boolean }>(
      `select pg_postmaster_start_time() < now() - interval '11 seconds' as old`,
    );
    return row?.old;
  }, 15_000);
  const receiver = await stack.endpoint(() => {});
  await Promise.all([stack.emit(), stack.emit(), stack.emit()]);
  await eventually(() => receiver.received.length === 3);
  const other = stack.startDaemon();
  await eventually(() => other.running);
  receiver.answerWith((_, response) => response.writeHead(200).end());
  child.kill('SIGKILL');
  const killedAt = performance.now();
  await stack.succeeded(3);
  expect(performance.now() - killedAt).toBeLessThan(5_000);
  expect(receiver.received).toHaveLength(6); // once by each
});
