import { readFileSync } from 'node:fs';
import type { AgentOptions } from 'node:https';
import {
  type Context,
  DiagLogLevel,
  diag,
  SpanKind as Kind,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { https } from '../node/node-http.js';
import { version } from '../node/version.js';
import { collectorAgent } from './collector-agent.js';
import type { Attributes, Span, SpanKind, Tracing } from './tracing.js';

/**
 * The only file that imports OpenTelemetry. Contexts are passed as arguments, because AsyncLocalStorage would cost time
 * in every emit.
 */

type Environment = Record<string, string | undefined>;

/** A collector that is away must not delay the end of a process. */
const FLUSH_MS = 3_000;
const LOGGED_EVERY_MS = 60_000;
const ATTRIBUTE_CHARS_MAX = 1_024;

/** @throws Error with a sentence when a variable of OpenTelemetry has an unknown value */
export function startOpenTelemetry(env: Environment, log: Logger): Tracing {
  logDiagnostics(log, 'a variable of OpenTelemetry has a bad value', 0);
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter({
      url: tracesUrl(env),
      httpAgentOptions: (protocol) => collectorAgent(protocol, agentOptions(env)),
    }),
    ...batchOptions(env),
  });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'hookwright', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(env),
    spanLimits: { attributeValueLengthLimit: ATTRIBUTE_CHARS_MAX },
    spanProcessors: [processor],
  });
  // From now on they are about a collector that is away.
  logDiagnostics(log, 'traces could not be exported', LOGGED_EVERY_MS);
  const tracer = provider.getTracer('hookwright', version);
  return {
    start: (name, kind, parent, attributes = {}) => new TracedSpan(tracer, contextOf(parent), name, kind, attributes),
    close: async () => {
      const end = provider.shutdown().catch((error: unknown) => diag.warn(String(error)));
      const enough = Promise.withResolvers<void>();
      const timer = setTimeout(enough.resolve, FLUSH_MS);
      await Promise.race([end, enough.promise]);
      clearTimeout(timer);
    },
  };
}

/** The exporter reads the variables of the process alone, and an address may come from a file. */
function tracesUrl(env: Environment): string {
  const whole = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']?.trim();
  return whole || `${env['OTEL_EXPORTER_OTLP_ENDPOINT']?.trim().replace(/\/$/, '')}/v1/traces`;
}

/**
 * The exporter would make an agent of its own, which passes by the proxy that Node's agents go through with
 * NODE_USE_ENV_PROXY. With ours in its place, the options for certificates are read here.
 */
function agentOptions(env: Environment): AgentOptions {
  const { proxyEnv } = https.globalAgent.options;
  const [ca, cert, key] = ['CERTIFICATE', 'CLIENT_CERTIFICATE', 'CLIENT_KEY'].map((name) => {
    const path = env[`OTEL_EXPORTER_OTLP_TRACES_${name}`]?.trim() || env[`OTEL_EXPORTER_OTLP_${name}`]?.trim();
    try {
      return path ? readFileSync(path) : undefined;
    } catch {
      return undefined; // the exporter warns of it
    }
  });
  return {
    keepAlive: true,
    ...(proxyEnv && { proxyEnv }),
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
  };
}

class TracedSpan implements Span {
  readonly #span: OtelSpan;
  readonly #context: Context;
  readonly traceparent: string | null;

  constructor(
    private readonly tracer: Tracer,
    parent: Context,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
  ) {
    this.#span = tracer.startSpan(name, { kind: Kind[kind], attributes }, parent);
    this.#context = trace.setSpan(parent, this.#span);
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
    this.traceparent = isSampled ? `00-${traceId}-${spanId}-01` : null;
  }

  child(name: string, kind: SpanKind, attributes: Attributes = {}): Span {
    return new TracedSpan(this.tracer, this.#context, name, kind, attributes);
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  end(error?: string): void {
    if (error !== undefined) {
      this.#span.setAttribute('error.type', error);
      this.#span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    }
    this.#span.end();
  }
}

/** W3C Trace Context, level 1 §3.2. Later versions may append fields. Ids of zeros are invalid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

function contextOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) {
    return ROOT_CONTEXT;
  }
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function samplerOf({ OTEL_TRACES_SAMPLER: name = '', OTEL_TRACES_SAMPLER_ARG: arg = '' }: Environment): Sampler {
  const ratio = arg === '' ? 1 : Number(arg);
  if (!(ratio >= 0 && ratio <= 1)) {
    throw new Error(`OTEL_TRACES_SAMPLER_ARG is ${JSON.stringify(arg)}; allowed: 0 to 1.`);
  }
  const roots: Record<string, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const [, parentBased, rootName = ''] = /^(parentbased_)?(.*)$/.exec(name || 'parentbased_always_on') ?? [];
  const root = Object.hasOwn(roots, rootName) ? roots[rootName]?.() : undefined;
  if (root === undefined) {
    const names = Object.keys(roots).flatMap((known) => [known, `parentbased_${known}`]);
    throw new Error(`OTEL_TRACES_SAMPLER is ${JSON.stringify(name)}; allowed: ${names.join(', ')}.`);
  }
  return parentBased === undefined ? root : new ParentBasedSampler({ root });
}

/** The SDK itself does not read these. @throws Error with a sentence */
function batchOptions(env: Environment) {
  const options: Partial<Record<(typeof batchVariables)[keyof typeof batchVariables], number>> = {};
  for (const [name, option] of Object.entries(batchVariables)) {
    const text = env[name] ?? '';
    if (text !== '') {
      if (!/^[1-9]\d{0,8}$/.test(text)) {
        throw new Error(`${name} is ${JSON.stringify(text)}; allowed: a positive whole number.`);
      }
      options[option] = Number(text);
    }
  }
  return options;
}

const batchVariables = {
  OTEL_BSP_SCHEDULE_DELAY: 'scheduledDelayMillis',
  OTEL_BSP_EXPORT_TIMEOUT: 'exportTimeoutMillis',
  OTEL_BSP_MAX_QUEUE_SIZE: 'maxQueueSize',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: 'maxExportBatchSize',
} as const;

/** Logs the warnings of OpenTelemetry, each as the reason for `message`. */
function logDiagnostics(log: Logger, message: string, pauseMs: number): void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  const logWarning = (reason: string) => {
    if (performance.now() - loggedAt >= pauseMs) {
      loggedAt = performance.now();
      log.warn({ reason: reason.slice(0, ATTRIBUTE_CHARS_MAX) }, message);
    }
  };
  const ignore = () => {};
  diag.setLogger(
    { error: logWarning, warn: logWarning, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
