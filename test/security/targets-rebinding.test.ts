import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { has } from '../support/fake-dns.js';
import {
  answersEach,
  type HostileReceiver,
  type Misbehaviour,
  response,
  says,
  saysAndLeaves,
  startHostileReceiver,
} from '../support/hostile-receivers.js';
import { leadsTo, openSender } from '../support/sender.js';
import { addressesIn, TargetSite } from '../support/target-site.js';

/** 127.0.0.2, which is opened here, plays the public address; the canary is inside, on the same port. */
const OUTSIDE = '127.0.0.2';
const INSIDE = '127.0.0.1';

let site: TargetSite;
let receiver: HostileReceiver | undefined;

beforeEach(async () => {
  site = await TargetSite.open();
  site.startDaemon();
});
afterEach(async () => {
  await site[Symbol.asyncDispose]();
  await receiver?.close();
});

/** A receiver outside, and a webhook for a name that leads there when it is stored. */
async function storeWhileItIsPublic(misbehave: Misbehaviour): Promise<HostileReceiver> {
  receiver = await startHostileReceiver(misbehave, { host: OUTSIDE, port: site.canary.port });
  site.dns.answerWith(has([OUTSIDE], { ttl: 0 }));
  const { status } = await site.storeByRest(`http://rebind.example.com:${receiver.port}/hook`);
  expect(status).toBe(201);
  return receiver;
}

/** Emits an event. @returns how its only delivery ended: a status or an error code */
async function outcome(): Promise<number | string | null> {
  const [reading] = [...(await site.deliver()).values()];
  const [attempt] = reading!.attempts;
  expect(addressesIn(reading!.text)).toEqual([]);
  return attempt!.statusCode ?? attempt!.errorCode;
}

describe('a name that changes after its webhook was stored (rebinding)', () => {
  test('is judged anew at every connection', async () => {
    const good = await storeWhileItIsPublic(saysAndLeaves(response(200, '', ['connection: close'])));
    expect(await outcome()).toBe(200);
    for (const answer of [[INSIDE], [OUTSIDE, INSIDE], [INSIDE, OUTSIDE], [OUTSIDE, '::1'], ['::1']]) {
      site.dns.answerWith(has(answer, { ttl: 0 }));
      expect([answer, await outcome()]).toEqual([answer, 'DNS_FAILED']);
    }
    site.dns.answerWith(has([OUTSIDE], { ttl: 0 }));
    expect(await outcome()).toBe(200);
    expect([site.canary.connections, good.connections]).toEqual([0, 2]);
  });

  test('gains nothing by changing with every question', async () => {
    await storeWhileItIsPublic(saysAndLeaves(response(200, '', ['connection: close'])));
    let asked = 0;
    site.dns.answerWith((name, type) =>
      has([type === 1 && asked++ % 2 === 0 ? OUTSIDE : INSIDE], { ttl: 0 })(name, type),
    );
    const outcomes = [];
    for (let i = 0; i < 8; i++) {
      outcomes.push(await outcome());
    }
    expect(new Set(outcomes)).toEqual(new Set([200, 'DNS_FAILED']));
    expect(site.canary.connections).toBe(0);
  });

  test('is no longer called once the connection that was made before is gone', async () => {
    const closing: (() => void)[] = [];
    const good = await storeWhileItIsPublic((socket, bytes) => {
      closing.push(() => socket.destroy());
      answersEach(response(200, '', ['connection: keep-alive', 'keep-alive: timeout=60']))(socket, bytes);
    });
    expect(await outcome()).toBe(200);
    site.dns.answerWith(has([INSIDE], { ttl: 0 }));
    expect(await outcome()).toBe(200);
    expect(good.connections).toBe(1);
    for (const close of closing) {
      close();
    }
    await eventually(() => good.open === 0);
    // The daemon learns of it a moment later: until then it may send into the dead connection.
    const last = await eventually(async () => {
      const code = await outcome();
      return code !== 'CONNECTION_RESET' && code;
    });
    expect(last).toBe('DNS_FAILED');
    expect([site.canary.connections, good.connections]).toEqual([0, 1]);
  });
});

describe('the address of the socket is the last word', () => {
  test.each([
    ['http://0.0.0.0', 'TARGET_REFUSED'],
    ['http://rebind.example.com', 'DNS_FAILED'],
  ])('%s, allowed by itself, ends on loopback, and nothing is sent there', async (origin, code) => {
    receiver = await startHostileReceiver(says(response(200)));
    const sender = openSender({
      // 0.0.0.0 is connected to as if it were 127.0.0.1.
      policy: { allowHttp: true, allowedRanges: ['0.0.0.0/32'], loopbackHttp: false },
      lookup: leadsTo('0.0.0.0'),
    });
    const result = await sender.send(`${origin}:${receiver.port}/`, { headers: {}, body: Buffer.from('x') });
    expect(result).toMatchObject({ kind: 'error', code });
    await eventually(() => receiver?.open === 0);
    expect(receiver.received).toBe('');
    await sender.close();
  });
});
