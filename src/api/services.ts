import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { Emitter } from '../operations/emits/emit-events.js';
import { EmitTrouble } from '../operations/emits/emit-trouble.js';
import { EventTypeRegistry } from '../operations/event-types/event-type-registry.js';
import { SearchSlots } from '../operations/explorer/search.js';
import { Authenticator } from '../operations/keys/authenticate.js';
import { Conversions } from '../operations/releases/conversions.js';
import { Releases } from '../operations/releases/releases.js';
import { SecretVault } from '../operations/secrets/secret-vault.js';
import { PlatformAccess } from '../operations/tenants/platform-access.js';
import { openDatabase } from '../platform/database/database.js';
import { Primary } from '../platform/database/driver/primary.js';
import type { Config, EncryptionKey } from '../platform/settings/config.js';
import { type ApiMetrics, apiMetrics } from '../platform/telemetry/api-metrics.js';
import type { Tracing } from '../platform/telemetry/tracing.js';
import type { Services } from './context/context.js';
import { EventLeases } from './context/event-leases.js';
import { answerMemory, bodyMemory } from './context/memory-budget.js';
import { RateLimits } from './context/rate-limits.js';
import { ChangeFeed } from './live/change-feed.js';

interface ServiceOptions {
  config: Config;
  databaseUrl: string;
  encryptionKeys: readonly EncryptionKey[];
  log: Logger;
  /** The role of the database connections; default: the url's user. */
  role?: string;
  /** Default: the machine's clock. */
  clock?: () => Date;
  /** Milliseconds that never go back, for the rate limits. */
  now?: () => number;
  /** The metrics of the API; default: nobody reads them. */
  metrics?: ApiMetrics;
  /** Default: no traces. */
  tracing?: Tracing | null;
}

/** Makes the services that API and daemon share. Connects lazily; close them with `services.db.close()`. */
export async function openServices(options: ServiceOptions): Promise<Services> {
  const { config, databaseUrl, encryptionKeys, log, role, clock = () => new Date() } = options;
  const { now = () => performance.now(), metrics = apiMetrics(), tracing = null } = options;
  Primary.of(databaseUrl).onNews = (news) => log.warn(news);
  const db = await openDatabase(databaseUrl, {
    poolMax: config.databasePoolMax,
    onError: (error) => log.warn({ err: error }, 'a database connection broke'),
    ...(role === undefined ? {} : { role }),
  });
  return {
    config,
    db,
    emitter: new Emitter(db.pool, undefined, (events) => metrics.emitBatches.observe(events)),
    emitTrouble: new EmitTrouble(now),
    vault: new SecretVault(db, encryptionKeys),
    authenticator: new Authenticator(db, {
      failures: config.quotas.keyFailures,
      now,
      onLimited: () => metrics.limited.count('key_failures'),
    }),
    platformAccess: new PlatformAccess(db, now),
    rateLimits: new RateLimits(config.quotas, now, (limit) => metrics.limited.count(limit)),
    eventLeases: new EventLeases(db, now, (limit) => metrics.limited.count(limit)),
    metrics,
    tracing,
    searches: new SearchSlots(config.databasePoolMax, config.limits.searchTimeoutMs),
    bodyMemory: bodyMemory(config.limits.graphql.bodyBytesMax),
    answerMemory: answerMemory(config.limits.graphql.answerBytesMax),
    eventTypes: new EventTypeRegistry(db, now),
    releases: new Releases(db, now),
    conversions: new Conversions(db, now),
    changes: new ChangeFeed(db, log),
    clock,
    random: randomBytes,
    log,
  };
}
