import { once } from 'node:events';
import { request as httpRequest, type ServerResponse } from 'node:http';
import { createClient } from 'graphql-sse';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { buildGraphqlSchema } from '../../src/api/graphql/schema.js';
import { SCOPES } from '../../src/domain/keys/scopes.js';
import { createApiKey } from '../../src/operations/keys/create-api-key.js';
import { revokeApiKey } from '../../src/operations/keys/revoke-api-key.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { deleteTenant } from '../../src/operations/tenants/delete-tenant.js';
import { badValues } from '../support/bad-values.js';
import { eventually } from '../support/eventually.js';
import { makeKey, makeTenant } from '../support/factories.js';
import { gid } from '../support/ids.js';
import { deliveries, LiveApi, type LiveStream, type StreamTimes, webhooks } from '../support/live-api.js';
import { openTransaction } from '../support/locks.js';
import { innards } from '../support/untouched.js';

const WITHIN_MS = 20_000;
const RECEIVER = 'https://receiver.example.com/';

/** The API of tests without their own settings or times. */
const shared = await LiveApi.open();
afterAll(() => shared[Symbol.asyncDispose]());

let own: LiveApi | undefined;
afterEach(async () => {
  await own?.[Symbol.asyncDispose]();
  own = undefined;
});

async function open(settings: Record<string, string> = {}, times: StreamTimes = {}): Promise<LiveApi> {
  own = await LiveApi.open(settings, times);
  return own;
}

/** A stream with more to say than its client, which has stopped reading, has room for. */
async function stoppedReader(live: LiveApi, key: string): Promise<{ stream: LiveStream; response: ServerResponse }> {
  await live.stack.webhook(RECEIVER);
  const document = 'subscription { deliveryUpdated { delivery { id event { body } } } }';
  const arrived = once(live.servers[0]!.server.server, 'request') as Promise<[unknown, ServerResponse]>;
  const stream = await live.follow(document, {}, { key });
  const [, response] = await arrived;
  stream.response.pause();
  const payload = { code: 'x'.repeat(200_000), discount_type: 'y' };
  for (let i = 0; i < 100; i++) {
    await live.stack.emit('coupon.applied', payload);
  }
  await eventually(() => response.writableNeedDrain, WITHIN_MS);
  return { stream, response };
}

describe('who may follow', () => {
  test('nobody without a key, or with a wrong one', async () => {
    for (const key of [null, 'hw_1_wrong']) {
      const stream = await shared.subscribe(deliveries, {}, { key });
      expect(stream.status).toBe(401);
      expect(stream.response.headers['www-authenticate']).toBe('Bearer');
      expect((await stream.body()).errors[0]?.extensions['code']).toBe('UNAUTHENTICATED');
    }
  });

  test('deliveries need deliveries:read, webhooks webhooks:read, and nested fields what they need', async () => {
    const { services, tenantId } = shared.stack;
    const reader = await makeKey(services, tenantId, ['deliveries:read']);
    const manager = await makeKey(services, tenantId, ['webhooks:read']);
    for (const [document, { key }] of [
      [deliveries, manager],
      [webhooks, reader],
    ] as const) {
      const stream = await shared.subscribe(document, {}, { key });
      await eventually(() => stream.isComplete);
      expect(stream.status).toBe(200);
      expect(stream.errors[0]?.extensions.code).toBe('FORBIDDEN');
    }
    const nested = 'subscription { deliveryUpdated { delivery { id event { id } } } }';
    const stream = await shared.follow(nested, {}, { key: reader.key });
    await shared.stack.webhook(RECEIVER);
    await shared.stack.emit();
    await eventually(() => stream.updates.at(-1)?.delivery, WITHIN_MS);
    expect(stream.updates.at(-1).delivery).toEqual({ id: expect.any(String), event: null });
    expect(stream.errors.at(-1)?.extensions.code).toBe('FORBIDDEN');
  });

  test('a platform key that names the installation, its webhooks', async () => {
    const { key } = await makeKey(shared.stack.services, null, ['platform:admin']);
    const headers = { 'hookwright-tenant': 'installation' };
    const stream = await shared.follow(webhooks, {}, { key, headers });
    const query =
      'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id databaseId } } }';
    const made = await shared.servers[0]!.server.inject({
      method: 'POST',
      url: '/graphql',
      headers: { authorization: `Bearer ${key}`, ...headers },
      payload: { query, variables: { input: { url: RECEIVER, eventTypes: ['*'] } } },
    });
    const { webhook } = made.json().data.createWebhook;
    await eventually(() => stream.updates.some((update) => update.webhook?.id === webhook.id), WITHIN_MS);
    expect(stream.errors).toEqual([]);
    expect(stream.hasEnded).toBe(false);
    stream.cut();
  });

  test.concurrent('a key that is revoked, elsewhere too, ends its streams within 5 s and no other', async () => {
    const { services, tenantId } = shared.stack;
    const { key, id } = await makeKey(services, tenantId, ['webhooks:read']);
    const stream = await shared.follow(webhooks, {}, { key });
    const other = await shared.follow(webhooks);
    const revokedAt = performance.now();
    await revokeApiKey(services.db, tenantId, id, commandLine); // past the process that has the stream
    await eventually(() => stream.hasEnded, WITHIN_MS);
    expect(performance.now() - revokedAt).toBeLessThan(8_000); // 5 s, on a machine with nothing else to do
    expect(stream.errors[0]?.extensions.code).toBe('UNAUTHENTICATED');
    expect(stream.isComplete).toBe(true); // a client need not come back
    expect(other.hasEnded).toBe(false);
  });

  test.concurrent('a stream of a platform key ends with the tenant that it is about', async () => {
    const { services } = shared.stack;
    const { key } = await makeKey(services, null, ['platform:admin']);
    const { id } = await makeTenant(services);
    const headers = { 'hookwright-tenant': String(id) };
    const stream = await shared.follow(webhooks, {}, { key, headers });
    const [tenant] = await shared.stack.rows<{ name: string }>(`select name from hookwright.tenants where id = ${id}`);
    await deleteTenant(services.db, { tenantId: id, name: tenant!.name }, commandLine);
    await eventually(() => stream.hasEnded, WITHIN_MS);
    expect(stream.errors[0]?.extensions.code).toBe('NOT_FOUND');
  });

  test('a key that is revoked ends its streams also when nobody reads them any more', async () => {
    const { services, tenantId } = shared.stack;
    const { key, id } = await makeKey(services, tenantId, SCOPES);
    const { stream, response } = await stoppedReader(shared, key);
    const closed = once(response, 'close');
    const revokedAt = performance.now();
    await revokeApiKey(services.db, tenantId, id, commandLine);
    await closed;
    expect(performance.now() - revokedAt).toBeLessThan(15_000); // a slow reader has 30 s otherwise
    stream.cut();
  });

  test.concurrent('a key that expires ends its streams', async () => {
    const { services } = shared.stack;
    const { key, id } = await createApiKey(services.db, services.random, {
      tenantId: (await makeTenant(services)).id,
      name: 'short',
      scopes: ['webhooks:read'],
      by: commandLine,
    });
    await shared.stack.rows(
      `update hookwright.api_keys set expires_at = now() + interval '4 seconds' where id = ${id}`,
    );
    const stream = await shared.follow(webhooks, {}, { key });
    expect([stream.hasEnded, stream.events]).toEqual([false, []]);
    await eventually(() => stream.hasEnded, WITHIN_MS);
    expect(stream.errors[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });
});

describe('what may be asked', () => {
  test.each([
    ['a query', '{ webhooks { edges { cursor } } }', 'BAD_REQUEST'],
    ['a mutation', 'mutation { deleteWebhook(input: {id: "1"}) { deletedWebhookId } }', 'BAD_REQUEST'],
    [
      'two subscriptions in one',
      'subscription { webhookUpdated { cursor } deliveryUpdated { cursor } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'one of two without its name',
      'subscription A { webhookUpdated { cursor } } subscription B { webhookUpdated { cursor } }',
      'OPERATION_RESOLUTION_FAILURE',
    ],
    ['an unknown field', 'subscription { webhookUpdated { nothing } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['what is not a document', 'subscription { webhookUpdated { cursor ', 'GRAPHQL_PARSE_FAILED'],
    ['a document with too many tokens', `subscription { ${'a '.repeat(2000)} }`, 'GRAPHQL_PARSE_FAILED'],
    [
      'one that is too deep',
      `subscription { webhookUpdated { webhook ${'{ deliveries { edges { node { webhook '.repeat(3)} { id } ${'} } } }'.repeat(3)} } }`,
      'GRAPHQL_VALIDATION_FAILED',
      'The operation is 15 levels deep',
    ],
    [
      'one that could read too much',
      `subscription { webhookUpdated { webhook { deliveries(first: 100) { edges { node { event { deliveries(first: 100) {
         edges { node { attempts { number } } } } } } } } } } }`,
      'GRAPHQL_VALIDATION_FAILED',
      'The updates could read too much',
    ],
    [
      'one of which each update could read more than 1,000 objects',
      `subscription { webhookUpdated { webhook { deliveries(first: 100) { edges { node {
         event { id } webhook { id deliveries(first: 6) { edges { cursor } } } } } } } } }`,
      'GRAPHQL_VALIDATION_FAILED',
      'at most 1000 is allowed',
    ],
  ])('%s is refused with 400', async (_, document, code, message = '') => {
    const stream = await shared.subscribe(document);
    expect(stream.status).toBe(400);
    const { errors } = await stream.body();
    expect(errors[0]?.extensions).toEqual({ code });
    expect(errors[0]?.message).toContain(message);
  });

  test('a delivery may be followed with all that there is of it', async () => {
    const stream = await shared.subscribe(`subscription { deliveryUpdated { cursor delivery {
      id event { id payload } webhook { id url } attempts {
        number statusCode requestHeaders requestBody responseHeaders responseBody responseBodyBase64 } } } }`);
    expect(stream.status).toBe(200);
  });

  test('wrong arguments and variables', async () => {
    for (const variables of [{ eventType: 'no.such' }, { after: 'nonsense' }]) {
      const stream = await shared.subscribe(deliveries, variables);
      await eventually(() => stream.isComplete);
      expect(stream.errors.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
    }
    const stream = await shared.subscribe(deliveries, { webhookId: { a: 1 } });
    expect(stream.status).toBe(400);
    expect((await stream.body()).errors[0]?.extensions['code']).toBe('BAD_USER_INPUT');
    for (const body of ['null', '[]', '{"query": 1}', '{"query": "subscription { a }", "variables": []}']) {
      const { server } = shared.servers[0]!;
      const refused = await server.inject({
        method: 'POST',
        url: '/graphql/stream',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${shared.key}` },
        payload: body,
      });
      expect(refused.statusCode, body).toBe(400);
    }
  });

  test('every way of spoiling the arguments of a subscription is refused, and the stream is over', async () => {
    const live = await open({ STREAMS_PER_KEY_MAX: '100' });
    const schema = await buildGraphqlSchema();
    let refused = 0;
    for (const { name, args } of Object.values(schema.getSubscriptionType()!.getFields())) {
      for (const arg of args) {
        const query = `subscription ($value: ${arg.type}) { ${name}(${arg.name}: $value) { cursor } }`;
        for (const { why, value } of badValues(arg.type, arg.name, [arg.name])) {
          const stream = await live.subscribe(query, { value });
          await eventually(() => stream.hasEnded, WITHIN_MS);
          const errors = stream.status === 200 ? stream.errors : (await stream.body()).errors;
          const code = errors[0]?.extensions['code'];
          expect(['BAD_USER_INPUT', 'NOT_FOUND'], `${name} ${arg.name}: ${why}`).toContain(code);
          expect(stream.status === 400 || stream.isComplete).toBe(true);
          expect(JSON.stringify(errors)).not.toMatch(innards);
          refused += 1;
        }
      }
    }
    expect(refused).toBeGreaterThan(50);
  });

  test('subscriptions at /graphql are sent here, and other methods are refused', async () => {
    const { server } = shared.servers[0]!;
    const headers = { authorization: `Bearer ${shared.key}`, 'content-type': 'application/json' };
    const payload = JSON.stringify({ query: 'subscription { webhookUpdated { cursor } }' });
    const sent = await server.inject({ method: 'POST', url: '/graphql', headers, payload });
    expect(sent.statusCode).toBe(400);
    expect(sent.json().errors[0].message).toContain('/graphql/stream');
    const get = await server.inject({ method: 'GET', url: '/graphql/stream', headers });
    expect([get.statusCode, get.headers.allow]).toEqual([405, 'POST']);
  });

  test('a stream counts as an operation of its key', async () => {
    const live = await open({ MANAGEMENT_RATE_MAX: '1', MANAGEMENT_BURST_MAX: '2' });
    const first = await live.subscribe(webhooks);
    expect(first.response.headers['ratelimit']).toMatch(/^"management";r=1;/);
    // At the same moment: each one takes a while to begin, and a second brings another operation.
    const others = await Promise.all(Array.from({ length: 6 }, () => live.subscribe(webhooks)));
    const refused = others.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(Number(refused[0]!.response.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('how many there may be', () => {
  test('of one key, and of all; a place is free again once a stream has ended', async () => {
    const live = await open({ STREAMS_PER_KEY_MAX: '2', STREAMS_MAX: '3' });
    const { key } = await makeKey(live.stack.services, live.stack.tenantId, ['webhooks:read']);
    const one = await live.follow(webhooks);
    await live.follow(webhooks);
    const third = await live.subscribe(webhooks);
    expect(third.status).toBe(429);
    expect((await third.body()).errors[0]?.message).toContain('This API key has 2 streams open');
    await live.follow(webhooks, {}, { key });
    const fourth = await live.subscribe(webhooks, {}, { key });
    expect((await fourth.body()).errors[0]?.message).toContain('The service has 3 streams open');
    one.cut();
    await eventually(async () => (await live.subscribe(webhooks, {}, { key })).status === 200, WITHIN_MS);
  });

  test('of a tenant, however many keys it has: the others find room', async () => {
    const live = await open({ STREAMS_PER_TENANT_MAX: '2' });
    const { services, tenantId } = live.stack;
    const keyOf = async (tenant: number) => (await makeKey(services, tenant, ['webhooks:read'])).key;
    const one = await live.follow(webhooks, {}, { key: await keyOf(tenantId) });
    const platform = (await makeKey(services, null, ['platform:admin'])).key;
    const headers = { 'hookwright-tenant': String(tenantId) };
    await live.follow(webhooks, {}, { key: platform, headers });
    const third = await live.subscribe(webhooks, {}, { key: await keyOf(tenantId) });
    expect(third.status).toBe(429);
    expect((await third.body()).errors[0]?.message).toContain('This tenant has 2 streams open');
    const other = await makeTenant(services);
    await live.follow(webhooks, {}, { key: other.key });
    one.cut();
    await eventually(async () => (await live.subscribe(webhooks)).status === 200, WITHIN_MS);
  });

  test('a client that leaves before its stream has opened keeps no place', async () => {
    const live = await open({ STREAMS_PER_KEY_MAX: '1' });
    const { id } = await live.stack.webhook(RECEIVER);
    const older = `update hookwright.webhooks set url = url where id = ${id}`; // the feed waits for it, 2 s
    await using _older = await openTransaction(live.stack.databaseUrl, older);
    const { port, server } = live.servers[0]!;
    const headers = { authorization: `Bearer ${live.key}`, 'content-type': 'application/json' };
    const arrived = once(server.server, 'request');
    const leaving = httpRequest({ host: '127.0.0.1', port, method: 'POST', path: '/graphql/stream', headers });
    leaving.on('error', () => {});
    leaving.end(JSON.stringify({ query: webhooks }));
    await arrived;
    await eventually(async () => (await live.subscribe(webhooks)).status === 429, WITHIN_MS);
    leaving.destroy();
    await eventually(async () => (await live.subscribe(webhooks)).status === 200, WITHIN_MS);
  });
});

describe('how streams live and end', () => {
  test('a client that closes its half of the connection has left', async () => {
    const live = await open({}, { heartbeatMs: 60_000 });
    const stream = await live.follow(webhooks);
    stream.response.socket.end();
    await eventually(() => stream.hasEnded, WITHIN_MS);
  });

  test('heartbeats keep them alive beyond the idle time of connections, and carry where they stand', async () => {
    const live = await open({ IDLE_TIMEOUT_MS: '1000' }, { heartbeatMs: 300 });
    const stream = await live.follow(webhooks);
    const begunAt = stream.lastId;
    await eventually(() => stream.heartbeats > 8, WITHIN_MS);
    expect(stream.hasEnded).toBe(false);
    await eventually(() => stream.lastId !== begunAt, WITHIN_MS);
  });

  test('at their age they end without complete, so that clients come back', async () => {
    const live = await open({}, { lifeMs: 500 });
    const stream = await live.follow(webhooks);
    await eventually(() => stream.hasEnded, WITHIN_MS);
    expect(stream.events).toEqual([]);
  });

  test('a server that closes ends them at once, and does not wait for their clients', async () => {
    const live = await open();
    const streams = [await live.subscribe(webhooks), await live.subscribe(deliveries)];
    for (const stream of streams) {
      await stream.begun();
    }
    const startedAt = performance.now();
    await live.removeServer();
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    for (const stream of streams) {
      await eventually(() => stream.hasEnded);
      expect(stream.events).toEqual([]);
    }
  });

  test('nor for those that have stopped reading', async () => {
    const live = await open();
    await stoppedReader(live, live.key);
    const startedAt = performance.now();
    await live.removeServer();
    expect(performance.now() - startedAt).toBeLessThan(15_000); // a slow reader has 30 s otherwise
  });

  test('a reader that takes nothing is cut off, and holds little of the process until then', async () => {
    const live = await open({}, { slowMs: 1_000 });
    const { id } = await live.stack.webhook(RECEIVER);
    const document = 'subscription { deliveryUpdated { delivery { id event { body } } } }';
    const payload = { code: 'x'.repeat(200_000), discount_type: 'y' };
    for (let i = 0; i < 100; i++) {
      await live.stack.emit('coupon.applied', payload);
    }
    const stream = await live.follow(document);
    stream.response.pause();
    await live.stack.rows(`update hookwright.deliveries set due_at = due_at where webhook_id = ${id} returning id`);
    const { server } = live.servers[0]!;
    const connections = () =>
      new Promise<number>((resolve) => server.server.getConnections((_, count) => resolve(count)));
    expect(await connections()).toBe(1);
    await eventually(async () => (await connections()) === 0, WITHIN_MS);
    expect(stream.updates.length).toBeLessThan(100);
  });

  test('a burst is told as a marker to read anew, not as thousands of updates', async () => {
    const live = await open();
    await live.stack.webhook(RECEIVER);
    const stream = await live.follow(deliveries);
    await live.stack.rows(
      `insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status)
       select hookwright.next_id(), ${live.stack.tenantId}, 1, 1, 'coupon.applied', 'HELD' from generate_series(1, 1500)
       returning id`,
    );
    await eventually(() => stream.updates.length > 0, WITHIN_MS);
    expect(stream.updates.map(({ resync }) => resync)).toEqual([true]);
  });
});

test('the client of graphql-sse understands it', async () => {
  const live = await open();
  const client = createClient({
    url: `http://127.0.0.1:${live.servers[0]!.port}/graphql/stream`,
    headers: { authorization: `Bearer ${live.key}` },
    retryAttempts: 0,
  });
  const connected = Promise.withResolvers<void>();
  const updates = client.iterate<{ webhookUpdated: { resync: boolean; webhookId: string | null } }>(
    { query: webhooks },
    { connected: () => connected.resolve() },
  );
  const first = updates.next();
  await connected.promise; // what changes from now on comes
  const { id } = await live.stack.webhook(RECEIVER);
  let update = (await first).value?.data?.webhookUpdated;
  while (update?.resync) {
    update = (await updates.next()).value?.data?.webhookUpdated; // another test had a long transaction
  }
  expect(update).toMatchObject({ webhookId: gid.webhook(id) });
  await updates.return?.();
  const refused = client.iterate({ query: 'subscription { webhookUpdated(id: "999") { cursor } }' });
  expect((await refused.next()).value?.errors?.[0]?.message).toContain('There is no webhook');
  expect((await refused.next()).done).toBe(true);
  client.dispose();
});
