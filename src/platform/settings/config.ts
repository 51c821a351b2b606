import { resolve } from 'node:path';
import { isLoopbackAddress, opensLoopback } from '../../domain/addresses/target.js';
import { delaysOf, RETRY_CAP_SECONDS } from '../../domain/deliveries/retry-policy.js';
import { distance } from '../../domain/text/nearest-word.js';
import { mailConfigOf } from './mail-settings.js';
import { basePathOf, oidcFaults, oidcFrom } from './oidc-settings.js';
import { readTable, type ValuesOf } from './setting.js';
import { settings, table } from './settings.js';
import { formContradictions, knownForms } from './signature-forms.js';

export interface EncryptionKey {
  kid: string;
  key: Buffer;
}

type Values = ValuesOf<typeof table>;

/** Files by the names of the settings whose secrets were read from them. */
type SecretFiles = Record<string, string>;

/** Every setting, read once and frozen. Durations and sizes carry their unit in the name. */
export type Config = Readonly<ReturnType<typeof configFrom>> & {
  /** Sentences about values that are allowed and have less effect than they seem to. */
  readonly warnings: readonly string[];
};

/** A daemon that is stopped waits for its requests in flight, so longer than the longest attempt. */
const DRAIN_MS_MIN = 20_000;
const DRAIN_BESIDE_ATTEMPT_MS = 5_000;

/** The default of ATTEMPT_TIMEOUT_MAX_MS, unless ATTEMPT_TIMEOUT_MS is more. */
const ATTEMPT_TIMEOUT_MS_MAX = 30_000;

/** Four pools in one process and some other connections fit into the 100 of the service's own Postgres. */
const EMBEDDED_POOL_MAX = 22;

/** All keys of a tenant together may do as much as this number of keys. */
const KEYS_AT_FULL_RATE_MAX = 5;

/** A bad environment. The message names each setting, its value and what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the service's settings from an environment, and secrets from the files that it names (docs/settings.md).
 *
 * @throws ConfigError naming every bad setting, and every name that is almost a setting
 */
export function readConfig(env: Record<string, string | undefined>, { needsEncryptionKeys = true } = {}): Config {
  const problems = misspelledNames(env);
  const secretFiles: SecretFiles = {};
  const warnings: string[] = [];
  const values = readTable(table, (setting) => {
    try {
      const found = setting.find(env);
      if (found.file !== undefined) {
        secretFiles[setting.name] = found.file;
      }
      const value = setting.parse(found);
      warnings.push(...(found.text === undefined ? [] : [setting.warningOf(found.text)]).filter((one) => one !== null));
      return value;
    } catch (error) {
      problems.push((error as Error).message);
      return undefined;
    }
  });
  if (problems.length === 0) {
    problems.push(...contradictions(values), ...(needsEncryptionKeys ? lackOfEncryptionKeys(values) : []));
  }
  if (problems.length > 0) {
    throw new ConfigError(problems.join('\n'));
  }
  return Object.freeze({ ...configFrom(values, secretFiles), warnings });
}

function configFrom({ rates, disableAfterSecondsMin, retry, ...values }: Values, secretFiles: SecretFiles) {
  const { limits, target, trustedProxies } = values;
  const { recovery, attemptTimeoutMsMax, ...delivery } = values.delivery;
  // The all-in-one mode, where the service brings its own Postgres.
  const embedded = values.databaseUrl === undefined;
  const named = values.host ?? (embedded ? '127.0.0.1' : '::');
  // One address: for further ones Fastify opens servers that lack what is set at the first.
  const host = named.toLowerCase() === 'localhost' ? '127.0.0.1' : named;
  // Only this machine can reach the API: a trusted proxy brings requests of other machines.
  const isLocal = isLoopbackAddress(host) && trustedProxies.length === 0;
  const dashboard = values.dashboard === 'on';
  return {
    ...values,
    secretFiles: Object.freeze(secretFiles) as Readonly<Partial<SecretFiles>>,
    embedded,
    dataDir: resolve(values.dataDir),
    host,
    isLocal,
    dashboard,
    /** The path of PUBLIC_URL, such as `/hooks`; empty where it has none. */
    basePath: values.publicUrl === undefined ? '' : basePathOf(values.publicUrl),
    /** Null: there is no sign-in by OpenID Connect, and session cookies are ignored. */
    oidc: dashboard ? oidcFrom(values.oidc, values.publicUrl) : null,
    /** Null: no mails are sent. */
    mail: mailConfigOf(values, values.publicUrl),
    limits: { ...limits, headersTimeoutMs: limits.requestTimeoutMs / 2 },
    streams: {
      ...values.streams,
      /** Proxies usually close a silent connection after a longer time. */
      heartbeatMs: 15_000,
      /** Then the client connects again, perhaps to another process. */
      lifeMs: 3_600_000,
      /** A reader that takes nothing for this long is disconnected. */
      slowMs: 30_000,
    },
    /** The limits of each API process: see src/api/context/rate-limits.ts. */
    quotas: quotasFrom(rates, limits.eventsPerRequestMax),
    /** The shortest failure streak that disables a webhook. */
    failureStreakMsMin: disableAfterSecondsMin * 1_000,
    /** The values of webhooks that set none themselves, and whose tenant sets none. */
    deliveryDefaults: {
      timeoutMs: delivery.attemptTimeoutMs,
      retryDelaysSeconds: delaysOf({ ...retry, capSeconds: RETRY_CAP_SECONDS }),
      ratePerSecond: null,
      concurrencyMax: delivery.endpointConcurrencyMax,
      recovery,
      signing: 'SECRET',
    },
    delivery: {
      ...delivery,
      /** By their names: the built-in ones and those of SIGNATURE_FORMS. */
      signatureForms: knownForms(delivery.signatureForms, delivery.headerPrefix),
      /** The longest timeout that a webhook may have. */
      attemptTimeoutMsMax: attemptTimeoutMsMax ?? Math.max(ATTEMPT_TIMEOUT_MS_MAX, delivery.attemptTimeoutMs),
      drainTimeoutMs: Math.max(DRAIN_MS_MIN, delivery.attemptTimeoutMs + DRAIN_BESIDE_ATTEMPT_MS),
      responseBytesMax: 65_536,
      storedBytesMax: 16_384,
    },
    /** In a trial on one machine, the receiver on loopback speaks http. */
    target: { ...target, loopbackHttp: target.loopbackHttp ?? (embedded && isLocal) },
  };
}

function quotasFrom(rates: Values['rates'], eventsMax: number) {
  return {
    management: { perSecond: rates.management, burst: rates.managementBurst },
    managementOfTenants: {
      perSecond: KEYS_AT_FULL_RATE_MAX * rates.management,
      burst: KEYS_AT_FULL_RATE_MAX * rates.managementBurst,
    },
    /** Null: no limit. */
    emits: rates.emits === 0 ? null : { perSecond: rates.emits, burst: Math.max(eventsMax, rates.emits) },
    keyFailures: { perSecond: rates.keyFailures, burst: 10 * rates.keyFailures },
    anonymous: { perSecond: rates.anonymous, burst: 10 * rates.anonymous },
  };
}

function lackOfEncryptionKeys({ databaseUrl, encryptionKeys }: Values): string[] {
  return databaseUrl === undefined || encryptionKeys !== undefined
    ? []
    : [
        'ENCRYPTION_KEYS is not set; with DATABASE_URL it is required: kid:base64 of 32 bytes, several separated by commas. An existing installation needs its own keys; for a new one make a key with: echo "k1:$(openssl rand -base64 32)".',
      ];
}

function contradictions(values: Values): string[] {
  const { holdHours, retentionDays, databaseUrl, databasePoolMax, target } = values;
  const { standardWebhooks, headerPrefix, signatureForms } = values.delivery;
  const problems = [...oidcFaults(values.oidc, values.publicUrl), ...formContradictions(signatureForms, headerPrefix)];
  const daysMin = Math.floor(holdHours / 24) + 2;
  if (retentionDays < daysMin) {
    problems.push(
      `RETENTION_DAYS is ${retentionDays}; with HOLD_HOURS=${holdHours} it must be at least ${daysMin}: held deliveries must not be dropped.`,
    );
  }
  if (standardWebhooks && headerPrefix.toLowerCase() === 'webhook') {
    problems.push(
      `HEADER_PREFIX is ${headerPrefix}: the headers of Standard Webhooks already have these names, and receivers would find two signatures in one header. Choose another prefix, or set STANDARD_WEBHOOKS=false.`,
    );
  }
  if (databaseUrl === undefined && databasePoolMax > EMBEDDED_POOL_MAX) {
    problems.push(
      `DATABASE_POOL_MAX is ${databasePoolMax}; without DATABASE_URL it may be ${EMBEDDED_POOL_MAX} at most: the service's own Postgres has no more connections.`,
    );
  }
  if (target.loopbackHttp === false && opensLoopback({ ...target, loopbackHttp: false })) {
    problems.push(
      'ALLOW_LOOPBACK_TARGETS is false and ALLOW_PRIVATE_TARGETS opens loopback addresses; take them out of ALLOW_PRIVATE_TARGETS, or leave out ALLOW_LOOPBACK_TARGETS.',
    );
  }
  return problems;
}

/** Finds names that differ from a setting by one or two letters, or as singular and plural do. */
function misspelledNames(env: Record<string, string | undefined>): string[] {
  const known = Object.values(settings).flatMap((setting) => setting.variables);
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
