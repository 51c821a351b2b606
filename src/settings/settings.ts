import { isIP } from 'node:net';
import { z } from 'zod';
import { databaseUrlFault, withTlsMode } from './database-url.js';
import { limitSettings } from './limit-settings.js';
import { oidcSettings } from './oidc-settings.js';
import { commaSeparated, optionalText, setting, whole, yesNo, yesNoOrUnset } from './setting.js';

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

/** Accepts an origin in the form of the header `Origin`: lower case, no usual port. No other form would ever match. */
const isWebOrigin = (text: string): boolean => /^https?:\/\/[^*]+$/.test(text) && URL.parse(text)?.origin === text;

/** The table of settings. docs/settings.md says what each one means; a test compares the two. */
export const settings = {
  DATABASE_URL: setting(
    z
      .string()
      .refine((text) => databaseUrlFault(text) === null)
      .transform(withTlsMode)
      .optional(),
    'a postgres:// URL such as postgres://user:password@host:5432/database; special characters in it as %25 (%), %23 (#), %2F (/), %3F (?), %40 (@), %3A (:) and %20 (blank)',
    databaseUrlFault,
  ),
  ENCRYPTION_KEYS: setting(
    encryptionKeys,
    'kid:base64 of 32 bytes, several separated by commas, each kid once; a kid has 1 to 64 letters, digits, dots, hyphens and underscores',
  ),
  DATA_DIR: setting(z.string().default('.data'), 'a folder'),
  HOST: optionalText('a host name or an IP address'),
  PORT: whole(0, 65_535, 3000, 'a port, 0 to 65535 (0: any free one)'),
  METRICS_PORT: whole(0, 65_535, 0, 'a port, 0 to 65535 (0: none)'),
  METRICS_HOST: setting(z.string().min(1).default('127.0.0.1'), 'a host name or an IP address'),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    z
      .string()
      .regex(/^https?:\/\/[^/]/)
      .optional(),
    'an http:// or https:// URL such as http://127.0.0.1:4318',
  ),
  LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    'trace, debug, info, warn, error, fatal or silent',
  ),
  DATABASE_POOL_MAX: whole(4, 500, 10),
  CORS_ORIGINS: setting(
    commaSeparated.refine((origins) => origins.every(isWebOrigin)),
    'origins such as https://app.example.com, in full, as browsers send them, separated by commas',
  ),
  INTROSPECTION: yesNo(true),
  GRAPHIQL: yesNo(true),
  DASHBOARD: setting(z.enum(['on', 'off']).default('on'), 'on or off'),
  PUBLIC_URL: setting(
    z.string().refine(isWebOrigin).optional(),
    'an origin such as https://hooks.example.com, in full, as browsers send it',
  ),
  ...oidcSettings,
  WEBHOOKS_PER_TENANT_MAX: whole(1, 1_000_000, 100),
  API_KEYS_PER_TENANT_MAX: whole(1, 1_000_000, 100),
  PAYLOAD_BYTES_MAX: whole(1024, 1_048_576, 262_144),
  ...limitSettings,
  MANAGEMENT_RATE_MAX: whole(1, 100_000, 100),
  MANAGEMENT_BURST_MAX: whole(1, 1_000_000, 200),
  EMIT_RATE_MAX: whole(0, 1_000_000, 0, '0 to 1000000 (0: no limit)'),
  KEY_FAILURES_RATE_MAX: whole(1, 100_000, 10),
  ANONYMOUS_RATE_MAX: whole(1, 100_000, 20),
  TRUSTED_PROXIES: setting(
    commaSeparated.refine((ranges) => ranges.every((range) => isCidr(range) && !/\/0+$/.test(range))),
    'addresses and address ranges such as 10.0.0.0/8, separated by commas; not the range of all addresses',
  ),
  MAX_RETRIES: whole(0, 50, 5),
  DISABLE_AFTER_SECONDS_MIN: whole(0, 3600, 10),
  RETRY_BASE_SECONDS: setting(
    z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .default('120')
      .transform(Number)
      .refine((seconds) => seconds >= 0.01 && seconds <= 3600),
    '0.01 to 3600',
  ),
  HOLD_HOURS: whole(1, 2160, 168),
  RETENTION_DAYS: whole(8, 3650, 30, '8 to 3650, and above HOLD_HOURS + 1 day'),
  HEADER_PREFIX: setting(
    z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/)
      .default('X-Service'),
    'letters, digits and hyphens, a letter first, at most 64',
  ),
  STANDARD_WEBHOOKS: yesNo(true),
  ALLOW_HTTP_URLS: yesNo(false),
  ALLOW_PRIVATE_TARGETS: setting(
    commaSeparated.refine((ranges) => ranges.every(isCidr)),
    'address ranges such as 10.0.0.0/8, separated by commas',
  ),
  ALLOW_LOOPBACK_TARGETS: yesNoOrUnset,
  EGRESS_PROXY: setting(
    z.string().refine(isProxyUrl).optional(),
    'an http:// or https:// URL such as http://user:password@proxy:4750, without a path',
  ),
  DELIVERY_CONCURRENCY: whole(1, 2000, 200),
  ENDPOINT_CONCURRENCY_MAX: whole(1, 1000, 64),
  ORIGIN_CONCURRENCY_MAX: whole(1, 2000, 256),
  CONNECT_TIMEOUT_MS: whole(10, 60_000, 5000),
  ATTEMPT_TIMEOUT_MS: whole(50, 120_000, 15_000),
} as const;
