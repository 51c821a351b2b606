import { execFile } from 'node:child_process';
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createRemoteJWKSet } from 'jose';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { verify } from '../../packages/receiver/src/index.js';
import { buildServer } from '../../src/api/server.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { rotateSigningKey } from '../../src/operations/signing-keys/change-signing-keys.js';
import { updateTenant } from '../../src/operations/tenants/update-tenant.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { serve } from '../support/loopback.js';
import type { Received } from '../support/receiver.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Deliveries that a tenant's key pair signs besides the secret. */

type PublishedKey = JsonWebKey & { kid: string };

class Site {
  /** Receivers of another day read the keys again, which they keep for minutes. */
  day = 0;

  private constructor(
    readonly stack: DeliveryStack,
    readonly endpoint: Endpoint,
    readonly jwks: string,
  ) {}

  static async open(parts: AsyncDisposableStack): Promise<Site> {
    const stack = parts.use(await DeliveryStack.open());
    const endpoint = await stack.endpoint();
    await stack.change(endpoint.webhookId, {
      signing: 'SECRET_AND_KEY',
      signingKey: await stack.services.vault.newSigningKey(stack.tenantId),
    });
    const server = await buildServer(stack.services);
    parts.defer(() => server.close());
    const port = await serve(server);
    const [{ jwks_id: id }] = (await stack.rows<{ jwks_id: string }>(
      'select jwks_id from hookwright.signing_keys',
    )) as [{ jwks_id: string }];
    return new Site(stack, endpoint, `http://127.0.0.1:${port}/keys/${id}.json`);
  }

  async published(): Promise<PublishedKey[]> {
    return ((await (await fetch(this.jwks)).json()) as { keys: PublishedKey[] }).keys;
  }

  /** Emits events, and waits for their requests. */
  async deliver(count: number, payload?: object): Promise<Received[]> {
    const before = this.endpoint.received.length;
    await Promise.all(Array.from({ length: count }, () => this.stack.emit('coupon.applied', payload)));
    await eventually(() => this.endpoint.received.length >= before + count, 30_000);
    return this.endpoint.received.slice(before);
  }

  rotate(inHours: number) {
    const { db, vault } = this.stack.services;
    return rotateSigningKey(db, vault, this.stack.tenantId, { inHours, by: commandLine });
  }
}

const signatureIn = ({ headers }: Received) => {
  const entries = String(headers['webhook-signature']).split(' ');
  expect(entries).toEqual([expect.stringMatching(/^v1,/), expect.stringMatching(/^v1a,[A-Za-z0-9+/]{86}==$/)]);
  return Buffer.from(entries[1]!.slice('v1a,'.length), 'base64');
};
const signedIn = ({ headers, body }: Received) =>
  Buffer.concat([Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`), body]);

const run = promisify(execFile);

/** Whether OpenSSL takes a request by a public key. */
async function opensslTakes(request: Received, key: PublishedKey): Promise<boolean> {
  const folder = temporaryFolder();
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const pem = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const [inkey, message, signature] = [
    file('key.pem', pem),
    file('message', signedIn(request)),
    file('signature', signatureIn(request)),
  ];
  const command = ['pkeyutl', '-verify', '-pubin', '-inkey', inkey, '-rawin', '-in', message, '-sigfile', signature];
  try {
    await run('openssl', command);
    return true;
  } catch {
    return false;
  }
}

/** By the library jose, which reads the address of the keys itself. */
async function joseTakes(request: Received, jwks: ReturnType<typeof createRemoteJWKSet>, kid: string) {
  const key = (await jwks({ alg: 'EdDSA', kid })) as CryptoKey;
  return crypto.subtle.verify('Ed25519', key, signatureIn(request), signedIn(request));
}

/** The keys that have signed, by our receiver, by OpenSSL and by jose. */
async function signersOf(site: Site, requests: readonly Received[]): Promise<Set<string>> {
  const [keys, jose] = [await site.published(), createRemoteJWKSet(new URL(site.jwks), { timeoutDuration: 60_000 })];
  const kids = new Set<string>();
  for (const request of requests) {
    const verdict = await verify(request.body, request.headers, { jwks: `${site.jwks}?day=${site.day}` });
    const { kid = 'none' } = verdict.ok ? verdict : {};
    const taken = await Promise.all(keys.map(async (key) => ((await opensslTakes(request, key)) ? [key.kid] : [])));
    expect(taken.flat()).toEqual([kid]);
    expect(await joseTakes(request, jose, kid)).toBe(true);
    kids.add(kid);
  }
  return kids;
}

/** What the receivers verify by the secret stays as it was. */
const secretFits = ({ headers, body }: Received, secret: string) =>
  new StandardWebhook(secret).verify(body, headers as Record<string, string>) !== null;

test('before, during and after a rotation every request of two daemons verifies, by OpenSSL and jose too', async () => {
  await using parts = new AsyncDisposableStack();
  const site = await Site.open(parts);
  const { stack } = site;
  const [old] = await site.published();
  const first = stack.startDaemon();
  const second = stack.startDaemon();
  const before = await site.deliver(20);
  expect(await signersOf(site, before)).toEqual(new Set([old!.kid]));
  expect(before.every((one) => secretFits(one, site.endpoint.secret))).toBe(true);

  const { kid: young } = await site.rotate(24);
  expect((await site.published()).map(({ kid }) => kid)).toEqual([young, old!.kid]);
  const during = await site.deliver(5);
  expect(await signersOf(site, during)).toEqual(new Set([old!.kid]));

  site.day += 1;
  // A day later the first daemon has not read the keys again, and another one has.
  await stack.rows(`
    update hookwright.signing_keys young set used_from = old.used_from + interval '1 millisecond'
    from hookwright.signing_keys old where young.kid = '${young}' and old.kid = '${old!.kid}'`);
  await second.stop();
  stack.startDaemon();
  const between = await site.deliver(40);
  for (const kid of await signersOf(site, between)) {
    expect([old!.kid, young]).toContain(kid);
  }
  await first.stop();
  stack.startDaemon();
  const after = await site.deliver(5);
  expect(await signersOf(site, after)).toEqual(new Set([young]));
});

test('a body of 256 KiB is signed as a short one is', async () => {
  await using parts = new AsyncDisposableStack();
  const site = await Site.open(parts);
  site.stack.startDaemon();
  const [request] = await site.deliver(1, { code: 'x'.repeat(262_000), discount_type: 'fixed' });
  const [key] = await site.published();
  expect(request!.body.length).toBeGreaterThan(262_000);
  expect(await signersOf(site, [request!])).toEqual(new Set([key!.kid]));
});

test('a retry is signed again, with its own time', async () => {
  await using parts = new AsyncDisposableStack();
  const site = await Site.open(parts);
  site.endpoint.answerWith((_, response) => response.writeHead(site.endpoint.received.length > 1 ? 200 : 500).end());
  site.stack.startDaemon();
  await site.deliver(1);
  await eventually(() => site.endpoint.received.length === 2);
  expect((await signersOf(site, site.endpoint.received)).size).toBe(1);
});

test('webhooks follow the default of their tenant, and others are signed by their secret alone', async () => {
  await using parts = new AsyncDisposableStack();
  const { stack, endpoint } = await Site.open(parts);
  const [other, third] = [await stack.endpoint(), await stack.endpoint()];
  await stack.change(third.webhookId, { signing: 'SECRET' });
  stack.startDaemon();
  await stack.emit();
  await stack.succeeded(3, 30_000);
  expect(
    [endpoint, other, third].map(({ received }) => /v1a,/.test(String(received[0]!.headers['webhook-signature']))),
  ).toEqual([true, false, false]);
  const signingKey = await stack.services.vault.newSigningKey(stack.tenantId);
  await updateTenant(stack.services.db, stack.tenantId, { signing: 'SECRET_AND_KEY' }, commandLine, signingKey);
  await eventually(async () => {
    const [row] = await stack.rows<{ version: number | null }>(
      `select options_version as version from hookwright.webhooks where id = ${other.webhookId}`,
    );
    return row!.version !== null;
  }, 30_000);
  await stack.emit();
  await stack.succeeded(6, 30_000);
  expect([other, third].map(({ received }) => /v1a,/.test(String(received[1]!.headers['webhook-signature'])))).toEqual([
    true,
    false,
  ]);
});

test('with a damaged key nothing is sent, no attempt is used up, and the log names the tenant', async () => {
  await using parts = new AsyncDisposableStack();
  const { stack, endpoint } = await Site.open(parts);
  const lines: object[] = [];
  const log = { error: (fields: object, message: string) => void lines.push({ ...fields, message }) };
  Object.assign(stack.services, { log: Object.assign(Object.create(stack.services.log), log) });
  await stack.rows(`update hookwright.signing_keys set sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20))`);
  stack.startDaemon();
  const eventId = await stack.emit();
  await eventually(() => lines.length > 0, 30_000);
  expect(lines).toMatchObject([{ tenantId: stack.tenantId, webhookId: endpoint.webhookId }]);
  expect(await stack.delivery(eventId)).toMatchObject({ status: 'PENDING', attempt_count: 0 });
  expect(endpoint.received).toEqual([]);
});
