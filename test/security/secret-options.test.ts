import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { buildServer } from '../../src/api/server.js';
import { SCOPES } from '../../src/domain/keys/scopes.js';
import { formatSecret, SECRET_BYTES } from '../../src/domain/signing/secret.js';
import { openTracing } from '../../src/platform/telemetry/open-tracing.js';
import { startCollector } from '../support/collector.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { makeKey } from '../support/factories.js';
import { gid } from '../support/ids.js';
import { watchedLog } from '../support/plaintext.js';
import { type Received, startReceiver } from '../support/receiver.js';

/**
 * The secrets of delivery options are found at the receiver and nowhere else. They have the form of signing secrets, so
 * every log line, failed answer and table is searched for them besides when the database is given back.
 */

const marker = () => formatSecret(randomBytes(SECRET_BYTES));
const READ = `{
  webhooks(first: 5) { edges { node { name delivery { headers { name value secret } auth { kind username header } own }
    deliveries(first: 5) { edges { node { asCurl attempts {
      requestHeaders responseHeaders responseBody } } } } } } }
  auditLog { edges { node { action before after } } }
}`;

test('a secret of the options is at its receiver, and in nothing that anybody can read', async () => {
  await using stack = await DeliveryStack.open();
  await using collector = await startCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const tracing = await openTracing(watchedLog());
  Object.assign(stack.services, { tracing });
  const server = await buildServer(stack.services);
  const { key } = await makeKey(stack.services, stack.tenantId, SCOPES);
  const read: string[] = [];
  const ask = async (method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = payload === undefined ? {} : { payload: JSON.stringify(payload) };
    const { payload: text } = await server.inject({ method, url, headers, ...body });
    // The signing secret of a new webhook is shown once.
    read.push(text.replace(/"secret":"whsec_[^"]*"/, ''));
    return JSON.parse(text);
  };
  await using canary = await startReceiver();
  const echo = ({ headers, rawHeaders }: Received) => JSON.stringify({ headers, rawHeaders, auth: decoded(headers) });
  await using receiver = await startReceiver((request, response) => {
    const isFirst = receiver.received.filter(({ path }) => path === request.path).length === 1;
    const echoed = { 'x-echo': String(request.headers.authorization ?? request.headers['x-key']) };
    response.writeHead(isFirst ? 307 : 200, { ...echoed, location: canary.url }).end(echo(request));
  });
  const markers = Array.from({ length: 6 }, marker);
  const auths = [
    { basic: { username: 'hooks', password: markers[0]! } },
    { bearer: markers[1]! },
    { api_key: { header: 'X-Key', value: markers[2]! } },
  ];
  const ids: number[] = [];
  for (const [index, auth] of auths.entries()) {
    const url = new URL(`/${index}`, receiver.url).href;
    const delivery = { auth, headers: { 'X-Own': { value: markers[3 + index]! } } };
    const made = await ask('POST', '/api/v1/webhooks', { url, events: ['*'], options: { delivery } });
    ids.push(made.data.id);
  }
  const daemon = stack.startDaemon();
  await stack.emit();
  await eventually(async () => (await stack.deliveries("status = 'SUCCEEDED'")).length === ids.length, 30_000);
  for (const id of ids) {
    const check = `mutation { checkWebhook(input: { webhookId: "${gid.webhook(id)}" }) { delivery { asCurl } } }`;
    await ask('POST', '/graphql', { query: check });
    await ask('POST', `/api/v1/webhooks/${id}/test`);
    await ask('GET', `/api/v1/webhooks/${id}/options`);
    await ask('PATCH', `/api/v1/webhooks/${id}`, { url: 'https://thief.example.com/' });
    const wrong = {
      delivery: { auth: { bearer: `${markers[0]} ` }, headers: { 'X-Own': { value: `${markers[1]}\n` } } },
    };
    await ask('PATCH', `/api/v1/webhooks/${id}/options`, wrong);
  }
  await eventually(async () => (await stack.deliveries("status = 'PENDING'")).length === 0, 30_000);
  const all = await ask('POST', '/graphql', { query: READ });
  expect(all.errors).toBeUndefined();
  read.push(await daemon.registry.metrics());
  const tables = await stack.rows<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('hookwright', 'hookwright_jobs') and c.relkind = 'r'`,
  );
  for (const { name } of tables) {
    // Bytes are text in hexadecimal digits: bodies of answers, and envelopes.
    read.push(...(await stack.rows<{ row: string }>(`select t::text as row from ${name} t`)).map(({ row }) => row));
  }
  await tracing?.close(); // sends what it has
  expect(collector.spans.map(({ name }) => name)).toContain('deliver');
  read.push(...collector.bodies);
  const sent = JSON.stringify(receiver.received.map(({ headers }) => [headers, decoded(headers)]));
  const text = read.join('\n');
  expect(text).toContain('[secret]');
  for (const secret of markers) {
    expect(sent).toContain(secret);
    for (const form of [secret, Buffer.from(`hooks:${secret}`).toString('base64')]) {
      expect(text.includes(form)).toBe(false);
      expect(text.includes(Buffer.from(form).toString('hex'))).toBe(false);
    }
  }
  expect(canary.received).toEqual([]);
  await server.close();
});

/** What a receiver makes of basic auth. */
const decoded = ({ authorization = '' }: { authorization?: string | undefined }) =>
  Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString();
