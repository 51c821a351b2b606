import { createHmac, randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { verify } from '../../packages/receiver/src/index.js';
import { buildServer } from '../../src/api/server.js';
import { openTracing } from '../../src/platform/telemetry/open-tracing.js';
import { startCollector } from '../support/collector.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { makeKey } from '../support/factories.js';
import { signatureOf } from '../support/operational-news.js';
import { type Received, startReceiver } from '../support/receiver.js';

/** Secrets that come with a webhook of another service sign as before, and are found nowhere. */

const standardOf = (key: Buffer, { headers, body }: Received) => {
  const head = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`;
  return `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`;
};
const READ = `{
  webhooks(first: 5) { edges { node { id url previousSecretExpiresAt
    deliveries(first: 5) { edges { node { asCurl attempts {
      requestHeaders responseHeaders responseBody } } } } } } }
  auditLog { edges { node { action before after } } }
}`;

test('imported secrets sign the deliveries, and are in nothing that anybody can read', async () => {
  await using stack = await DeliveryStack.open();
  await using collector = await startCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const read: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void read.push(line) });
  const tracing = await openTracing(log);
  Object.assign(stack.services, { tracing, log });
  const server = await buildServer(stack.services);
  const { key } = await makeKey(stack.services, null, ['platform:admin']);
  const ask = async (method: 'GET' | 'POST', url: string, payload?: object) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'hookwright-tenant': String(stack.tenantId),
    };
    const answer = await server.inject({
      method,
      url,
      headers,
      ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
    });
    // The answer to the POST that makes a webhook has its secret.
    read.push(answer.payload.replace(/"secret":"[^"]*"/, ''));
    return JSON.parse(answer.payload);
  };
  await using receiver = await startReceiver();
  const [secret, previous] = [randomBytes(32).toString('hex'), `acme:${randomBytes(12).toString('base64')}!`];
  const bytes = randomBytes(24);
  const imported = { secret: `whsec_${bytes.toString('base64')}`, previous_secret: secret };
  const webhook = (path: string, own: object) =>
    ask('POST', '/api/v1/webhooks', { url: new URL(path, receiver.url).href, events: ['*'], ...own });
  await webhook('/texts', { secret, previous_secret: previous });
  await webhook('/bytes', imported);
  await webhook('/refused', { secret: `${secret}\n`, previous_secret: `whsec_${secret}!` });
  await webhook('/refused', { secret: { [secret]: previous } });
  const daemon = stack.startDaemon();
  await stack.emit();
  await stack.succeeded(2, 30_000);
  const of = (path: string) => eventually(() => receiver.received.find((one) => one.path === path));
  const [texts, others] = [await of('/texts'), await of('/bytes')];
  expect(texts.headers['x-service-signature']).toBe(signatureOf(previous, texts.body));
  expect(texts.headers['webhook-signature']).toBe(
    [secret, previous].map((text) => standardOf(Buffer.from(text), texts)).join(' '),
  );
  expect(others.headers['x-service-signature']).toBe(signatureOf(secret, others.body));
  expect(others.headers['webhook-signature']).toBe(
    [bytes, Buffer.from(secret)].map((one) => standardOf(one, others)).join(' '),
  );
  for (const [request, known] of [
    [texts, secret],
    [texts, previous],
    [others, imported.secret],
  ] as const) {
    expect(await verify(request.body, request.headers, known)).toMatchObject({ ok: true });
  }
  await ask('POST', '/graphql', { query: READ });
  await ask('GET', '/api/v1/webhooks');
  read.push(await daemon.registry.metrics());
  const tables = await stack.rows<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('hookwright', 'hookwright_jobs') and c.relkind = 'r'`,
  );
  for (const { name } of tables) {
    read.push(...(await stack.rows<{ row: string }>(`select t::text as row from ${name} t`)).map(({ row }) => row));
  }
  await tracing?.close();
  read.push(...collector.bodies);
  const text = read.join('\n');
  expect(text).toMatch(/\\?"secret\\?": ?\\?"own/);
  for (const marker of [secret, previous, imported.secret, bytes.toString('base64')]) {
    for (const form of [marker, Buffer.from(marker).toString('hex'), JSON.stringify(marker).slice(1, -1)]) {
      expect(text.includes(form)).toBe(false);
    }
  }
  expect(text.includes(bytes.toString('hex'))).toBe(false);
  await server.close();
});
