import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Daemon } from '../../daemon/daemon.js';
import { registerInstallation } from '../../daemon/telemetry/installation-metrics.js';
import { buildServer } from '../../src/api/server.js';
import { openServices } from '../../src/api/services.js';
import { SCOPES } from '../../src/domain/keys/scopes.js';
import { rollPartitions } from '../../src/operations/housekeeping/roll-partitions.js';
import { type Installation, readInstallation } from '../../src/operations/installation/read-installation.js';
import { readConfig } from '../../src/platform/settings/config.js';
import { apiMetrics } from '../../src/platform/telemetry/api-metrics.js';
import { startMetricsServer } from '../../src/platform/telemetry/metrics-server.js';
import { ProcessMetrics } from '../../src/platform/telemetry/process-metrics.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { makeKey, unlimited } from '../support/factories.js';
import { LiveStream } from '../support/live-api.js';
import { serve } from '../support/loopback.js';
import { watchedLog } from '../support/plaintext.js';
import { answer, type Receiver, startReceiver } from '../support/receiver.js';

let stack: DeliveryStack;
let receiver: Receiver;
let api: Awaited<ReturnType<typeof buildServer>>;
let services: Awaited<ReturnType<typeof openServices>>;
let daemon: Daemon;
let key: string;
const registry = new Registry();

/** As `hookwright start` puts them together. */
beforeAll(async () => {
  stack = await DeliveryStack.open();
  receiver = await startReceiver();
  ({ key } = await makeKey(stack.services, stack.tenantId, SCOPES));
  const { databaseUrl } = stack;
  const encryptionKeys = stack.services.config.encryptionKeys ?? [];
  const encoded = encryptionKeys.map(({ kid, key: bytes }) => `${kid}:${bytes.toString('base64')}`).join();
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEYS: encoded,
    ...unlimited,
    ANONYMOUS_RATE_MAX: '1',
    STREAMS_PER_KEY_MAX: '1',
  });
  const metrics = apiMetrics(registry);
  services = await openServices({ config, databaseUrl, encryptionKeys, log: watchedLog(), metrics });
  new ProcessMetrics(registry, true).watchPool('api', services.db.pool);
  api = await buildServer(services);
  daemon = new Daemon({ ...stack.services, registry });
});
afterAll(async () => {
  await daemon.stop();
  await api.close();
  await services.db.close();
  await receiver.close();
  await stack[Symbol.asyncDispose]();
});

interface Family {
  type: string;
  help: string;
  samples: { name: string; labels: Record<string, string | number | undefined>; value: number }[];
}

async function familiesOf(of: Registry): Promise<Map<string, Family>> {
  const metrics = await of.getMetricsAsJSON();
  return new Map(
    metrics.map(({ name, help, type, values }) => {
      const named = values as { metricName?: string; labels: Family['samples'][0]['labels']; value: number }[];
      const samples = named.map(({ metricName = name, ...sample }) => ({ name: metricName, ...sample }));
      return [name, { help, type: String(type), samples }];
    }),
  );
}

async function figureOf(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  const base = name.replace(/_(count|sum)$/, '');
  const all = await familiesOf(registry);
  const samples = (all.get(name) ?? all.get(base))?.samples.filter((sample) => sample.name === name);
  const wanted = Object.entries(labels);
  return samples?.find((sample) => wanted.every(([label, value]) => sample.labels[label] === value))?.value;
}

const graphql = (query: string, variables: object = {}, authorization: string = `Bearer ${key}`) =>
  api.inject({ method: 'POST', url: '/graphql', headers: { authorization }, payload: { query, variables } });

const EMIT = 'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { duplicate } }';
const coupon = { event: 'coupon.applied', payload: { code: 'X', discount_type: 'x' } };

describe('what is counted', () => {
  test('emits, by what became of them', async () => {
    const input = { ...coupon, idempotencyKey: 'one' };
    await graphql(EMIT, { input });
    await graphql(EMIT, { input });
    await graphql(EMIT, { input: { ...coupon, payload: {} } });
    await graphql(EMIT, { input: { ...input, event: 'webhook.test', payload: { message: 'no' } } });
    await graphql('mutation ($input: EmitEventsInput!) { emitEvents(input: $input) { results { duplicate } } }', {
      input: { events: [coupon, { ...coupon, payload: {} }] },
    });
    expect(await figureOf('hookwright_emits_total', { result: 'accepted' })).toBe(2);
    expect(await figureOf('hookwright_emits_total', { result: 'duplicate' })).toBe(1);
    expect(await figureOf('hookwright_emits_total', { result: 'refused' })).toBe(3);
    expect(await figureOf('hookwright_emits_total', { result: 'failed' })).toBe(0);
    expect(await figureOf('hookwright_emit_batch_events_sum')).toBe(3);
    expect(await figureOf('hookwright_graphql_errors_total', { code: 'BAD_USER_INPUT' })).toBe(2);
  });

  test('emits that a fault of ours keeps from being judged: each event once, as failed', async () => {
    const results = ['accepted', 'duplicate', 'refused', 'failed'];
    const figures = () =>
      Promise.all(results.map((result) => figureOf('hookwright_emits_total', { result }) as Promise<number>));
    const [accepted, duplicate, refused, failed] = (await figures()) as [number, number, number, number];
    const check = vi.spyOn(services.eventTypes, 'check');
    check.mockRejectedValueOnce(new TypeError('A fault.'));
    const single = (await graphql(EMIT, { input: coupon })).json();
    expect(single.errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }]);
    expect(await figures()).toEqual([accepted, duplicate, refused, failed + 1]);
    check.mockRejectedValueOnce(new TypeError('A fault.')).mockRejectedValueOnce(new Error('Another.'));
    const batch = 'mutation ($input: EmitEventsInput!) { emitEvents(input: $input) { results { duplicate } } }';
    const input = { events: [coupon, coupon, { ...coupon, payload: {} }] };
    expect((await graphql(batch, { input })).json().errors).toHaveLength(1);
    expect(await figures()).toEqual([accepted, duplicate, refused, failed + 4]);
    check.mockRestore();
  });

  test.each([
    ['no key', 'UNAUTHENTICATED', '/graphql', '{"query": "{ viewer { scopes } }"}', { authorization: '' }],
    ['a key that nobody has', 'UNAUTHENTICATED', '/graphql', '{}', { authorization: 'Bearer x' }],
    ['no JSON', 'BAD_USER_INPUT', '/graphql', '{', {}],
    ['another form', 'BAD_REQUEST', '/graphql', '[]', {}],
    ['a type that nobody has', 'BAD_REQUEST', '/graphql', '{}', { accept: 'text/html' }],
    ['a broken document', 'GRAPHQL_PARSE_FAILED', '/graphql', '{"query": "{"}', {}],
    ['a stream without a query', 'BAD_REQUEST', '/graphql/stream', '{}', {}],
    ['a stream without a key', 'UNAUTHENTICATED', '/graphql/stream', '{}', { authorization: '' }],
  ])('errors of GraphQL, whatever refuses the request: %s', async (_name, code, url, payload, headers) => {
    const figure = async () => Number((await figureOf('hookwright_graphql_errors_total', { code })) ?? 0);
    const before = await figure();
    const all = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers };
    await api.inject({ method: 'POST', url, headers: all, payload });
    expect(await figure()).toBe(before + 1);
  });

  test('requests, by the pattern of the route and not by its ids', async () => {
    const { id } = await stack.webhook('https://example.com/', ['booking.created']); // nobody emits that here
    const headers = { authorization: `Bearer ${key}` };
    await api.inject({ url: `/api/v1/webhooks/${id}`, headers });
    await api.inject({ url: `/api/v1/webhooks/${id + 1000}`, headers });
    await api.inject({ url: '/nothing/of/the/kind' });
    const route = '/api/v1/webhooks/:id';
    const count = (labels: Record<string, string>) => figureOf('hookwright_http_requests_total', labels);
    expect(await count({ method: 'GET', route, status: '200' })).toBe(1);
    expect(await count({ method: 'GET', route, status: '404' })).toBe(1);
    expect(await count({ route: 'none', status: '404' })).toBe(1);
    expect(await figureOf('hookwright_http_request_duration_seconds_count', { route })).toBe(2);
  });

  test('requests that a rate limit refused, by limit', async () => {
    const before = (await figureOf('hookwright_rate_limited_total', { limit: 'anonymous' })) ?? 0;
    await eventually(async () => (await api.inject('/')).statusCode === 429);
    expect(await figureOf('hookwright_rate_limited_total', { limit: 'anonymous' })).toBe(before + 1);
  });

  test('streams of live updates: open, told and ended, and those that were one too many', async () => {
    const port = await serve(api);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const follow = () => LiveStream.open(port, { query: 'subscription { webhookUpdated { cursor } }' }, headers);
    const stream = await follow();
    await stack.webhook('https://example.com/', ['booking.created']); // nobody emits that here
    await eventually(async () => ((await figureOf('hookwright_stream_updates_total')) ?? 0) > 0);
    expect(await figureOf('hookwright_streams_open')).toBe(1);
    expect((await follow()).status).toBe(429);
    expect(await figureOf('hookwright_rate_limited_total', { limit: 'streams' })).toBe(1);
    stream.response.destroy();
    await eventually(async () => (await figureOf('hookwright_streams_open')) === 0);
    expect(await figureOf('hookwright_streams_ended_total', { reason: 'client_left' })).toBe(1);
  });

  test('deliveries, webhooks that were disabled, batches and sweeps', async () => {
    receiver.answerWith(answer(410));
    await stack.webhook(receiver.url, ['booking.canceled']);
    await stack.emit('booking.canceled', { booking_code: 'B', canceled_at: 'now' });
    await eventually(async () => (await figureOf('hookwright_webhooks_disabled_total', { reason: 'GONE' })) === 1);
    await eventually(
      async () => (await figureOf('hookwright_deliveries_total', { lane: 'FIRST', outcome: 'failed' })) === 1,
    );
    expect(await figureOf('hookwright_attempts_total', { verdict: 'GONE' })).toBe(1);
    expect(await figureOf('hookwright_first_attempt_lag_seconds_count')).toBeGreaterThan(0);
    expect(await figureOf('hookwright_batch_deliveries_count', { work: 'record' })).toBeGreaterThan(0);
    await eventually(async () => ((await figureOf('hookwright_sweeps_total', { sweep: 'held' })) ?? 0) > 0);
    expect(await figureOf('hookwright_fetching_jobs')).toBe(1);
    expect(await figureOf('hookwright_sending_stopped')).toBe(0);
    expect(await figureOf('hookwright_database_connections_max', { pool: 'api' })).toBe(10);
  });
});

describe('the backlog', () => {
  const some: Installation = {
    due: 3,
    scheduled: 2,
    held: 1,
    waiting: 0,
    oldestWaitingSeconds: 0,
    scheduledLateSeconds: 0,
    oldestDueSeconds: 4.5,
    oldestLateSeconds: 1.5,
    partitionDaysAhead: 14,
    housekeeping: { startedAt: new Date(5_000), succeededAt: new Date(4_000), failure: null },
    failover: null,
    activeWebhooks: 6,
    disabledWebhooks: 7,
    certificatesEnding: 2,
  };
  const valueIn = async (of: Registry, name: string) => (await familiesOf(of)).get(name)?.samples[0]?.value;
  const dueIn = (of: Registry) => valueIn(of, 'hookwright_due_deliveries');

  test('is asked for once in ten seconds, however often and by however many it is scraped', async () => {
    let now = 0;
    let asked = 0;
    const own = new Registry();
    const read = async () => {
      asked += 1;
      return { ...some, due: asked };
    };
    registerInstallation(own, read, () => now);
    expect(await Promise.all([dueIn(own), dueIn(own)])).toEqual([1, 1]);
    now = 9_999;
    expect(await dueIn(own)).toBe(1);
    now = 10_000;
    expect(await dueIn(own)).toBe(2);
  });

  test('is NaN, and the scrape goes on, while the database does not answer', async () => {
    const own = new Registry();
    registerInstallation(own, () => Promise.reject(new Error('away')));
    expect(await dueIn(own)).toBeNaN();
    const silent = new Registry();
    registerInstallation(silent, () => new Promise(() => {}));
    expect(await dueIn(silent)).toBeNaN();
  });

  test('is that of the tables', async () => {
    const { id } = await stack.webhook('https://example.com/', ['voucher.emitted']);
    await stack.rows(`update hookwright.webhooks set closed_until = now() + interval '1 hour' where id = ${id}`);
    await rollPartitions(stack.services.db.pool, 30);
    const own = new Registry();
    await stack.emit('voucher.emitted', { booking_code: 'B', voucher_number: 'V' });
    await stack.rows(`update hookwright.deliveries set due_at = now() + interval '1 hour' where webhook_id = ${id}`);
    registerInstallation(own, () => readInstallation(stack.services.db.pool));
    expect(await valueIn(own, 'hookwright_scheduled_deliveries')).toBe(1);
    expect(await valueIn(own, 'hookwright_partitions_ahead_seconds')).toBe(14 * 86_400);
  });

  test('has when housekeeping was started, and when a run last succeeded', async () => {
    const timesOf = async (housekeeping: Installation['housekeeping']) => {
      const own = new Registry();
      registerInstallation(own, async () => ({ ...some, housekeeping }));
      const times = ['', '_success'].map((which) => `hookwright_housekeeping${which}_timestamp_seconds`);
      return Promise.all(times.map((name) => valueIn(own, name)));
    };
    expect(await timesOf(some.housekeeping)).toEqual([5, 4]);
    const startedAt = new Date(5_000);
    expect(await timesOf({ startedAt, succeededAt: null, failure: null })).toEqual([5, 0]);
  });
});

describe('the exposition', () => {
  let ours: [name: string, Family][];
  beforeAll(async () => {
    ours = [...(await familiesOf(registry))].filter(([name]) => name.startsWith('hookwright_'));
  });

  test('follows the conventions of Prometheus: names, base units, types, help', async () => {
    expect(ours.length).toBeGreaterThan(30);
    const wrong = ours.filter(
      ([name, { type, help }]) =>
        help === '' ||
        !['counter', 'gauge', 'histogram'].includes(type) ||
        (type === 'counter') !== name.endsWith('_total') ||
        /[A-Z:]|__|_(ms|us|minutes|hours|days|kb|mb|mib|percent|count|sum|bucket)(_|$)/.test(name),
    );
    expect(wrong).toEqual([]);
  });

  test('labels are few and known: none names a tenant, a webhook, a key or a type of events', () => {
    const labels = ours.flatMap(([, { samples }]) => samples.flatMap((sample) => Object.keys(sample.labels)));
    const known = 'code lane le limit method outcome pool reason result route state status sweep verdict version work';
    expect([...new Set(labels)].filter((label) => !known.split(' ').includes(label))).toEqual([]);
  });

  test('is in docs/operate.md, metric by metric', () => {
    const page = readFileSync('docs/operate.md', 'utf8');
    expect(ours.filter(([name]) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('what operators are given', () => {
  const dashboard = readFileSync('ops/grafana-dashboard.json', 'utf8');
  const rules = readFileSync('ops/alert-rules.yml', 'utf8');
  /** Metrics of Prometheus and Node besides ours. */
  const names = (text: string) => [
    ...new Set([...text.matchAll(/\b(hookwright|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name)),
  ];

  async function unknown(text: string): Promise<string[]> {
    const all = await familiesOf(registry);
    return names(text).filter((name) => !all.has(name) && !all.has(name.replace(/_(bucket|sum|count)$/, '')));
  }

  test('the dashboard is valid JSON, asks for metrics that exist alone, and each panel has a query and a title', async () => {
    const { panels, uid, schemaVersion } = JSON.parse(dashboard);
    expect({ uid, schemaVersion }).toMatchObject({ uid: 'hookwright', schemaVersion: expect.any(Number) });
    const shown = panels.filter(({ type }: { type: string }) => type !== 'row');
    expect(shown.length).toBeGreaterThan(10);
    for (const panel of shown) {
      expect(panel).toMatchObject({ title: expect.any(String), description: expect.stringMatching(/\.$/) });
      expect(panel.targets.length).toBeGreaterThan(0);
    }
    expect(new Set(panels.map(({ id }: { id: number }) => id)).size).toBe(panels.length);
    expect(names(dashboard).length).toBeGreaterThan(15);
    expect(await unknown(dashboard)).toEqual([]);
  });

  test('the alert rules ask for metrics that exist, and each says what to do', async () => {
    expect(await unknown(rules)).toEqual([]);
    const alerts = rules.split(/^ {6}- alert: /m).slice(1);
    expect(alerts.length).toBeGreaterThan(8);
    for (const alert of alerts) {
      expect(alert).toMatch(
        /^[A-Z][A-Za-z]+\n {8}expr: .+\n(?: {8}for: \d+[mh]\n)? {8}labels:\n {10}severity: (page|ticket)\n {8}annotations:\n {10}summary: .+\n {10}description: >-\n/,
      );
      expect(alert).toMatch(/docs\/troubleshoot\.md/);
    }
  });

  test('the labels that alert rules choose by are there, and have the values that are named', async () => {
    const all = await familiesOf(registry);
    const chosen = [...rules.matchAll(/\b(hookwright_[a-z_]+)\{([a-z]+)(=~|!=|=)"([^"]*)"\}/g)];
    expect(chosen.length).toBeGreaterThan(4);
    const missing = chosen.filter(([, name = '', label = '', sign, value]) => {
      const values = all.get(name)?.samples.map(({ labels }) => labels[label]);
      return sign === '=' ? !values?.includes(value) : !values?.some((one) => one !== undefined);
    });
    expect(missing.map(([text]) => text)).toEqual([]);
  });

  test('every page that an alert or the doctor names is a heading of docs/troubleshoot.md', () => {
    const headings = [...readFileSync('docs/troubleshoot.md', 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, text]) => text);
    const named = [...rules.matchAll(/"([^"]+)" in docs\/troubleshoot\.md/g)].map(([, text]) => text);
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((heading) => !headings.includes(heading))).toEqual([]);
  });
});

describe('METRICS_PORT', () => {
  test('is what the figures of Node itself are made for', async () => {
    const [read, unread] = [new Registry(), new Registry()];
    new ProcessMetrics(read, true);
    new ProcessMetrics(unread, false);
    expect(await read.metrics()).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(await unread.metrics()).toMatch(/hookwright_build_info/);
    expect(await unread.metrics()).not.toContain('nodejs_');
  });

  test('answers a client that has closed its sending half', async () => {
    const slowly = () => new Promise<null>((resolve) => setTimeout(resolve, 50, null));
    const server = await startMetricsServer(registry, { host: '127.0.0.1', port: 0 }, slowly);
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.end('GET /health/ready HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK/);
    await server.close();
  });

  test('has /health too: live at once, ready when the daemon works, else 503 with the reason', async () => {
    let why: string | null = 'The daemon ends.';
    const server = await startMetricsServer(registry, { host: '127.0.0.1', port: 0 }, async () => why);
    const ask = async (path: string) => {
      const response = await fetch(new URL(path, server.url));
      return { status: response.status, body: await response.text() };
    };
    expect(await ask('/health/live')).toEqual({ status: 200, body: '{"status":"live"}' });
    expect(await ask('/health/ready')).toMatchObject({ status: 503, body: expect.stringContaining(why) });
    why = null;
    expect(await ask('/health/ready')).toEqual({ status: 200, body: '{"status":"ready"}' });
    await server.close();
    const away = await startMetricsServer(registry, { host: '127.0.0.1', port: 0 }, () =>
      Promise.reject(new Error('postgres://user:hush@host')),
    );
    const { status, body } = await fetch(new URL('/health/ready', away.url)).then(async (response) => ({
      status: response.status,
      body: await response.text(),
    }));
    expect({ status, body }).toMatchObject({ status: 503, body: expect.not.stringContaining('hush') });
    await away.close();
  });

  test('a daemon that runs has no trouble; one that ends has', async () => {
    const own = stack.startDaemon();
    await eventually(() => own.trouble === null);
    await own.stop();
    expect(own.trouble).toBe('The daemon ends.');
  });
});
