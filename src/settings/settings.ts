import { isIP } from 'node:net';
import { z } from 'zod';
import { browserSettings } from './browser-settings.js';
import { databaseUrlFault, withTlsMode } from './database-url.js';
import { limitSettings } from './limit-settings.js';
import { oidcSettings } from './oidc-settings.js';
import { commaSeparated, setting, trueOrFalse, whole, yesNo } from './setting.js';

function isCidr(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  const bits = prefix === undefined ? 0 : Number(prefix);
  return family !== 0 && rest.length === 0 && /^\d+$/.test(prefix ?? '0') && bits <= (family === 4 ? 32 : 128);
}

/** An http proxy's url, with nothing in it that would be ignored. */
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

/**
 * The table of settings: what each means, what it may be, and its default. `docs/settings.md` repeats it for
 * people, and a test holds the two together.
 */
export const settings = {
  DATABASE_URL: setting(
    z
      .string()
      .refine((text) => databaseUrlFault(text) === null)
      .transform(withTlsMode)
      .optional(),
    'a postgres:// URL such as postgres://user:password@host:5432/database; special characters in it as %25 (%), %23 (#), %2F (/), %3F (?), %40 (@), %3A (:) and %20 (blank)',
    'The Postgres (15 or later) to use. Unset: the all-in-one mode with a Postgres of its own under DATA_DIR.',
    databaseUrlFault,
  ),
  ENCRYPTION_KEYS: setting(
    encryptionKeys,
    'kid:base64 of 32 bytes, several separated by commas, each kid once; a kid has 1 to 64 letters, digits, dots, hyphens and underscores',
    'Keys that protect secrets at rest; the first one encrypts, all decrypt. Required with DATABASE_URL.',
  ),
  DATA_DIR: setting(
    z.string().default('.data'),
    'a folder',
    'Where the all-in-one mode keeps its database and keys. When it is started as root in a folder that others may not enter, the database is in a folder under /var/lib/hookwright, which the file pg-location names.',
  ),
  HOST: setting(
    z.string().min(1).optional(),
    'a host name or an IP address',
    'The address to listen on. Default: 127.0.0.1 in the all-in-one mode, else 0.0.0.0.',
  ),
  PORT: setting(whole(0, 65_535, 3000), 'a port, 0 to 65535 (0: any free one)', 'The port of the API.'),
  METRICS_PORT: setting(
    whole(0, 65_535, 0),
    'a port, 0 to 65535 (0: none)',
    "The port of Prometheus' /metrics and of /health/live and /health/ready, of API and daemon processes alike, apart from the API's own.",
  ),
  METRICS_HOST: setting(
    z.string().min(1).default('127.0.0.1'),
    'a host name or an IP address',
    'The address on which /metrics listens.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    z
      .string()
      .regex(/^https?:\/\/[^/]/)
      .optional(),
    'an http:// or https:// URL such as http://127.0.0.1:4318',
    'Where traces are sent (OTLP over HTTP, as JSON). Unset: none are made. OpenTelemetry itself reads its other variables, such as OTEL_TRACES_SAMPLER and OTEL_SERVICE_NAME.',
  ),
  LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    'trace, debug, info, warn, error, fatal or silent',
    'The least severe log lines that are written.',
  ),
  DATABASE_POOL_MAX: setting(
    whole(4, 500, 10),
    '4 to 500',
    'Connections of each pool of each process to Postgres. All in one 22 at most: its Postgres has 100 connections.',
  ),
  ...browserSettings,
  ...oidcSettings,
  WEBHOOKS_PER_TENANT_MAX: setting(whole(1, 1_000_000, 100), '1 to 1000000', 'How many webhooks a tenant may have.'),
  API_KEYS_PER_TENANT_MAX: setting(
    whole(1, 1_000_000, 100),
    '1 to 1000000',
    'How many API keys a tenant may have that are neither revoked nor expired. The command line makes more.',
  ),
  PAYLOAD_BYTES_MAX: setting(
    whole(1024, 1_048_576, 262_144),
    '1024 to 1048576',
    'The longest payload, in UTF-8 bytes of its JSON text.',
  ),
  ...limitSettings,
  MANAGEMENT_RATE_MAX: setting(
    whole(1, 100_000, 100),
    '1 to 100000',
    'Management operations per second and API key in each API process; emits do not count. All keys of a tenant together have five times as many.',
  ),
  MANAGEMENT_BURST_MAX: setting(
    whole(1, 1_000_000, 200),
    '1 to 1000000',
    'Management operations that an API key has at once in each API process, after a pause. All keys of a tenant together have five times as many.',
  ),
  EMIT_RATE_MAX: setting(
    whole(0, 1_000_000, 0),
    '0 to 1000000 (0: no limit)',
    'Events that a tenant may emit per second in each API process; one second of them at once, and at least EVENTS_PER_REQUEST_MAX.',
  ),
  KEY_FAILURES_RATE_MAX: setting(
    whole(1, 100_000, 10),
    '1 to 100000',
    'Requests with a bad API key or code per second and client address (IPv6: /64) in each API process; ten times as many at once.',
  ),
  ANONYMOUS_RATE_MAX: setting(
    whole(1, 100_000, 20),
    '1 to 100000',
    'Requests without an API key per second and client address (IPv6: /64) in each API process; ten times as many at once. Health checks, and the files that pages of the dashboard load, do not count.',
  ),
  TRUSTED_PROXIES: setting(
    commaSeparated.refine((ranges) => ranges.every((range) => isCidr(range) && !/\/0+$/.test(range))),
    'addresses and address ranges such as 10.0.0.0/8, separated by commas; not the range of all addresses',
    'Proxies and balancers whose X-Forwarded-For tells the address of the client. Default: none, the header is ignored.',
  ),
  MAX_RETRIES: setting(whole(0, 50, 5), '0 to 50', 'Retries of a failed delivery, after its first attempt.'),
  DISABLE_AFTER_SECONDS_MIN: setting(
    whole(0, 3600, 10),
    '0 to 3600',
    'How long a row of failures lasts at least until the tenth disables a webhook, in seconds: attempts at an endpoint that fails have growing pauses, so one that has recovered may wait for twice as long as it was away. 0: no pauses.',
  ),
  RETRY_BASE_SECONDS: setting(
    z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .default('120')
      .transform(Number)
      .refine((seconds) => seconds >= 0.01 && seconds <= 3600),
    '0.01 to 3600',
    'The delay before the first retry, in seconds; it doubles with each further one, up to 60 minutes. For trials and tests: receivers are told 120.',
  ),
  HOLD_HOURS: setting(whole(1, 2160, 168), '1 to 2160', 'How long an inactive webhook collects events, in hours.'),
  RETENTION_DAYS: setting(
    whole(8, 3650, 30),
    '8 to 3650, and above HOLD_HOURS + 1 day',
    'How long deliveries and attempts are kept, in days. Events stay 2 days longer.',
  ),
  HEADER_PREFIX: setting(
    z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/)
      .default('X-Service'),
    'letters, digits and hyphens, a letter first, at most 64',
    'The prefix of the delivery headers, for white-label use.',
  ),
  STANDARD_WEBHOOKS: setting(yesNo(true), 'true or false', 'Whether the Standard Webhooks headers are sent too.'),
  ALLOW_HTTP_URLS: setting(yesNo(false), 'true or false', 'Whether webhooks may have http:// urls.'),
  ALLOW_PRIVATE_TARGETS: setting(
    commaSeparated.refine((ranges) => ranges.every(isCidr)),
    'address ranges such as 10.0.0.0/8, separated by commas',
    'Address ranges that are not public and may be called all the same: at any port where the url has the address itself, where a name leads there at the ports that all urls may have. Names of one label, and those in local, internal and the like, are refused all the same. Default: none.',
  ),
  ALLOW_LOOPBACK_TARGETS: setting(
    trueOrFalse.transform((text) => text === 'true').optional(),
    'true or false',
    'Whether webhooks may point at loopback addresses, over http:// and at any port: at whatever listens on the machine of the daemon. Default: in the all-in-one mode true while only this machine can reach the API (HOST is a loopback address or localhost, and TRUSTED_PROXIES is empty), else false.',
  ),
  EGRESS_PROXY: setting(
    z.string().refine(isProxyUrl).optional(),
    'an http:// or https:// URL such as http://user:password@proxy:4750, without a path',
    'A proxy through which every delivery leaves, in a tunnel (CONNECT). Names are then resolved, and their addresses judged, by the proxy: use one that refuses private addresses, such as smokescreen, and that lets CONNECT through to every port that webhooks use. Proxies of the environment (HTTP_PROXY) are ignored.',
  ),
  DELIVERY_CONCURRENCY: setting(
    whole(1, 2000, 200),
    '1 to 2000',
    'Requests that a daemon has in flight at the same time. It has at most twice as many outcomes that it has not yet written.',
  ),
  ENDPOINT_CONCURRENCY_MAX: setting(
    whole(1, 1000, 64),
    '1 to 1000',
    'Requests in flight to one webhook at most. It starts with 8; successes raise it while they use it; requests without an answer, 5xx and 429 halve it.',
  ),
  ORIGIN_CONCURRENCY_MAX: setting(
    whole(1, 2000, 256),
    '1 to 2000',
    "Requests in flight to one scheme, host and port at most, over all of a tenant's webhooks there.",
  ),
  CONNECT_TIMEOUT_MS: setting(
    whole(10, 60_000, 5000),
    '10 to 60000',
    'Limit of connecting to an endpoint, in ms; at most half of ATTEMPT_TIMEOUT_MS.',
  ),
  ATTEMPT_TIMEOUT_MS: setting(
    whole(50, 120_000, 15_000),
    '50 to 120000',
    'How long a whole attempt may take, connecting and reading the answer included, in ms.',
  ),
} as const;
