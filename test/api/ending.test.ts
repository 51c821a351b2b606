import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';

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
  const locker = await stack.services.db.pool.connect();
  await locker.query(`begin; select from hookwright.webhooks where id = ${id} for update`);
  const agent = new Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' };
  const place = { agent, host: '127.0.0.1', port: api.port, path: `/api/v1/webhooks/${id}`, headers };
  const status = new Promise((resolve, reject) => {
    request({ ...place, method: 'PATCH' }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end('{"active": false}');
  });
  await eventually(async () => (await stack.rows(lockWaits)).length > 0);
  const ended = api.end();
  await eventually(async () => !(await accepts()));
  await locker.query('commit');
  locker.release();
  expect(await status).toBe(200);
  await ended;
  agent.destroy();
});

test('requests that a client sent without waiting for answers are all answered', async () => {
  const ids = [(await stack.webhook('https://a.example.com/')).id, (await stack.webhook('https://b.example.com/')).id];
  const lockers = await Promise.all(
    ids.map(async (id) => {
      const locker = await stack.services.db.pool.connect();
      await locker.query(`begin; select from hookwright.webhooks where id = ${id} for update`);
      return locker;
    }),
  );
  const patch = (id: number) =>
    `PATCH /api/v1/webhooks/${id} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.key}\r\n` +
    'Content-Type: application/json\r\nContent-Length: 16\r\n\r\n{"active":false}';
  let text = '';
  const socket = connect(api.port, '127.0.0.1').on('data', (data) => {
    text += data;
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(ids.map(patch).join(''));
  const answers = () => text.split('200 OK').length - 1;
  await eventually(async () => (await stack.rows(lockWaits)).length === 2);
  const ended = api.end();
  for (const [n, locker] of lockers.entries()) {
    await locker.query('commit');
    locker.release();
    await eventually(() => answers() === n + 1);
  }
  await ended;
  await closed;
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
