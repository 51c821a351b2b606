import { Pool } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { RealReceiver } from '../support/real-receiver.js';

/** Figures and tests rest on it: a receiver that is to stall, restart or limit must do just that. */

let receiver: RealReceiver;
let client: Pool;
beforeEach(async () => {
  receiver = await RealReceiver.start();
  client = new Pool(new URL(receiver.url).origin, { connections: 20 });
});
afterEach(async () => {
  await client.destroy();
  await receiver[Symbol.asyncDispose]();
});

async function post(deliveryId: string) {
  const { statusCode, headers, body } = await client.request({
    path: '/hook',
    method: 'POST',
    headers: { 'X-Service-Delivery': deliveryId },
    body: '{}',
  });
  await body.dump();
  return { statusCode, retryAfter: headers['retry-after'] };
}
const codeOf = (request: Promise<unknown>) =>
  request.then(
    () => 'answered',
    (error: { code?: string }) => error.code,
  );

test('a stall holds every answer back until its end', async () => {
  receiver.behaviour.stall();
  const answers = Promise.all([post('1'), post('2')]);
  await eventually(() => receiver.inFlight === 2);
  expect(receiver.arrivals.map(({ status }) => status)).toEqual([null, null]);
  receiver.behaviour.endStall('answered');
  expect((await answers).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  expect(receiver.inFlightPeak).toBe(2);
});

test('what came during a stall may never be answered, but what comes after it is', async () => {
  receiver.behaviour.stall();
  const lost = post('1').catch(() => 'cut off');
  await eventually(() => receiver.inFlight === 1);
  receiver.behaviour.endStall('never');
  expect((await post('2')).statusCode).toBe(200);
  expect(receiver.arrivals.map(({ status }) => status)).toEqual([null, 200]);
  await client.destroy();
  expect(await lost).toBe('cut off');
});

test('a restart resets what is open, refuses connections, and comes back at the same port', async () => {
  const { url } = receiver;
  receiver.behaviour.latencyMs = null;
  const cut = codeOf(post('1'));
  await eventually(() => receiver.inFlight === 1);
  await receiver.goAway();
  expect(await cut).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
  expect(await codeOf(post('2'))).toBe('ECONNREFUSED');
  await receiver.comeBack();
  receiver.behaviour.latencyMs = 0;
  expect((await post('3')).statusCode).toBe(200);
  expect(receiver.url).toBe(url);
});

test('above its limit it says 429, with the pause that it was given or without one', async () => {
  for (const [retryAfterSeconds, retryAfter] of [
    [1, '1'],
    [null, undefined],
  ] as const) {
    receiver.behaviour.limitTo({ perSecond: 0.001, burst: 2, retryAfterSeconds });
    expect([await post('1'), await post('2'), await post('3')]).toEqual([
      { statusCode: 200, retryAfter: undefined },
      { statusCode: 200, retryAfter: undefined },
      { statusCode: 429, retryAfter },
    ]);
  }
  expect(receiver.behaviour.limited).toBe(2);
  receiver.behaviour.limitTo(null);
  expect((await post('3')).statusCode).toBe(200);
  expect(receiver.arrivalsOf('3')).toHaveLength(3);
  expect(receiver.deliveries).toBe(3);
});

test('a reload ends the connections on which nothing is under way, and no other', async () => {
  await post('1');
  receiver.closeIdle();
  receiver.behaviour.latencyMs = 100;
  const slow = eventually(async () => (await post('2')).statusCode === 200);
  await eventually(() => receiver.inFlight === 1);
  receiver.closeIdle();
  await slow;
  expect(receiver.arrivalsOf('2')).toHaveLength(1);
  expect(receiver.connections).toBe(2);
});
