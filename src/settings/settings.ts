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

/**
 * The table of settings. `docs/settings.md` repeats it for people; a test compares the two.
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
    'The folder for the database and the keys of the all-in-one mode. If root starts it in a folder that other users may not enter, the database is under /var/lib/hookwright, in the folder that the file pg-location names.',
  ),
  HOST: setting(
    z.string().min(1).optional(),
    'a host name or an IP address',
    'The address to listen on; localhost is 127.0.0.1. Default: 127.0.0.1 in the all-in-one mode, otherwise 0.0.0.0.',
  ),
  PORT: setting(whole(0, 65_535, 3000), 'a port, 0 to 65535 (0: any free one)', 'The port of the API.'),
  METRICS_PORT: setting(
    whole(0, 65_535, 0),
    'a port, 0 to 65535 (0: none)',
    "The port of /metrics (Prometheus), /health/live and /health/ready, in API and daemon processes, beside the API's own.",
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
    'The address that traces are sent to (OTLP over HTTP, as JSON). Unset: no traces. OpenTelemetry reads its other variables itself, such as OTEL_TRACES_SAMPLER and OTEL_SERVICE_NAME.',
  ),
  LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    'trace, debug, info, warn, error, fatal or silent',
    'The least severe log lines that are written.',
  ),
  DATABASE_POOL_MAX: setting(
    whole(4, 500, 10),
    '4 to 500',
    'The connections to Postgres in each pool of each process. At most 22 in the all-in-one mode, whose Postgres has 100 connections.',
  ),
  ...browserSettings,
  ...oidcSettings,
  WEBHOOKS_PER_TENANT_MAX: setting(whole(1, 1_000_000, 100), '1 to 1000000', 'The most webhooks of a tenant.'),
  API_KEYS_PER_TENANT_MAX: setting(
    whole(1, 1_000_000, 100),
    '1 to 1000000',
    'The most API keys of a tenant that are neither revoked nor expired. The command line can make more.',
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
    'Management operations per second and API key, in each API process. Emits do not count. All keys of a tenant together may do five times as many.',
  ),
  MANAGEMENT_BURST_MAX: setting(
    whole(1, 1_000_000, 200),
    '1 to 1000000',
    'Management operations at once after a pause, per API key, in each API process. All keys of a tenant together may do five times as many.',
  ),
  EMIT_RATE_MAX: setting(
    whole(0, 1_000_000, 0),
    '0 to 1000000 (0: no limit)',
    'Events that a tenant may emit per second, in each API process. At once it may emit the events of one second, or EVENTS_PER_REQUEST_MAX if that is more.',
  ),
  KEY_FAILURES_RATE_MAX: setting(
    whole(1, 100_000, 10),
    '1 to 100000',
    'Requests with a bad API key or code per second and client address (IPv6: /64), in each API process. Ten times as many at once.',
  ),
  ANONYMOUS_RATE_MAX: setting(
    whole(1, 100_000, 20),
    '1 to 100000',
    'Requests without an API key per second and client address (IPv6: /64), in each API process. Ten times as many at once. Health checks and files of the dashboard do not count.',
  ),
  TRUSTED_PROXIES: setting(
    commaSeparated.refine((ranges) => ranges.every((range) => isCidr(range) && !/\/0+$/.test(range))),
    'addresses and address ranges such as 10.0.0.0/8, separated by commas; not the range of all addresses',
    'Proxies and balancers whose X-Forwarded-For gives the address of the client. Default: none, the header is ignored.',
  ),
  MAX_RETRIES: setting(whole(0, 50, 5), '0 to 50', 'Retries of a failed delivery, after its first attempt.'),
  DISABLE_AFTER_SECONDS_MIN: setting(
    whole(0, 3600, 10),
    '0 to 3600',
    'The shortest time from the first of ten consecutive failures to the tenth, which disables a webhook, in seconds. Attempts at a failing endpoint have growing pauses, so an endpoint that is back may wait for as long as it was away. 0: no pauses.',
  ),
  RETRY_BASE_SECONDS: setting(
    z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .default('120')
      .transform(Number)
      .refine((seconds) => seconds >= 0.01 && seconds <= 3600),
    '0.01 to 3600',
    'The delay before the first retry, in seconds. It doubles with each further retry, up to 60 minutes. Change it only for trials and tests: the contract with receivers says 120.',
  ),
  HOLD_HOURS: setting(
    whole(1, 2160, 168),
    '1 to 2160',
    'The time for which deliveries stay held while their webhook is inactive, in hours.',
  ),
  RETENTION_DAYS: setting(
    whole(8, 3650, 30),
    '8 to 3650, and above HOLD_HOURS + 1 day',
    'The time for which deliveries and attempts are kept, in days. Events are kept 2 days longer.',
  ),
  HEADER_PREFIX: setting(
    z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/)
      .default('X-Service'),
    'letters, digits and hyphens, a letter first, at most 64',
    'The prefix of the delivery headers, for white-label use.',
  ),
  STANDARD_WEBHOOKS: setting(
    yesNo(true),
    'true or false',
    'Whether deliveries also have the headers of Standard Webhooks.',
  ),
  ALLOW_HTTP_URLS: setting(yesNo(false), 'true or false', 'Whether webhooks may have http:// urls.'),
  ALLOW_PRIVATE_TARGETS: setting(
    commaSeparated.refine((ranges) => ranges.every(isCidr)),
    'address ranges such as 10.0.0.0/8, separated by commas',
    'Address ranges that are not public and may be called: at any port if the url has the address, at the usual ports if it has a name. Names of one label, and those in local, internal and the like, are still refused. Default: none.',
  ),
  ALLOW_LOOPBACK_TARGETS: setting(
    trueOrFalse.transform((text) => text === 'true').optional(),
    'true or false',
    "Whether webhooks may call loopback addresses, over http:// and at any port: all servers on the daemon's machine. Default: true in the all-in-one mode if only this machine can reach the API (HOST is a loopback address or localhost, and TRUSTED_PROXIES is empty), otherwise false.",
  ),
  EGRESS_PROXY: setting(
    z.string().refine(isProxyUrl).optional(),
    'an http:// or https:// URL such as http://user:password@proxy:4750, without a path',
    'A proxy for every delivery, by a tunnel (CONNECT). The proxy resolves names and judges their addresses: use one that refuses private addresses, such as smokescreen, and that allows CONNECT to every port that webhooks use. Proxies of the environment (HTTP_PROXY) are ignored.',
  ),
  DELIVERY_CONCURRENCY: setting(
    whole(1, 2000, 200),
    '1 to 2000',
    'The most requests that a daemon has in flight. It has at most twice as many outcomes that are not yet written.',
  ),
  ENDPOINT_CONCURRENCY_MAX: setting(
    whole(1, 1000, 64),
    '1 to 1000',
    'The most requests in flight to one webhook. A webhook starts with 8. Successes raise the number while it is used; no answer, 5xx and 429 halve it.',
  ),
  ORIGIN_CONCURRENCY_MAX: setting(
    whole(1, 2000, 256),
    '1 to 2000',
    "The most requests in flight to one scheme, host and port, over all of a tenant's webhooks there.",
  ),
  CONNECT_TIMEOUT_MS: setting(
    whole(10, 60_000, 5000),
    '10 to 60000',
    'The longest time to connect to an endpoint, in ms. It never exceeds half of ATTEMPT_TIMEOUT_MS.',
  ),
  ATTEMPT_TIMEOUT_MS: setting(
    whole(50, 120_000, 15_000),
    '50 to 120000',
    'The longest time for a whole attempt, from connecting to the end of the answer, in ms.',
  ),
} as const;
