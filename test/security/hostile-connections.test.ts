import { afterEach, beforeEach, expect, test } from 'vitest';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import {
  answersEach,
  type HostileReceiver,
  type Misbehaviour,
  response,
  startHostileReceiver,
} from '../support/hostile-receivers.js';

let stack: DeliveryStack;
let receiver: HostileReceiver;

beforeEach(async () => {
  stack = await DeliveryStack.open({ ATTEMPT_TIMEOUT_MS: '3000', MAX_RETRIES: '2' });
});
afterEach(async () => {
  await stack[Symbol.asyncDispose]();
  await receiver.close();
});

async function open(misbehave: Misbehaviour): Promise<void> {
  receiver = await startHostileReceiver(misbehave);
  await stack.webhook(receiver.url);
  stack.startDaemon();
}

/** Emits, and waits for the end of it: what each attempt came to. */
async function deliver(payload?: unknown): Promise<(number | string)[]> {
  const eventId = await stack.emit('coupon.applied', payload);
  const { id } = await eventually(async () => {
    const row = await stack.delivery(eventId);
    return ['SUCCEEDED', 'FAILED'].includes(row.status) && row;
  }, 30_000);
  const attempts = await stack.rows<{ status_code: number | null; error_code: string | null }>(
    `select status_code, error_code from hookwright.attempts where delivery_id = ${id} order by number`,
  );
  return attempts.map(({ status_code, error_code }) => status_code ?? error_code ?? '');
}

test('a connection that was closed while it lay idle costs no delivery', async () => {
  let answered = 0;
  await open((socket, firstBytes) => {
    answersEach(response(200))(socket, firstBytes);
    setTimeout(() => socket.end(), 5 * answered++);
  });
  for (let i = 0; i < 20; i++) {
    expect((await deliver()).at(-1)).toBe(200);
  }
});

test('a connection that is reset at its second request: that one goes out on another, in the same attempt', async () => {
  await open((socket, firstBytes) => {
    answersEach(response(200, '', ['keep-alive: timeout=30']))(socket, firstBytes);
    socket.prependListener('data', (chunk: Buffer) => {
      if (chunk.includes('POST ')) {
        socket.resetAndDestroy(); // before it is answered
      }
    });
  });
  for (let i = 0; i < 10; i++) {
    expect(await deliver()).toEqual([200]);
  }
  const health = await stack.rows('select consecutive_failures, last_failure_at from hookwright.webhooks');
  expect(health).toEqual([{ consecutive_failures: 0, last_failure_at: null }]);
});

test('answers that were sent in advance answer no later request', async () => {
  let requests = 0;
  await open((socket, firstBytes) => {
    const isFirst = requests++ === 0;
    answersEach(isFirst ? response(200) + response(299, 'smuggled').repeat(3) : response(201))(socket, firstBytes);
  });
  expect(await deliver()).toEqual([200]);
  expect(await deliver()).toEqual([201]);
  expect(receiver.connections).toBe(2);
});

const large = { code: 'x'.repeat(250_000), discount_type: 'large' };

test('an answer that comes before the request was read counts, and the next delivery is whole', async () => {
  await open((socket) => {
    socket.removeAllListeners('data');
    socket.pause();
    socket.write(response(200, 'early'), 'latin1');
  });
  expect(await deliver(large)).toEqual([200]);
  await receiver.close();
  receiver = await startHostileReceiver(answersEach(response(201)));
  await stack.webhook(receiver.url);
  await stack.emit('coupon.applied', large);
  await eventually(() => receiver.received.endsWith(JSON.stringify(large)), 20_000);
});

test('a request that is never read is given up in time', async () => {
  await open((socket) => {
    socket.removeAllListeners('data');
    socket.pause();
  });
  expect(await deliver(large)).toEqual(['TIMEOUT', 'TIMEOUT', 'TIMEOUT']);
});
