import { isIP } from 'node:net';
import { z } from 'zod';
import { ATTEMPT_MS_MAX, STREAK_SECONDS_MAX } from '../../domain/deliveries/health-limits.js';
import { RETRY_CAP_SECONDS } from '../../domain/deliveries/retry-policy.js';
import { OPTION_PARTS } from '../../domain/fields/field.js';
import { databaseUrlFault, databaseUrlWarning } from './database-url.js';
import { asDriverReadsIt } from './database-url-parameters.js';
import { limitSettings } from './limit-settings.js';
import { mailSettings } from './mail-settings.js';
import { oidcSettings } from './oidc-settings.js';
import {
  choice,
  list,
  optionalText,
  SecretSetting,
  Setting,
  settingsIn,
  whole,
  wholeOrUnset,
  yesNo,
  yesNoOrUnset,
} from './setting.js';
import { signatureForms } from './signature-forms.js';

function isCidr(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  const bits = prefix === undefined ? 0 : Number(prefix);
  return family !== 0 && rest.length === 0 && /^\d+$/.test(prefix ?? '0') && bits <= (family === 4 ? 32 : 128);
}

/** Accepts the url of an http proxy without parts that would be ignored. */
function isProxyUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\/[^/]/i.test(text) || `${url.search}${url.hash}` !== '') {
    return false;
  }
  try {
    decodeURIComponent(`${url.username}:${url.password}`);
  } catch {
    return false;
  }
  return url.pathname === '/';
}

const encryptionKeys = z
  .string()
  .transform((text, context) =>
    text.split(',').map((part) => {
      const [, kid = '', base64 = ''] = /^([A-Za-z0-9_.-]{1,64}):([A-Za-z0-9+/]+={0,2})$/.exec(part.trim()) ?? [];
      const key = Buffer.from(base64, 'base64');
      if (kid === '' || key.length !== 32) {
        context.addIssue({ code: 'custom', message: 'not kid:base64 of 32 bytes' });
      }
      return { kid, key };
    }),
  )
  .refine((keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length)
  .optional();

const collectorUrl = z
  .string()
  .regex(/^https?:\/\/[^/]/)
  .optional();

/** Accepts an origin in the form of the header `Origin`: lower case, no usual port. No other form would ever match. */
const isWebOrigin = (text: string): boolean => /^https?:\/\/[^*]+$/.test(text) && URL.parse(text)?.origin === text;

/** Addresses of the service itself: a request for them would be read as one below the path. */
const OWN_PATH = /^\/((console|dashboard|graphiql|graphql|health|portal|problems|\.well-known|api\/v1)(\/|$)|api$)/;

/** Accepts the address of the service: an origin, and perhaps a path without a slash at its end. */
function isPublicUrl(text: string): boolean {
  const url = URL.parse(text);
  const path = url === null || url.pathname === '/' ? '' : url.pathname;
  const isPlain = /^(\/[\w.~-]+)*$/.test(path) && !OWN_PATH.test(path);
  return isPlain && isWebOrigin(url?.origin ?? '') && `${url?.origin}${path}` === text;
}

/** All settings, in the form that they have in the configuration (config.ts). */
export const table = {
  databaseUrl: new SecretSetting(
    'DATABASE_URL',
    z
      .string()
      .refine((text) => databaseUrlFault(text) === null)
      .transform(asDriverReadsIt)
      .optional(),
    'a postgres:// URL such as postgres://user:password@host:5432/database, with several hosts as host1:5432,host2:5432; special characters in it as %25 (%), %23 (#), %2F (/), %3F (?), %40 (@), %3A (:) and %20 (blank)',
    databaseUrlFault,
    databaseUrlWarning,
  ),
  replication: new Setting('REPLICATION', z.enum(['synchronous']).optional(), 'synchronous'),
  databasePoolMax: whole('DATABASE_POOL_MAX', 4, 500, 10),
  encryptionKeys: new SecretSetting(
    'ENCRYPTION_KEYS',
    encryptionKeys,
    'kid:base64 of 32 bytes, several separated by commas, each kid once; a kid has 1 to 64 letters, digits, dots, hyphens and underscores',
  ),
  dataDir: new Setting('DATA_DIR', z.string().default('.data'), 'a folder'),
  host: optionalText('HOST', 'a host name or an IP address'),
  port: whole('PORT', 0, 65_535, 3000, 'a port, 0 to 65535 (0: any free one)'),
  metrics: {
    host: new Setting('METRICS_HOST', z.string().min(1).default('127.0.0.1'), 'a host name or an IP address'),
    port: whole('METRICS_PORT', 0, 65_535, 0, 'a port, 0 to 65535 (0: none)'),
  },
  shutdownDelayMs: whole('SHUTDOWN_DELAY_MS', 0, 15_000, 5000),
  rehearsal: yesNo('REHEARSAL', true),
  /** Here they are only checked: OpenTelemetry reads its variables itself. */
  collector: {
    url: new SecretSetting(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      collectorUrl,
      'an http:// or https:// URL such as http://127.0.0.1:4318',
    ),
    tracesUrl: new SecretSetting(
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
      collectorUrl,
      'an http:// or https:// URL such as http://127.0.0.1:4318/v1/traces',
    ),
  },
  logLevel: new Setting(
    'LOG_LEVEL',
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    'trace, debug, info, warn, error, fatal or silent',
  ),
  logFormat: new Setting('LOG_FORMAT', z.enum(['pino', 'severity']).default('pino'), 'pino or severity'),
  corsOrigins: list(
    'CORS_ORIGINS',
    isWebOrigin,
    'origins such as https://app.example.com, in full, as browsers send them, separated by commas',
  ),
  introspection: yesNo('INTROSPECTION', true),
  graphiql: yesNo('GRAPHIQL', true),
  dashboard: new Setting('DASHBOARD', z.enum(['on', 'off']).default('on'), 'on or off'),
  /** An origin, perhaps with a path; undefined: each request's own origin. */
  publicUrl: new Setting(
    'PUBLIC_URL',
    z.string().refine(isPublicUrl).optional(),
    'an origin such as https://hooks.example.com, in full, as browsers send it, or one with a path such as https://example.com/hooks, without a slash at its end; the path must not be one of the service, such as /console',
  ),
  cloudEventsSource: new Setting(
    'CLOUDEVENTS_SOURCE',
    z
      .string()
      .regex(/^[\w\-.~:/?#[\]@!$&'()*+,;=%]{1,512}$/)
      .optional(),
    'a URI such as https://example.com/events, or a path such as /events, of at most 512 ASCII characters without blanks',
  ),
  oidc: oidcSettings,
  ...mailSettings,
  webhooksPerTenantMax: whole('WEBHOOKS_PER_TENANT_MAX', 1, 1_000_000, 100),
  apiKeysPerTenantMax: whole('API_KEYS_PER_TENANT_MAX', 1, 1_000_000, 100),
  /** The parts of options that keys of tenants may write. */
  endpointOptions: choice('ENDPOINT_OPTIONS', OPTION_PARTS),
  /** Whether new endpoints must prove that they want deliveries. */
  endpointChallenge: new Setting('ENDPOINT_CHALLENGE', z.enum(['off', 'required']).default('off'), 'off or required'),
  /** Whether new endpoints are pinned to the newest release. */
  pinNewWebhooks: new Setting('PIN_NEW_WEBHOOKS', z.enum(['on', 'off']).default('off'), 'on or off'),
  payloadBytesMax: whole('PAYLOAD_BYTES_MAX', 1024, 1_048_576, 262_144),
  /** Whether events may have the state before their change. */
  previous: new Setting('PREVIOUS', z.enum(['on', 'off']).default('on'), 'on or off'),
  ...limitSettings,
  rates: {
    management: whole('MANAGEMENT_RATE_MAX', 1, 100_000, 100),
    managementBurst: whole('MANAGEMENT_BURST_MAX', 1, 1_000_000, 200),
    emits: whole('EMIT_RATE_MAX', 0, 1_000_000, 0, '0 to 1000000 (0: no limit)'),
    keyFailures: whole('KEY_FAILURES_RATE_MAX', 1, 100_000, 10),
    anonymous: whole('ANONYMOUS_RATE_MAX', 1, 100_000, 20),
  },
  trustedProxies: list(
    'TRUSTED_PROXIES',
    (range) => isCidr(range) && !/\/0+$/.test(range),
    'addresses and address ranges such as 10.0.0.0/8, separated by commas; not the range of all addresses',
  ),
  retry: {
    retriesMax: whole('MAX_RETRIES', 0, 50, 5),
    baseSeconds: new Setting(
      'RETRY_BASE_SECONDS',
      z
        .string()
        .regex(/^\d+(\.\d+)?$/)
        .default('120')
        .transform(Number)
        .refine((seconds) => seconds >= 0.01 && seconds <= RETRY_CAP_SECONDS),
      `0.01 to ${RETRY_CAP_SECONDS}`,
    ),
  },
  disableAfterSecondsMin: whole('DISABLE_AFTER_SECONDS_MIN', 0, STREAK_SECONDS_MAX, 10),
  holdHours: whole('HOLD_HOURS', 1, 2160, 168),
  retentionDays: whole('RETENTION_DAYS', 8, 3650, 30, '8 to 3650, and above HOLD_HOURS + 1 day'),
  delivery: {
    concurrency: whole('DELIVERY_CONCURRENCY', 1, 2000, 200),
    endpointConcurrencyMax: whole('ENDPOINT_CONCURRENCY_MAX', 1, 1000, 64),
    originConcurrencyMax: whole('ORIGIN_CONCURRENCY_MAX', 1, 2000, 256),
    connectTimeoutMs: whole('CONNECT_TIMEOUT_MS', 10, 60_000, 5000),
    attemptTimeoutMs: whole('ATTEMPT_TIMEOUT_MS', 50, ATTEMPT_MS_MAX, 15_000),
    attemptTimeoutMsMax: wholeOrUnset('ATTEMPT_TIMEOUT_MAX_MS', 1000, ATTEMPT_MS_MAX),
    recovery: new Setting(
      'ENDPOINT_RECOVERY',
      z.enum(['MANUAL', 'AUTOMATIC']).default('MANUAL'),
      'MANUAL or AUTOMATIC',
    ),
    headerPrefix: new Setting(
      'HEADER_PREFIX',
      z
        .string()
        .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/)
        .default('X-Service'),
      'letters, digits and hyphens, a letter first, at most 64',
    ),
    standardWebhooks: yesNo('STANDARD_WEBHOOKS', true),
    signatureForms,
    egressProxy: new SecretSetting(
      'EGRESS_PROXY',
      z.string().refine(isProxyUrl).optional(),
      'an http:// or https:// URL such as http://user:password@proxy:4750, without a path',
    ),
    egressAddresses: list(
      'EGRESS_ADDRESSES',
      isCidr,
      'addresses and address ranges such as 203.0.113.0/28, separated by commas',
    ),
  },
  target: {
    allowHttp: yesNo('ALLOW_HTTP_URLS', false),
    allowedRanges: list('ALLOW_PRIVATE_TARGETS', isCidr, 'address ranges such as 10.0.0.0/8, separated by commas'),
    loopbackHttp: yesNoOrUnset('ALLOW_LOOPBACK_TARGETS'),
  },
};

/** Each setting by the name of its variable. `docs/settings.md` lists them for people; a test compares the two. */
export const settings = Object.fromEntries(settingsIn(table).map((setting) => [setting.name, setting]));
