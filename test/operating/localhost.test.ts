import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Listening, listenOnAll } from '../../src/commands/listen-on-all.js';
import { buildServer } from '../../src/server.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { secondLoopback } from '../support/second-loopback.js';

/** What `localhost` is on most machines. */
const addresses = ['127.0.0.1', secondLoopback];

let stack: DeliveryStack;
let app: FastifyInstance;
let listening: Listening;
let port: number;
beforeEach(async () => {
  stack = await DeliveryStack.open();
  app = await buildServer(stack.services);
  listening = await listenOnAll(app, addresses, 0);
  port = (app.server.address() as AddressInfo).port;
});
afterEach(async () => {
  await listening.close();
  await stack[Symbol.asyncDispose]();
});

/** What is answered to the bytes until the connection ends. */
async function answerTo(host: string, text: string): Promise<string> {
  const socket = connect(port, host);
  let answer = '';
  socket.on('data', (data) => {
    answer += data;
  });
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

test('both addresses of localhost give the same answers, also to what Node would refuse by itself', async () => {
  const problem = async (host: string, text: string) => {
    const answer = await answerTo(host, text);
    return JSON.parse(answer.split('\r\n\r\n')[1] || '{}').code;
  };
  for (const [text, code] of [
    ['GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n', 'header_repeated'],
    ['nonsense\r\n\r\n', 'method_unknown'],
  ] as const) {
    expect(await Promise.all(addresses.map((host) => problem(host, text)))).toEqual([code, code]);
  }
});

test('both addresses of localhost end with the service, and so do connections that clients keep', async () => {
  const kept = await Promise.all(
    addresses.map(async (host) => {
      const socket = connect(port, host);
      socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
      await once(socket, 'data');
      return socket;
    }),
  );
  const ended = Promise.all(kept.map((socket) => once(socket, 'close')));
  await Promise.all([listening.close(), listening.close()]); // as the service does: before the daemon, and at the end
  await ended;
  for (const host of addresses) {
    await expect(once(connect(port, host), 'connect')).rejects.toThrow('ECONNREFUSED');
  }
});

test('one address of localhost that is taken is no start; one that the machine does not have is none of it', async () => {
  const other = createServer().listen({ host: secondLoopback, port: 0 });
  await once(other, 'listening');
  const taken = (other.address() as AddressInfo).port;
  const another = await buildServer(stack.services);
  await expect(listenOnAll(another, addresses, taken)).rejects.toThrow('EADDRINUSE');
  await another.close();
  other.close();
  const third = await buildServer(stack.services);
  const alone = await listenOnAll(third, ['127.0.0.1', '2001:db8::1'], 0);
  expect(alone.address).toMatch(/^http:\/\/127\.0\.0\.1:/);
  await alone.close();
});
