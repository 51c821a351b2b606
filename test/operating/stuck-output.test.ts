import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, createReadStream, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { SOON } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const SLOW = { timeout: 120_000 };

let stack: DeliveryStack;
beforeAll(async () => {
  stack = await DeliveryStack.open();
});
afterAll(() => stack[Symbol.asyncDispose]());

/** A full pipe that somebody holds open and nobody reads. */
function fullPipe(): string {
  const fifo = join(temporaryFolder(), 'output');
  execFileSync('mkfifo', [fifo]);
  const end = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    for (;;) {
      writeSync(end, '\n'.repeat(4096));
    }
  } catch (error) {
    expect(error).toMatchObject({ code: 'EAGAIN' });
  }
  return fifo;
}

/** A process of the service that writes into such a pipe. */
function startStuck(command: string) {
  const fifo = fullPipe();
  const output = openSync(fifo, 'r+');
  const service = spawn('./hookwright', [command], {
    stdio: ['ignore', output, output],
    env: {
      ...stack.processEnv,
      PORT: '0',
      HOST: '127.0.0.1',
      ...SOON,
      LOG_LEVEL: 'debug',
    },
  });
  const exit = once(service, 'exit');
  return {
    service,
    exit,
    fifo,
    async [Symbol.asyncDispose]() {
      service.kill('SIGKILL');
      await exit;
      closeSync(output);
      await stack.rows('update hookwright.webhooks set active = false');
    },
  };
}

test.each(['start', 'daemon'])('"%s" delivers and ends though nobody takes what it writes', SLOW, async (command) => {
  const endpoint = await stack.endpoint();
  await using stuck = startStuck(command);
  await stack.emits(100);
  await eventually(() => endpoint.received.length >= 100, 60_000);
  stuck.service.kill('SIGTERM');
  expect(await stuck.exit).toEqual([0, null]);
});

test('a second signal ends it at once, though a receiver does not answer', SLOW, async () => {
  const endpoint = await stack.endpoint(() => {});
  await using stuck = startStuck('daemon');
  await stack.emit();
  await eventually(() => endpoint.received.length > 0, 60_000);
  const begun = performance.now();
  await eventually(() => !stuck.service.kill('SIGTERM') || stuck.service.exitCode !== null);
  expect(await stuck.exit).toEqual([1, null]);
  expect(performance.now() - begun).toBeLessThan(10_000); // the attempt has 15 s
});

test('a reader that comes back learns how many lines are missing', SLOW, async () => {
  const endpoint = await stack.endpoint();
  await using stuck = startStuck('daemon');
  await stack.emits(1_500);
  await eventually(() => endpoint.received.length >= 1_500, 60_000);
  let read = '';
  const reader = createReadStream(stuck.fifo, { encoding: 'utf8' }).on('data', (text) => {
    read += text;
  });
  await eventually(async () => {
    await stack.emit();
    return /"lines":[1-9]\d*,"msg":"lines are missing here: nobody took them from the log in time"/.test(read);
  }, 20_000);
  expect(read).toContain('"msg":"the delivery daemon is running"');
  stuck.service.kill('SIGTERM');
  expect(await stuck.exit).toEqual([0, null]);
  reader.destroy();
});
