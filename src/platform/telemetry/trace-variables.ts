/**
 * The variables of OpenTelemetry that say whether and how traces are sent
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables).
 */

type Environment = Record<string, string | undefined>;

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

/** Variables that we read, or the parts of OpenTelemetry that we use. */
const HEARD = [
  /^OTEL_EXPORTER_OTLP_(TRACES_)?(ENDPOINT|HEADERS|TIMEOUT|COMPRESSION|CERTIFICATE|CLIENT_CERTIFICATE|CLIENT_KEY|PROTOCOL)$/,
  /^OTEL_TRACES_(EXPORTER|SAMPLER|SAMPLER_ARG)$/,
  /^OTEL_BSP_(SCHEDULE_DELAY|EXPORT_TIMEOUT|MAX_QUEUE_SIZE|MAX_EXPORT_BATCH_SIZE)$/,
  /^OTEL_(SERVICE_NAME|RESOURCE_ATTRIBUTES|PROPAGATORS|SDK_DISABLED)$/,
];

/** Variables of signals that are never sent: the value `none` is right. */
const OTHER_SIGNALS = /^OTEL_(METRICS|LOGS)_EXPORTER$/;

/** The variable that names the address for traces; undefined: none does. */
export const endpointVariable = (env: Environment): string | undefined => ENDPOINTS.find((name) => textIn(env, name));

/** @returns why no traces are sent, as a sentence for the log; null: they are sent */
export function reasonForNoTraces(env: Environment): string | null {
  const exporters = listIn(env, 'OTEL_TRACES_EXPORTER');
  if (textIn(env, 'OTEL_SDK_DISABLED').toLowerCase() === 'true') {
    return 'OTEL_SDK_DISABLED is true';
  }
  if (exporters.length > 0 && !exporters.includes('otlp')) {
    const allowed = exporters.join() === 'none' ? '' : '; known are otlp and none';
    return `OTEL_TRACES_EXPORTER is ${exporters.join()}${allowed}`;
  }
  return endpointVariable(env) === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT is not set' : null;
}

/** @returns sentences about variables that people would expect to have another effect while traces are sent */
export function ignoredVariables(env: Environment): string[] {
  const sentences: string[] = [];
  const protocolName = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'].find((name) =>
    textIn(env, name),
  );
  const protocol = textIn(env, protocolName ?? '');
  if (protocolName !== undefined && protocol !== 'http/json') {
    const where = protocol === 'grpc' ? '; a port for gRPC, often 4317, does not take them, unlike 4318' : '';
    sentences.push(`${protocolName} is ${protocol}, and traces are sent as http/json${where}`);
  }
  const exporters = listIn(env, 'OTEL_TRACES_EXPORTER').filter((name) => name !== 'otlp');
  if (exporters.length > 0) {
    sentences.push(`OTEL_TRACES_EXPORTER names ${exporters.join()}, and only otlp is used`);
  }
  const propagators = listIn(env, 'OTEL_PROPAGATORS').filter((name) => !/^(tracecontext|baggage)$/.test(name));
  if (propagators.length > 0) {
    sentences.push(`OTEL_PROPAGATORS names ${propagators.join()}, and only tracecontext (traceparent) is used`);
  }
  const unheard = Object.keys(env).filter(
    (name) =>
      name.startsWith('OTEL_') &&
      textIn(env, name) !== '' &&
      !HEARD.some((known) => known.test(name)) &&
      !(OTHER_SIGNALS.test(name) && textIn(env, name) === 'none'),
  );
  if (unheard.length > 0) {
    sentences.push(`these variables have no effect: ${unheard.sort().join(', ')}`);
  }
  return sentences;
}

const textIn = (env: Environment, name: string): string => (env[name] ?? '').trim();
const listIn = (env: Environment, name: string): string[] =>
  textIn(env, name)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
