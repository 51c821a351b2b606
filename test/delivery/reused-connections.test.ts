import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { setDefaultCACertificates } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { NameResolver } from '../../daemon/sending/name-resolver.js';
import type { Sender, SenderOptions } from '../../daemon/sending/send.js';
import type { SendResult } from '../../src/domain/deliveries/outcome.js';
import { AUTHORITY, GOOD, KEY } from '../support/certificates.js';
import { endsBefore } from '../support/ends-before.js';
import { eventually } from '../support/eventually.js';
import { startFakeProxy } from '../support/fake-proxy.js';
import {
  answersEach,
  type HostileReceiver,
  type Misbehaviour,
  type ReceiverOptions,
  response,
  startHostileReceiver,
} from '../support/hostile-receivers.js';
import { answer, type Receiver, startReceiver } from '../support/receiver.js';
import { leadsTo, openSender } from '../support/sender.js';
import { openSlowNetwork } from '../support/slow-network.js';

const request = {
  headers: { 'webhook-id': 'dl_1', 'webhook-signature': 'v1,abc' },
  body: Buffer.from('{"a":1}'),
};
const good = response(200);

function sender(options: Partial<SenderOptions> = {}): Sender {
  const made = openSender({ connectionsPerOriginMax: 64, ...options });
  onTestFinished(() => made.close());
  return made;
}

async function receiver(misbehave: Misbehaviour, options?: ReceiverOptions): Promise<HostileReceiver> {
  const started = await startHostileReceiver(misbehave, options);
  onTestFinished(() => started.close());
  return started;
}

type AtRequest = (socket: Socket) => void;
const answers: AtRequest = (socket) => socket.write(good);
const cutsOff: AtRequest = (socket) => socket.resetAndDestroy();
const hangsUp: AtRequest = (socket) => socket.end();
const saysNothing: AtRequest = () => {};

/** Does these things at the requests of a connection, one each, and the last one at all that follow. */
const inTurn =
  (...acts: AtRequest[]): Misbehaviour =>
  (socket) => {
    let asked = 0;
    const act = () => acts[Math.min(asked++, acts.length - 1)]!(socket);
    socket.on('data', act);
    act();
  };

/** A receiver whose first connection answers once and then ends so; `later` is what the connections after it do. */
function endsReused(end: AtRequest, later: AtRequest): Promise<HostileReceiver> {
  let connections = 0;
  return receiver((socket, bytes) => (connections++ === 0 ? inTurn(answers, end) : inTurn(later))(socket, bytes));
}

/** Sends once, so that a connection is there, and again when undici lends that one. */
async function sendTwice({ url }: { url: string }, by = sender()): Promise<SendResult> {
  expect(await by.send(url, request, 1)).toMatchObject({ statusCode: 200 });
  await aTurnLater();
  return await by.send(url, request, 1);
}
const aTurnLater = () => delay(5);

describe('a reused connection that ends before the answer says nothing of the endpoint', () => {
  /** Makes this many connections. */
  async function warmUp(by: Sender, url: string, distant: Receiver, count: number): Promise<void> {
    const held: (() => void)[] = [];
    distant.answerWith((got, to) => held.push(() => answer(200)(got, to)));
    const results = Array.from({ length: count }, () => by.send(url, request, 1));
    await eventually(() => held.length === count);
    distant.answerWith(answer(200));
    for (const release of held) {
      release();
    }
    await Promise.all(results);
  }

  test.each([10, 50, 100])('when a receiver %d ms away closes its idle connections', async (oneWayMs) => {
    const distant = await startReceiver();
    onTestFinished(() => distant.close());
    const network = await openSlowNetwork({ to: Number(new URL(distant.url).port), oneWayMs });
    onTestFinished(() => network.close());
    const by = sender();
    await warmUp(by, network.url, distant, 30);
    distant.received.length = 0;

    await aTurnLater();
    distant.closeIdleConnections();
    // These are on their way as the ends of their connections are.
    const results = Array.from({ length: 8 }, () => by.send(network.url, request, 1));
    for (let i = 0; i < 40; i++) {
      await delay(1_000 / 80);
      results.push(by.send(network.url, request, 1));
    }
    for (const result of await Promise.all(results)) {
      expect(result).toMatchObject({ statusCode: 200 });
    }
    expect(distant.received).toHaveLength(results.length);
    const repeated = distant.received.filter(({ headers }) => headers.connection === 'close');
    expect(repeated.length).toBeGreaterThanOrEqual(8);
  });

  test.each([
    ['second', 'resets it', [answers, cutsOff]],
    ['third', 'resets it', [answers, answers, cutsOff]],
    ['second', 'hangs up', [answers, hangsUp]],
    ['third', 'hangs up', [answers, answers, hangsUp]],
  ] as const)('when the receiver, at each %s request, %s', async (_, __, acts) => {
    const { url } = await receiver(inTurn(...acts));
    const by = sender();
    for (let i = 0; i < 30; i++) {
      expect(await by.send(url, request, 1)).toMatchObject({ statusCode: 200 });
      await delay(i % 3);
    }
  });

  test.each([
    ['cuts it', (socket: Socket) => socket.destroy()],
    ['hangs up', hangsUp],
  ])('over TLS, when the receiver %s', async (_, end) => {
    setDefaultCACertificates([AUTHORITY]);
    const { port } = await receiver(inTurn(answers, end), { tls: { key: KEY, cert: GOOD } });
    const by = sender({ lookup: leadsTo('127.0.0.1') });
    for (let i = 0; i < 20; i++) {
      expect(await by.send(`https://receiver.example.com:${port}/`, request, 1)).toMatchObject({
        statusCode: 200,
      });
      await delay(i % 3);
    }
  });

  test('whenever that is', async () => {
    let connections = 0;
    const { url } = await receiver((socket) => {
      socket.write(good);
      setTimeout(cutsOff, connections++ % 4, socket);
    });
    const by = sender();
    for (let i = 0; i < 100; i++) {
      expect(await by.send(url, request, 1)).toMatchObject({ statusCode: 200 });
      await delay(i % 3);
    }
  });
});

describe('the request that is repeated', () => {
  test.each(['PUT', 'PATCH'] as const)('may be a %s: it has the id of its delivery, as a POST has', async (method) => {
    const moody = await endsReused(cutsOff, answers);
    const by = sender();
    for (const _ of [1, 2]) {
      expect(await by.send(moody.url, { ...request, method }, 1)).toMatchObject({ statusCode: 200 });
      await aTurnLater();
    }
    const heads = moody.received.split('{"a":1}').slice(0, 3);
    expect(heads.map((head) => [head.split(' ', 1)[0], /webhook-id: (.*)/.exec(head)?.[1]])).toEqual(
      [1, 2, 3].map(() => [method, 'dl_1']),
    );
  });

  test('is the very same one, on a connection of its own that is closed afterwards', async () => {
    const moody = await endsReused(cutsOff, answers);
    expect(await sendTwice(moody)).toMatchObject({ statusCode: 200 });
    const [first, second, again] = moody.received.split(/(?=POST )/);
    expect(second).toBe(first);
    expect(again).toBe(first!.replace('connection: keep-alive', 'connection: close'));
    expect(moody.connections).toBe(2);
    await eventually(() => moody.open === 0);
  });

  test('has its timing recorded, and the duration of both', async () => {
    const moody = await endsReused((socket) => setTimeout(cutsOff, 200, socket), answers);
    const { durationMs, timing } = await sendTwice(moody);
    expect(timing).toMatchObject({ connectMs: expect.any(Number), firstByteMs: expect.any(Number) });
    expect(durationMs).toBeGreaterThanOrEqual(199);
    expect(timing!.connectMs! + timing!.firstByteMs!).toBeLessThanOrEqual(durationMs - 195);
  });

  test('has what is left of the time of the attempt', async () => {
    const moody = await endsReused((socket) => setTimeout(cutsOff, 300, socket), saysNothing);
    const by = sender({ totalTimeoutMs: 800 });
    expect(await by.send(moody.url, request, 1)).toMatchObject({ statusCode: 200 });
    await aTurnLater();
    const result = by.send(moody.url, request, 1);
    // Were the time counted from the repeat, it would be 1,100 ms at least.
    expect(await endsBefore(1_000, result)).toBe(true);
    expect(await result).toMatchObject({ kind: 'error', code: 'TIMEOUT' });
    expect(moody.connections).toBe(2);
  });

  test('counts when it fails in turn, and does not go out a third time', async () => {
    const moody = await endsReused(cutsOff, cutsOff);
    expect(await sendTwice(moody)).toMatchObject({ kind: 'error', code: 'CONNECTION_RESET' });
    expect(moody.connections).toBe(2);
  });

  test('throws when this machine has no room for its connection', async () => {
    const moody = await endsReused(cutsOff, answers);
    let asked = 0;
    const lookup: NameResolver = async (name) => {
      if (asked++ > 0) {
        throw Object.assign(new Error('no sockets'), { code: 'EMFILE' });
      }
      return await leadsTo('127.0.0.1')(name);
    };
    const url = `http://receiver.example.com:${moody.port}/`;
    await expect(sendTwice({ url }, sender({ lookup }))).rejects.toThrow('no sockets');
  });

  test('has a tunnel of its own through a proxy', async () => {
    const moody = await endsReused(cutsOff, answers);
    const proxy = await startFakeProxy(() => ({ port: moody.port }));
    onTestFinished(() => proxy.close());
    const by = sender({ egressProxy: proxy.url });
    expect(await sendTwice({ url: 'http://receiver.example.com/' }, by)).toMatchObject({ statusCode: 200 });
    expect([proxy.asked.length, moody.connections]).toEqual([2, 2]);
  });

  test('is waited for when the sender closes', async () => {
    const moody = await endsReused(cutsOff, (socket) => setTimeout(answers, 100, socket));
    const by = sender();
    const result = sendTwice(moody, by);
    await eventually(() => moody.connections === 2);
    await by.close();
    expect(await result).toMatchObject({ statusCode: 200 });
    await eventually(() => moody.open === 0);
  });
});

describe('a request is not repeated', () => {
  test('on a new connection', async () => {
    const rude = await receiver(inTurn(cutsOff));
    expect(await sender().send(rude.url, request, 1)).toMatchObject({ code: 'CONNECTION_RESET' });
    expect(rude.connections).toBe(1);
  });

  test.each(['H', 'HTTP/1.1 102 Processing\r\n\r\n', 'HTTP/1.1 200 OK\r\ncontent-'])(
    'after %j, which is the beginning of an answer',
    async (beginning) => {
      const rude = await endsReused((socket) => {
        // Only bytes that have been read survive a reset.
        socket.write(beginning, () => setTimeout(cutsOff, 50, socket));
      }, answers);
      expect(await sendTwice(rude)).toMatchObject({ code: 'CONNECTION_RESET' });
      expect(rude.connections).toBe(1);
    },
  );

  test('after a timeout', async () => {
    const mute = await endsReused(saysNothing, answers);
    expect(await sendTwice(mute, sender({ totalTimeoutMs: 300 }))).toMatchObject({ code: 'TIMEOUT' });
    expect(mute.connections).toBe(1);
  });
});

describe('an idle connection', () => {
  test('is closed sooner where the receiver gives it less time', async () => {
    const announcing = await receiver(answersEach(response(200, '', ['Keep-Alive: timeout=2'])));
    expect(await sendTwice(announcing)).toMatchObject({ statusCode: 200, timing: { connectMs: null } });
    const answeredAt = performance.now();
    await eventually(() => announcing.open === 0);
    // It would be 4 s.
    expect(performance.now() - answeredAt).toBeLessThan(3_500);
  });

  test('is not kept when that time is a second', async () => {
    const hasty = await receiver(answersEach(response(200, '', ['Keep-Alive: timeout=1'])));
    expect(await sendTwice(hasty)).toMatchObject({ timing: { connectMs: expect.any(Number) } });
    expect(hasty.connections).toBe(2);
  });
});
