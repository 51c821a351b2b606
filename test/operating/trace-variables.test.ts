import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openTracing } from '../../src/platform/telemetry/open-tracing.js';
import { type Collector, startCollector } from '../support/collector.js';
import { keptLog } from '../support/kept-log.js';

let collector: Collector;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await collector[Symbol.asyncDispose]();
});

/** Makes a span with these variables, and closes. @returns the lines of the log, each with its level */
async function trace(variables: Record<string, string>): Promise<string[]> {
  for (const [name, value] of Object.entries(variables)) {
    vi.stubEnv(name, value);
  }
  const { log, lines } = keptLog('info');
  const tracing = await openTracing(log);
  tracing?.start('a', 'INTERNAL', undefined).end();
  await tracing?.close();
  return lines.map(({ level, msg, reason }) => `${level} ${msg}${reason === undefined ? '' : `: ${reason}`}`);
}

const endpoint = () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
const sentTo = (variable: string) => `30 traces are made, and sent to ${variable}`;

test('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT alone turns traces on, and goes before the other', async () => {
  const ofTraces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` };
  const sent = [sentTo('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')];
  expect(await trace(ofTraces)).toEqual(sent);
  expect(await trace({ ...ofTraces, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })).toEqual(sent);
  expect(collector.spans).toHaveLength(2);
});

test.each([
  [{ OTEL_TRACES_EXPORTER: 'none' }, 'OTEL_TRACES_EXPORTER is none'],
  [{ OTEL_TRACES_EXPORTER: 'zipkin, console' }, 'OTEL_TRACES_EXPORTER is zipkin,console; known are otlp and none'],
  [{ OTEL_SDK_DISABLED: 'True' }, 'OTEL_SDK_DISABLED is true'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_EXPORTER: 'otlp' }, 'OTEL_EXPORTER_OTLP_ENDPOINT is not set'],
])('with %o no traces are sent, and the log says so', async (variables, reason) => {
  expect(await trace({ ...endpoint(), ...variables })).toEqual([`30 no traces are sent: ${reason}`]);
  expect(collector.bodies).toEqual([]);
});

test('without a variable for traces the log says nothing', async () => {
  expect(await trace({ OTEL_SERVICE_NAME: 'shop', OTEL_TRACES_EXPORTER: '' })).toEqual([]);
});

describe('what the collector gets', () => {
  test('has the headers, the compression, the name and the attributes that the variables name', async () => {
    const lines = await trace({
      ...endpoint(),
      OTEL_SDK_DISABLED: 'false',
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-key=k',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_TIMEOUT: '2000',
      OTEL_SERVICE_NAME: 'shop',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
      OTEL_TRACES_SAMPLER: 'always_on',
      OTEL_PROPAGATORS: 'tracecontext,baggage',
      OTEL_METRICS_EXPORTER: 'none',
    });
    expect(lines).toEqual([sentTo('OTEL_EXPORTER_OTLP_ENDPOINT')]);
    expect(collector.headers).toMatchObject([{ 'x-tenant': 'a b', 'x-key': 'k', 'content-encoding': 'gzip' }]);
    expect(collector.spans).toMatchObject([
      { service: 'shop', resource: { 'deployment.environment.name': 'test', 'service.version': expect.any(String) } },
    ]);
  });

  test.each([
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and traces are sent as http/json; a port for gRPC, often 4317, does not take them, unlike 4318',
    ],
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' },
      'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is http/protobuf, and traces are sent as http/json',
    ],
    [{ OTEL_TRACES_EXPORTER: 'otlp,console' }, 'OTEL_TRACES_EXPORTER names console, and only otlp is used'],
    [{ OTEL_PROPAGATORS: 'b3' }, 'OTEL_PROPAGATORS names b3, and only tracecontext (traceparent) is used'],
    [
      { OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '9', OTEL_METRICS_EXPORTER: 'otlp', OTEL_LOGS_EXPORTER: 'none' },
      'these variables have no effect: OTEL_METRICS_EXPORTER, OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT',
    ],
  ])('comes with %o too, and the log warns', async (variables, warning) => {
    const lines = await trace({ ...endpoint(), ...variables });
    expect(lines).toEqual([`40 OpenTelemetry: ${warning}`, sentTo('OTEL_EXPORTER_OTLP_ENDPOINT')]);
    expect(collector.spans).toHaveLength(1);
  });

  test('comes although values are bad, each of which is in the log', async () => {
    const lines = await trace({
      ...endpoint(),
      OTEL_EXPORTER_OTLP_COMPRESSION: 'brotli',
      OTEL_EXPORTER_OTLP_TIMEOUT: '-1',
      OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere',
    });
    const bad = '^40 a variable of OpenTelemetry has a bad value: .*';
    for (const name of ['OTEL_EXPORTER_OTLP_COMPRESSION', 'OTEL_EXPORTER_OTLP_TIMEOUT', 'root certificate']) {
      expect(lines).toContainEqual(expect.stringMatching(`${bad}${name}`));
    }
    expect(collector.spans).toHaveLength(1);
  });
});
