import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildServer } from '../../src/api/server.js';
import { SCOPES } from '../../src/domain/keys/scopes.js';
import { openTracing } from '../../src/platform/telemetry/open-tracing.js';
import type { Tracing } from '../../src/platform/telemetry/tracing.js';
import { type Collector, startCollector } from '../support/collector.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { makeKey } from '../support/factories.js';
import { watchedLog } from '../support/plaintext.js';
import { answer, type Receiver, startReceiver } from '../support/receiver.js';

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const SECRET_WORD = 'sesame-in-the-payload';

let stack: DeliveryStack;
let collector: Collector;
let receiver: Receiver;
let tracing: Tracing | null;
let server: FastifyInstance;
let key: string;

beforeEach(async () => {
  collector = await startCollector();
  receiver = await startReceiver();
  stack = await DeliveryStack.open();
  ({ key } = await makeKey(stack.services, stack.tenantId, SCOPES));
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = collector.url;
  process.env['OTEL_BSP_SCHEDULE_DELAY'] = '50';
});
afterEach(async () => {
  for (const name of Object.keys(process.env).filter((each) => each.startsWith('OTEL_'))) {
    delete process.env[name];
  }
  await server.close();
  await stack[Symbol.asyncDispose]();
  await tracing?.close();
  await receiver.close();
  await collector[Symbol.asyncDispose]();
});

/** The API and a daemon over it, with the traces that the environment asks for. */
async function start(): Promise<void> {
  tracing = await openTracing(watchedLog());
  Object.assign(stack.services, { tracing });
  server = await buildServer(stack.services);
  stack.startDaemon();
}

async function emit(headers: Record<string, string> = {}) {
  const response = await server.inject({
    method: 'POST',
    url: '/graphql',
    headers: { authorization: `Bearer ${key}`, ...headers },
    payload: {
      query: 'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { event { databaseId } duplicate } }',
      variables: { input: { event: 'coupon.applied', payload: { code: SECRET_WORD, discount_type: 'x' } } },
    },
  });
  expect(response.json().errors).toBeUndefined();
  return response.json().data.emitEvent as { event: { databaseId: number } };
}

/** Runs a daemon with these variables, and answers with the parts of OpenTelemetry that it has loaded. */
async function partsLoaded(env: Record<string, string | undefined>): Promise<string[]> {
  const watch = `data:text/javascript,${encodeURIComponent(
    `import { registerHooks } from 'node:module';
     registerHooks({ load(url, context, next) {
       if (/\\/opentelemetry\\.js$/.test(url)) process.stdout.write('LOADED ' + url + '\\n');
       return next(url, context);
     } });`,
  )}`;
  const [key] = stack.services.config.encryptionKeys ?? [];
  const child = spawn(process.execPath, ['--import', watch, 'dist/program/main.js', 'daemon'], {
    env: {
      ...process.env,
      DATABASE_URL: stack.databaseUrl,
      ENCRYPTION_KEYS: `${key!.kid}:${key!.key.toString('base64')}`,
      ...env,
    },
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await eventually(() => output.includes('the delivery daemon is running'), 60_000);
  child.kill('SIGTERM');
  expect((await once(child, 'exit'))[0]).toBe(0);
  return output.split('\n').filter((line) => line.startsWith('LOADED'));
}

const traceparent = (flags: string) => ({ traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-${flags}` });
const spanNamed = (name: string) => collector.spans.filter((span) => span.name === name);

describe('with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  test("one trace leads from the caller over the emit and its retry to the receiver, who gets the attempt's span", async () => {
    let refuse = true;
    receiver.answerWith((_, response) => {
      response.writeHead(refuse ? 500 : 200).end();
      refuse = false;
    });
    const { id: webhookId } = await stack.webhook(`${receiver.url}?token=secret-token`);
    await start();
    const { event } = await emit(traceparent('01'));
    await eventually(() => spanNamed('deliver').length === 2);

    const [request] = spanNamed('POST /graphql');
    const [emitted] = spanNamed('emit');
    const [first, second] = spanNamed('deliver').toSorted((a, b) =>
      a.attributes['hookwright.attempt']!.localeCompare(b.attributes['hookwright.attempt']!),
    );
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([CALLER.traceId]));
    expect(request).toMatchObject({ parentSpanId: CALLER.spanId, service: 'hookwright' });
    expect(request!.attributes).toMatchObject({
      'http.response.status_code': '200',
      'hookwright.tenant_id': String(stack.tenantId),
    });
    expect(emitted).toMatchObject({ parentSpanId: request!.spanId });
    expect(emitted!.attributes).toMatchObject({ 'hookwright.event_id': String(event.databaseId) });
    const delivery = await stack.delivery(event.databaseId);
    expect(first).toMatchObject({ parentSpanId: emitted!.spanId, failed: true });
    expect(first!.attributes).toMatchObject({
      'error.type': 'HTTP_500',
      'http.response.status_code': '500',
      'hookwright.delivery_id': String(delivery.id),
      'hookwright.webhook_id': String(webhookId),
      'server.address': '127.0.0.1',
    });
    expect(second).toMatchObject({ parentSpanId: emitted!.spanId, failed: false });
    expect(receiver.received.map(({ headers }) => headers['traceparent'])).toEqual(
      [first, second].map((span) => `00-${CALLER.traceId}-${span!.spanId}-01`),
    );
    const told = collector.bodies.join('\n');
    expect(told).not.toContain(SECRET_WORD);
    expect(told).not.toContain('secret-token');
    expect(told).not.toContain('whsec_');
  });

  test('a caller whose trace is not sampled makes no spans, and the receiver gets no traceparent', async () => {
    await stack.webhook(receiver.url);
    await start();
    await emit(traceparent('00'));
    await eventually(() => receiver.received.length === 1);
    await tracing!.close();
    expect(receiver.received[0]!.headers).not.toHaveProperty('traceparent');
    expect(collector.spans).toEqual([]);
    expect(await stack.rows('select from hookwright.event_traces')).toHaveLength(0);
  });

  test('a caller without a trace starts one', async () => {
    await stack.webhook(receiver.url);
    await start();
    await emit({ traceparent: `00-${'0'.repeat(32)}-${CALLER.spanId}-01` });
    await eventually(() => spanNamed('deliver').length === 1);
    expect(spanNamed('POST /graphql')[0]).not.toHaveProperty('parentSpanId');
  });

  test('OTEL_TRACES_SAMPLER and its argument are heard', async () => {
    process.env['OTEL_TRACES_SAMPLER'] = 'traceidratio';
    process.env['OTEL_TRACES_SAMPLER_ARG'] = '0';
    await stack.webhook(receiver.url);
    await start();
    await emit(traceparent('01'));
    await eventually(() => receiver.received.length === 1);
    expect(receiver.received[0]!.headers).not.toHaveProperty('traceparent');
  });

  test.each([
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', 'big'],
  ])('%s=%s is refused with a sentence', async (name, value) => {
    await start();
    process.env[name] = value;
    await expect(openTracing(watchedLog())).rejects.toThrow(`${name} is "${value}"`);
  });

  test('a collector that fails, or is away, disturbs neither emits nor deliveries nor the end', async () => {
    collector.status = 500;
    await stack.webhook(receiver.url);
    await start();
    await emit();
    await eventually(() => receiver.received.length === 1 && collector.bodies.length > 0);
    await collector[Symbol.asyncDispose]();
    await emit();
    await eventually(async () => (await stack.deliveries("status = 'SUCCEEDED'")).length === 2);
    const from = performance.now();
    await tracing!.close();
    expect(performance.now() - from).toBeLessThan(10_000); // 3 s and what a busy machine takes
    collector = await startCollector();
  });

  test('what was emitted without traces is delivered without', async () => {
    await stack.webhook(receiver.url);
    await start();
    await stack.emit();
    await eventually(() => receiver.received.length === 1);
    expect(receiver.received[0]!.headers).not.toHaveProperty('traceparent');
  });

  test('a test of a webhook is traced too', async () => {
    const { id } = await stack.webhook(receiver.url);
    await start();
    const response = await server.inject({
      method: 'POST',
      url: `/api/v1/webhooks/${id}/test`,
      headers: { authorization: `Bearer ${key}`, ...traceparent('01') },
    });
    expect(response.statusCode).toBe(202);
    await eventually(() => spanNamed('deliver').length === 1);
    expect(spanNamed('POST /api/v1/webhooks/:id/test')[0]).toMatchObject({ parentSpanId: CALLER.spanId });
    expect(receiver.received[0]!.headers['traceparent']).toContain(CALLER.traceId);
  });
});

describe('without it', () => {
  test('traceparent of callers is ignored', async () => {
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    receiver.answerWith(answer(200));
    await stack.webhook(receiver.url);
    await start();
    expect(tracing).toBeNull();
    await emit(traceparent('01'));
    await eventually(() => receiver.received.length === 1);
    expect(receiver.received[0]!.headers).not.toHaveProperty('traceparent');
  });

  test('no part of OpenTelemetry is loaded; with it, it is', async () => {
    const endpoint = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    await start();
    expect(await partsLoaded({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).not.toEqual([]);
    expect(await partsLoaded({ OTEL_EXPORTER_OTLP_ENDPOINT: undefined })).toEqual([]);
  }, 120_000);
});
