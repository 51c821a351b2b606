import { once } from 'node:events';
import tls, { type PeerCertificate, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Sender, SenderOptions } from '../../daemon/sending/send.js';
import { type TlsIdentity, TlsUnusable, tlsIdentity } from '../../daemon/sending/tls-identity.js';
import { AUTHORITY, GOOD, KEY, LOCALHOST } from '../support/certificates.js';
import { eventually } from '../support/eventually.js';
import { type FakeProxy, startFakeProxy } from '../support/fake-proxy.js';
import { answersEach, type Misbehaviour, response, startHostileReceiver } from '../support/hostile-receivers.js';
import { skipsNginxTests } from '../support/nginx.js';
import { watchPools } from '../support/open-pools.js';
import {
  CLIENT_A,
  CLIENT_B,
  CLIENT_EXPIRED,
  CLIENT_OF_OTHER,
  OTHER_AUTHORITY,
  PRIVATE_AUTHORITY,
  PRIVATE_RECEIVER,
  PRIVATE_RECEIVER_EXPIRED,
} from '../support/private-certificates.js';
import { leadsTo, openSender } from '../support/sender.js';
import { seenBy, startTlsReceiver, type TlsReceiver } from '../support/tls-receiver.js';

/** Senders alone. Endpoints with their options are in tls-endpoints.test.ts. */

const NAME = 'receiver.example.com';
const request = { headers: {}, body: Buffer.from('{"a":1}') };

beforeAll(() => setDefaultCACertificates([AUTHORITY]));

let versions = 0;
/** As the options of a webhook give it. */
const identity = (parts: { ca?: string; cert?: string; key?: string }, webhookId = 1): TlsIdentity =>
  tlsIdentity(webhookId, ++versions, { ca: parts.ca, cert: parts.cert, key: parts.key });
const asClient = (cert: string, key = KEY, webhookId = 1) => identity({ ca: PRIVATE_AUTHORITY, cert, key }, webhookId);

function sender(options: Partial<SenderOptions> = {}): Sender {
  const made = openSender({ lookup: leadsTo('127.0.0.1'), ...options });
  onTestFinished(() => made.close());
  return made;
}

const send = (by: Sender, { port }: { port: number }, own: TlsIdentity | null, name = NAME, tenantId = 1) =>
  by.send(`https://${name}:${port}/hook`, request, tenantId, undefined, own);

/** One that speaks TLS by itself, for what nginx does not do. */
async function receiver(misbehave: Misbehaviour, options: tls.TlsOptions = {}) {
  const started = await startHostileReceiver(misbehave, {
    tls: { key: KEY, cert: PRIVATE_RECEIVER, requestCert: true, rejectUnauthorized: false, ...options },
  });
  onTestFinished(() => started.close());
  return started;
}

describe.skipIf(skipsNginxTests)('an authority of the endpoint', () => {
  let good: TlsReceiver;
  let expired: TlsReceiver;
  let publicOne: TlsReceiver;
  beforeAll(async () => {
    good = await startTlsReceiver({ verify: 'off' });
    expired = await startTlsReceiver({ verify: 'off', cert: PRIVATE_RECEIVER_EXPIRED });
    publicOne = await startTlsReceiver({ verify: 'off', cert: GOOD });
  });
  afterAll(() => Promise.all([good, expired, publicOne].map((each) => each[Symbol.asyncDispose]())));

  test('makes its receiver trusted, also among others, and no one else trusts it', async () => {
    expect(seenBy(await send(sender(), good, identity({ ca: PRIVATE_AUTHORITY })))).toMatchObject({
      verified: 'NONE',
      protocol: 'TLSv1.3',
    });
    const both = identity({ ca: `${OTHER_AUTHORITY}\n${PRIVATE_AUTHORITY}\n` });
    expect(await send(sender(), good, both)).toMatchObject({ statusCode: 200 });
    const untrusted = { kind: 'error', code: 'TLS_CERTIFICATE_UNTRUSTED', sent: false };
    expect(await send(sender(), good, null)).toMatchObject(untrusted);
    expect(await send(sender(), good, identity({ ca: OTHER_AUTHORITY }))).toMatchObject(untrusted);
    expect(await send(sender(), good, identity({ cert: CLIENT_A, key: KEY }))).toMatchObject(untrusted);
  });

  test('takes the place of those that everybody trusts', async () => {
    expect(await send(sender(), publicOne, null)).toMatchObject({ statusCode: 200 });
    expect(await send(sender(), publicOne, identity({ cert: CLIENT_A, key: KEY }))).toMatchObject({ statusCode: 200 });
    expect(await send(sender(), publicOne, identity({ ca: PRIVATE_AUTHORITY }))).toMatchObject({
      code: 'TLS_CERTIFICATE_UNTRUSTED',
    });
  });

  test('does not make up for an expired certificate, nor for another name, whatever the environment says', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
    const own = identity({ ca: PRIVATE_AUTHORITY });
    expect(await send(sender(), expired, own)).toMatchObject({ code: 'TLS_CERTIFICATE_EXPIRED', sent: false });
    expect(await send(sender(), good, own, 'other.example.com')).toMatchObject({
      code: 'TLS_CERTIFICATE_NAME',
      sent: false,
    });
  });
});

describe.skipIf(skipsNginxTests)('a certificate of the endpoint', () => {
  let strict: TlsReceiver;
  beforeAll(async () => {
    strict = await startTlsReceiver();
  });
  afterAll(() => strict[Symbol.asyncDispose]());

  test('is shown to its receiver', async () => {
    expect(seenBy(await send(sender(), strict, asClient(CLIENT_A)))).toMatchObject({
      verified: 'SUCCESS',
      serial: '2003',
    });
    expect(seenBy(await send(sender(), strict, asClient(CLIENT_B, LOCALHOST.key)))).toMatchObject({ serial: '2004' });
  });

  test('is shown in TLS 1.2 as in TLS 1.3', async () => {
    await using older = await startTlsReceiver({ protocols: 'TLSv1.2' });
    expect(seenBy(await send(sender(), older, asClient(CLIENT_A)))).toMatchObject({
      protocol: 'TLSv1.2',
      serial: '2003',
    });
  });

  test.each([
    ['has expired', () => asClient(CLIENT_EXPIRED)],
    ['is by an authority that the receiver does not know', () => asClient(CLIENT_OF_OTHER)],
    ['is missing', () => identity({ ca: PRIVATE_AUTHORITY })],
  ])('is refused by the receiver when it %s', async (_, own) => {
    const result = await send(sender(), strict, own());
    expect(result).toMatchObject({ kind: 'response', statusCode: 400 });
    expect(String((result as { body: Buffer }).body)).toMatch(/certificate/i);
  });

  test('has connections that no other endpoint rides, of whichever tenant, and no version after it', async () => {
    const by = sender();
    const first = asClient(CLIENT_A);
    const others: [string, TlsIdentity | null, number][] = [
      ['the same certificate at another webhook', asClient(CLIENT_A, KEY, 2), 1],
      ['the same certificate, replaced', asClient(CLIENT_A), 1],
      ['another certificate', asClient(CLIENT_B, LOCALHOST.key), 1],
      ['another tenant', asClient(CLIENT_A), 2],
    ];
    const { connection } = seenBy(await send(by, strict, first));
    const seen = new Set([connection]);
    for (const [, own, tenantId] of others) {
      await turn();
      seen.add(seenBy(await send(by, strict, own, NAME, tenantId)).connection);
    }
    expect(seen.size).toBe(1 + others.length);
    // Without a certificate nginx would say 200 if it went over one of them.
    expect(await send(by, strict, identity({ ca: PRIVATE_AUTHORITY }))).toMatchObject({ statusCode: 400 });
    expect(await send(by, strict, null)).toMatchObject({ code: 'TLS_CERTIFICATE_UNTRUSTED' });
    await turn();
    expect(seenBy(await send(by, strict, first)).connection).toBe(connection);
  });

  test('counts with a time limit of the endpoint, too', async () => {
    const by = sender();
    const own = asClient(CLIENT_A);
    const sent = () => by.send(`https://${NAME}:${strict.port}/`, request, 1, 3_000, own);
    const { connection, serial } = seenBy(await sent());
    await turn();
    expect([serial, seenBy(await sent()).connection]).toEqual(['2003', connection]);
  });

  test('is shown through a proxy, which gets nothing of it, nor trusts its authority', async () => {
    let shown: PeerCertificate | undefined;
    const secure = { key: LOCALHOST.key, cert: LOCALHOST.cert, requestCert: true, rejectUnauthorized: false };
    const proxies: FakeProxy[] = [];
    for (const options of [{}, { tls: secure }]) {
      proxies.push(
        await startFakeProxy((_, __, client) => {
          shown = (client as TLSSocket).getPeerCertificate?.();
          return { port: strict.port };
        }, options),
      );
    }
    onTestFinished(async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))));
    setDefaultCACertificates([AUTHORITY, LOCALHOST.cert]);
    onTestFinished(() => setDefaultCACertificates([AUTHORITY]));
    for (const { url } of proxies) {
      const by = sender({ egressProxy: url });
      const own = asClient(CLIENT_A);
      const { serial, connection } = seenBy(await send(by, strict, own));
      await turn();
      expect([serial, seenBy(await send(by, strict, own)).connection]).toEqual(['2003', connection]);
      expect(seenBy(await send(by, strict, asClient(CLIENT_B, LOCALHOST.key, 2))).serial).toBe('2004');
      expect(await send(by, strict, null)).toMatchObject({ code: 'TLS_CERTIFICATE_UNTRUSTED' });
    }
    expect(shown).toEqual({});
    // A proxy with a certificate of the endpoint's authority is no proxy that the installation trusts.
    const [, { port }] = proxies as [FakeProxy, FakeProxy];
    setDefaultCACertificates([AUTHORITY]);
    const away = send(sender({ egressProxy: `https://127.0.0.1:${port}` }), strict, identity({ ca: LOCALHOST.cert }));
    await expect(away).rejects.toMatchObject({ code: 'EGRESS_PROXY_AWAY' });
  });

  test('is replaced under sixteen loops of requests without a failure', async () => {
    const by = sender();
    let own = asClient(CLIENT_A);
    let isOver = false;
    const serials: string[] = [];
    const loops = Array.from({ length: 16 }, async () => {
      while (!isOver) {
        serials.push(seenBy(await send(by, strict, own)).serial);
      }
    });
    const replacements = [asClient(CLIENT_B, LOCALHOST.key), asClient(CLIENT_A), asClient(CLIENT_B, LOCALHOST.key)];
    for (const next of replacements) {
      const { length } = serials;
      await eventually(() => serials.length > length + 200);
      own = next;
    }
    const { length } = serials;
    await eventually(() => serials.length > length + 200);
    isOver = true;
    await Promise.all(loops);
    expect(new Set(serials)).toEqual(new Set(['2003', '2004']));
    expect(new Set(serials.slice(-150))).toEqual(new Set(['2004']));
  });
});

test('a request that is repeated on a new connection shows the certificate again', async () => {
  const shown: string[] = [];
  const moody = await receiver((socket) => {
    shown.push((socket as TLSSocket).getPeerCertificate().serialNumber);
    socket.write(response(200));
    socket.on('data', () => socket.destroy());
  });
  const by = sender();
  const own = asClient(CLIENT_A);
  for (const _ of [1, 2]) {
    expect(await send(by, moody, own)).toMatchObject({ statusCode: 200 });
    await turn();
  }
  expect(shown).toEqual(['2003', '2003']);
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a receiver that refuses it by an alert of %s is named as TLS',
  async (maxVersion) => {
    const strict = await receiver(answersEach(response(200)), {
      maxVersion,
      ca: PRIVATE_AUTHORITY,
      rejectUnauthorized: true,
    });
    const by = sender();
    for (let count = 0; count < 20; count++) {
      const refused = await send(by, strict, identity({ ca: PRIVATE_AUTHORITY }));
      expect(refused).toMatchObject({ kind: 'error', code: 'TLS_FAILED' });
    }
    expect(await send(by, strict, asClient(CLIENT_A))).toMatchObject({ statusCode: 200 });
    expect(strict.connections).toBe(21);
  },
);

describe('a server of TLS 1.1 alone is refused', () => {
  // As by --tls-min-v1.0 and ciphers to match: then Node itself would speak TLS 1.1.
  beforeAll(() => {
    const { DEFAULT_MIN_VERSION, DEFAULT_CIPHERS } = tls;
    Object.assign(tls, { DEFAULT_MIN_VERSION: 'TLSv1', DEFAULT_CIPHERS: 'DEFAULT@SECLEVEL=0' });
    return () => Object.assign(tls, { DEFAULT_MIN_VERSION, DEFAULT_CIPHERS });
  });
  const OLD = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;

  test('though this process would speak to it', async () => {
    const old = await receiver(answersEach(response(200)), OLD);
    const socket = tls.connect({ port: old.port, host: '127.0.0.1', ca: PRIVATE_AUTHORITY });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    expect(socket.getProtocol()).toBe('TLSv1.1');
  });

  test.each([
    ['without anything', () => null],
    ['with an authority', () => identity({ ca: PRIVATE_AUTHORITY })],
    ['with a certificate', () => identity({ cert: CLIENT_A, key: KEY })],
    ['with both', () => asClient(CLIENT_A)],
  ])('%s, directly and through the proxy', async (_, own) => {
    const old = await receiver(answersEach(response(200)), OLD);
    const proxy = await startFakeProxy(() => ({ port: old.port }));
    onTestFinished(() => proxy.close());
    for (const by of [sender(), sender({ egressProxy: proxy.url })]) {
      expect(await send(by, old, own())).toMatchObject({ kind: 'error', code: 'TLS_FAILED', sent: false });
    }
    expect([old.received, old.connections]).toEqual(['', 2]);
  });
});

test('a thousand identities leave no pool behind ten seconds after their last request', async () => {
  const pools = watchPools();
  const good = await receiver(answersEach(response(200)));
  const by = sender();
  for (let first = 0; first < 1_000; first += 50) {
    const some = Array.from({ length: 50 }, (_, i) => asClient(CLIENT_A, KEY, first + i));
    const results = await Promise.all(some.map((own) => send(by, good, own)));
    expect(results.filter(({ kind }) => kind === 'error')).toEqual([]);
  }
  expect(good.connections).toBe(1_000);
  expect(pools.size).toBeGreaterThanOrEqual(50);
  await eventually(() => pools.size === 0, 10_000);
  expect(good.open).toBe(0);
});

test.each([
  ['a certificate', { cert: 'none', key: KEY }],
  ['a key', { cert: CLIENT_A, key: 'none' }],
  ['an authority', { ca: `-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----` }],
  ['a pair', { cert: CLIENT_B, key: KEY }],
])('%s that OpenSSL does not take is a fault of our own', (_, parts) => {
  expect(() => identity(parts)).toThrow(TlsUnusable);
});

/** After which undici lends a connection again. */
async function turn(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
