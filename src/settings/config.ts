import { resolve } from 'node:path';
import type { z } from 'zod';
import { isLoopbackAddress, opensLoopback } from '../domain/addresses/target.js';
import { oidcFaults, oidcFrom } from './oidc-settings.js';
import { settings } from './settings.js';

export interface EncryptionKey {
  kid: string;
  key: Buffer;
}

type Settings = {
  readonly [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['schema']>;
};

/** Every setting, read once and frozen. Durations and sizes carry their unit in the name. */
export type Config = Readonly<ReturnType<typeof configFrom>>;

/** A daemon that is stopped waits for its requests in flight, so longer than the longest attempt. */
const DRAIN_MS_MIN = 20_000;
const DRAIN_BESIDE_ATTEMPT_MS = 5_000;

/** Four pools in one process and some other connections fit into the 100 of the service's own Postgres. */
const EMBEDDED_POOL_MAX = 22;

/** All keys of a tenant together may do as much as this number of keys. */
const KEYS_AT_FULL_RATE_MAX = 5;

/** A bad environment. The message names each setting, its value and what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Settings with secrets in them. */
const SECRET_SETTINGS: ReadonlySet<string> = new Set([
  'ENCRYPTION_KEYS',
  'DATABASE_URL',
  'EGRESS_PROXY',
  'OIDC_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
]);

/**
 * Reads the service's settings from an environment (docs/settings.md lists them).
 *
 * @throws ConfigError naming every bad setting, and every name that is almost a setting
 */
export function readConfig(env: Record<string, string | undefined>, { needsEncryptionKeys = true } = {}): Config {
  const problems = misspelledNames(env);
  const values: Record<string, unknown> = {};
  for (const [name, { schema, allowed, faultOf }] of Object.entries(settings)) {
    const text = env[name] === '' ? undefined : env[name];
    const result = schema.safeParse(text);
    if (result.success) {
      values[name] = result.data;
    } else {
      const given = SECRET_SETTINGS.has(name) ? '(not shown)' : JSON.stringify(text);
      const fault = faultOf?.(text ?? '') ?? null;
      problems.push(`${name} is ${given}${fault === null ? '' : `, and ${fault}`}; allowed: ${allowed}.`);
    }
  }
  if (problems.length === 0) {
    problems.push(...contradictions(values as Settings));
    problems.push(...(needsEncryptionKeys ? lackOfEncryptionKeys(values as Settings) : []));
  }
  if (problems.length > 0) {
    throw new ConfigError(problems.join('\n'));
  }
  return Object.freeze(configFrom(values as Settings));
}

function configFrom(s: Settings) {
  const embedded = s.DATABASE_URL === undefined;
  const named = s.HOST ?? (embedded ? '127.0.0.1' : '0.0.0.0');
  // One address: for further ones Fastify opens servers that lack what is set at the first.
  const host = named.toLowerCase() === 'localhost' ? '127.0.0.1' : named;
  // A trusted proxy brings requests of other machines.
  const isLocal = isLoopbackAddress(host) && s.TRUSTED_PROXIES.length === 0;
  return {
    /** True in the all-in-one mode, where the service brings its own Postgres. */
    embedded,
    dataDir: resolve(s.DATA_DIR),
    databaseUrl: s.DATABASE_URL,
    databasePoolMax: s.DATABASE_POOL_MAX,
    encryptionKeys: s.ENCRYPTION_KEYS,
    host,
    /** True if only this machine can reach the API, by the settings. */
    isLocal,
    port: s.PORT,
    corsOrigins: s.CORS_ORIGINS,
    introspection: s.INTROSPECTION,
    graphiql: s.GRAPHIQL,
    dashboard: s.DASHBOARD === 'on',
    /** An origin; undefined: each request's own. */
    publicUrl: s.PUBLIC_URL,
    /** Null: there is no sign-in by OpenID Connect, and session cookies are ignored. */
    oidc: s.DASHBOARD === 'on' ? oidcFrom(s) : null,
    /** Port 0: none. */
    metrics: { host: s.METRICS_HOST, port: s.METRICS_PORT },
    /** Whether traces are made. OpenTelemetry reads its other settings itself. */
    tracing: s.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    logLevel: s.LOG_LEVEL,
    webhooksPerTenantMax: s.WEBHOOKS_PER_TENANT_MAX,
    apiKeysPerTenantMax: s.API_KEYS_PER_TENANT_MAX,
    payloadBytesMax: s.PAYLOAD_BYTES_MAX,
    limits: limitsFrom(s),
    streams: {
      perKeyMax: s.STREAMS_PER_KEY_MAX,
      perTenantMax: s.STREAMS_PER_TENANT_MAX,
      max: s.STREAMS_MAX,
      /** Proxies usually close a silent connection after a longer time. */
      heartbeatMs: 15_000,
      /** Then the client connects again, perhaps to another process. */
      lifeMs: 3_600_000,
      /** A reader that takes nothing for this long is disconnected. */
      slowMs: 30_000,
    },
    trustedProxies: s.TRUSTED_PROXIES,
    /** The limits of each API process: see src/context/rate-limits.ts. */
    quotas: {
      management: { perSecond: s.MANAGEMENT_RATE_MAX, burst: s.MANAGEMENT_BURST_MAX },
      managementOfTenants: {
        perSecond: KEYS_AT_FULL_RATE_MAX * s.MANAGEMENT_RATE_MAX,
        burst: KEYS_AT_FULL_RATE_MAX * s.MANAGEMENT_BURST_MAX,
      },
      /** Null: no limit. */
      emits:
        s.EMIT_RATE_MAX === 0
          ? null
          : { perSecond: s.EMIT_RATE_MAX, burst: Math.max(s.EVENTS_PER_REQUEST_MAX, s.EMIT_RATE_MAX) },
      keyFailures: { perSecond: s.KEY_FAILURES_RATE_MAX, burst: 10 * s.KEY_FAILURES_RATE_MAX },
      anonymous: { perSecond: s.ANONYMOUS_RATE_MAX, burst: 10 * s.ANONYMOUS_RATE_MAX },
    },
    holdHours: s.HOLD_HOURS,
    /** The shortest failure streak that disables a webhook. */
    failureStreakMsMin: s.DISABLE_AFTER_SECONDS_MIN * 1_000,
    retentionDays: s.RETENTION_DAYS,
    retry: { retriesMax: s.MAX_RETRIES, baseSeconds: s.RETRY_BASE_SECONDS, capSeconds: 3600 },
    delivery: {
      concurrency: s.DELIVERY_CONCURRENCY,
      endpointConcurrencyMax: s.ENDPOINT_CONCURRENCY_MAX,
      originConcurrencyMax: s.ORIGIN_CONCURRENCY_MAX,
      connectTimeoutMs: s.CONNECT_TIMEOUT_MS,
      attemptTimeoutMs: s.ATTEMPT_TIMEOUT_MS,
      drainTimeoutMs: Math.max(DRAIN_MS_MIN, s.ATTEMPT_TIMEOUT_MS + DRAIN_BESIDE_ATTEMPT_MS),
      responseBytesMax: 65_536,
      storedBytesMax: 16_384,
      headerPrefix: s.HEADER_PREFIX,
      standardWebhooks: s.STANDARD_WEBHOOKS,
      egressProxy: s.EGRESS_PROXY,
    },
    target: {
      allowHttp: s.ALLOW_HTTP_URLS,
      allowedRanges: s.ALLOW_PRIVATE_TARGETS,
      /** In a trial on one machine, the receiver on loopback speaks http. */
      loopbackHttp: s.ALLOW_LOOPBACK_TARGETS ?? (embedded && isLocal),
    },
  };
}

/** The limits of one request, for every key. */
function limitsFrom(s: Settings) {
  return {
    restBodyBytesMax: s.REST_BODY_BYTES_MAX,
    searchTimeoutMs: s.SEARCH_TIMEOUT_MS,
    payloadDepthMax: s.PAYLOAD_DEPTH_MAX,
    eventsPerRequestMax: s.EVENTS_PER_REQUEST_MAX,
    requestTimeoutMs: s.REQUEST_TIMEOUT_MS,
    headersTimeoutMs: s.REQUEST_TIMEOUT_MS / 2,
    idleTimeoutMs: s.IDLE_TIMEOUT_MS,
    pipelinedRequestsMax: s.PIPELINED_REQUESTS_MAX,
    graphql: {
      bodyBytesMax: s.GRAPHQL_BODY_BYTES_MAX,
      documentCharsMax: s.GRAPHQL_DOCUMENT_CHARS_MAX,
      tokensMax: s.GRAPHQL_TOKENS_MAX,
      depthMax: s.GRAPHQL_DEPTH_MAX,
      aliasesMax: s.GRAPHQL_ALIASES_MAX,
      rootFieldsMax: s.GRAPHQL_ROOT_FIELDS_MAX,
      fragmentsMax: s.GRAPHQL_FRAGMENTS_MAX,
      directivesMax: s.GRAPHQL_DIRECTIVES_MAX,
      costMax: s.GRAPHQL_COST_MAX,
      answerBytesMax: s.GRAPHQL_ANSWER_BYTES_MAX,
    },
  };
}

function lackOfEncryptionKeys(s: Settings): string[] {
  return s.DATABASE_URL === undefined || s.ENCRYPTION_KEYS !== undefined
    ? []
    : [
        'ENCRYPTION_KEYS is not set; with DATABASE_URL it is required: kid:base64 of 32 bytes, several separated by commas. An existing installation needs its own keys; for a new one make a key with: echo "k1:$(openssl rand -base64 32)".',
      ];
}

function contradictions(s: Settings): string[] {
  const problems = oidcFaults(s);
  const daysMin = Math.floor(s.HOLD_HOURS / 24) + 2;
  if (s.RETENTION_DAYS < daysMin) {
    problems.push(
      `RETENTION_DAYS is ${s.RETENTION_DAYS}; with HOLD_HOURS=${s.HOLD_HOURS} it must be at least ${daysMin}: held deliveries must not be dropped.`,
    );
  }
  if (s.STANDARD_WEBHOOKS && s.HEADER_PREFIX.toLowerCase() === 'webhook') {
    problems.push(
      `HEADER_PREFIX is ${s.HEADER_PREFIX}: the headers of Standard Webhooks already have these names, and receivers would find two signatures in one header. Choose another prefix, or set STANDARD_WEBHOOKS=false.`,
    );
  }
  if (s.DATABASE_URL === undefined && s.DATABASE_POOL_MAX > EMBEDDED_POOL_MAX) {
    problems.push(
      `DATABASE_POOL_MAX is ${s.DATABASE_POOL_MAX}; without DATABASE_URL it may be ${EMBEDDED_POOL_MAX} at most: the service's own Postgres has no more connections.`,
    );
  }
  const target = { allowHttp: false, allowedRanges: s.ALLOW_PRIVATE_TARGETS, loopbackHttp: false };
  if (s.ALLOW_LOOPBACK_TARGETS === false && opensLoopback(target)) {
    problems.push(
      'ALLOW_LOOPBACK_TARGETS is false and ALLOW_PRIVATE_TARGETS opens loopback addresses; take them out of ALLOW_PRIVATE_TARGETS, or leave out ALLOW_LOOPBACK_TARGETS.',
    );
  }
  return problems;
}

/**
 * Finds names that differ from a setting by one or two letters, or as singular and plural do. A misspelt setting would
 * be ignored silently.
 */
function misspelledNames(env: Record<string, string | undefined>): string[] {
  const known = Object.keys(settings);
  return Object.keys(env)
    .filter((name) => name.length >= 8 && !known.includes(name))
    .flatMap((name) => {
      const meant = known.find(
        (setting) =>
          singular(name) === singular(setting) ||
          (Math.abs(setting.length - name.length) <= 2 && distance(name, setting) <= 2),
      );
      return meant ? [`${name} is not a setting; did you mean ${meant}?`] : [];
    });
}

const singular = (name: string) => name.replace(/IES(?=_|$)/g, 'Y').replace(/S(?=_|$)/g, '');

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
