import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { lockRow } from '../support/locks.js';

let stack: DeliveryStack;
let api: ApiOverSockets;
beforeEach(async () => {
  stack = await DeliveryStack.open();
  api = await ApiOverSockets.open(stack.services, stack.tenantId);
});
afterEach(() => stack[Symbol.asyncDispose]());

const accepts = () =>
  new Promise<boolean>((resolve) => {
    const socket = connect(api.port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('close', () => socket.destroy()).unref();
    socket.end();
  });

test('a request under way is answered, and its connection, which the client would keep, ends with it', async () => {
  const { id } = await stack.webhook('https://receiver.example.com/');
  await using lock = await lockRow(stack.databaseUrl, 'webhooks', id);
  const answer = fetch(`http://127.0.0.1:${api.port}/api/v1/webhooks/${id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' },
    body: '{"active": false}',
  });
  await eventually(async () => (await stack.rows(lockWaits)).length > 0);
  const ended = api.end();
  await eventually(async () => !(await accepts()));
  await lock.letGo();
  const { status, headers } = await answer;
  expect([status, headers.get('connection')]).toEqual([200, 'close']);
  await ended;
});

test('it ends though a client never sends the rest of its request', async () => {
  const arrived = api.nextRequest();
  const socket = connect(api.port, '127.0.0.1').on('error', () => {});
  socket.write('POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{');
  await arrived;
  const begun = performance.now();
  await api.end();
  expect(performance.now() - begun).toBeLessThan(10_000);
  socket.destroy();
});
