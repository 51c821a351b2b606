import { randomBytes } from 'node:crypto';
import { openServices } from '../../src/api/services.js';
import type { Closing } from '../../src/cli/observe.js';
import { openLog } from '../../src/cli/open-log.js';
import { startParts } from '../../src/cli/start.js';
import { PLATFORM_ADMIN, SCOPES, type Scope } from '../../src/domain/keys/scopes.js';
import { migrate } from '../../src/operations/installation/migrate.js';
import { createApiKey } from '../../src/operations/keys/create-api-key.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { readConfig } from '../../src/platform/settings/config.js';
import { settings } from '../../src/platform/settings/settings.js';
import { seed } from '../seed/seed.js';
import { ownPort } from '../support/loopback.js';
import { startTemporaryPostgres } from '../support/temporary-postgres.js';
import { startReceivers } from './receivers.js';
import { startTraffic } from './traffic.js';

/** A running installation with a year behind it, and how to get into it. */
export interface Installation {
  origin: string;
  /** Keys with all scopes: of the platform, of the main tenant, and of the tenant with the hostile texts, if there is one. */
  keys: { platform: string; tenant: string; hostile: string | null };
  tenants: { id: number; name: string }[];
}

/**
 * Starts API and daemon as `npm start` does, over a seeded database in a temporary folder, with receivers of their own.
 *
 * @param options.eventsPerSecond that are emitted all the time; 0: none
 * @param options.hostile with a tenant whose names and texts are an attacker's
 * @param closings gets what ends each part, and is to be called from the last to the first
 */
export async function startInstallation(
  { eventsPerSecond, hostile }: { eventsPerSecond: number; hostile: boolean },
  closings: Closing[],
): Promise<Installation> {
  // The console says what is wrong with a database: with this one nothing is.
  const postgres = await startTemporaryPostgres({ durable: true });
  closings.push(() => postgres.close());
  await migrate(postgres.url);
  const receivers = await startReceivers();
  closings.push(() => receivers.close());
  const config = readConfig({
    ENCRYPTION_KEYS: `pictures:${randomBytes(32).toString('base64')}`,
    HOST: '127.0.0.1',
    PORT: `${await ownPort()}`,
    LOG_LEVEL: 'warn',
    EGRESS_PROXY: receivers.proxyUrl,
    // Several people may look at once, each by many pages.
    MANAGEMENT_RATE_MAX: '100000',
    MANAGEMENT_BURST_MAX: '1000000',
    ANONYMOUS_RATE_MAX: '100000',
    ...settingsOf(process.env),
    DATABASE_URL: postgres.url,
  });
  const log = openLog(config);
  const services = await openServices({
    config,
    databaseUrl: postgres.url,
    encryptionKeys: config.encryptionKeys ?? [],
    log,
  });
  closings.push(() => services.db.close());
  const { tenants, hostileTenantId } = await seed(services, { hostile });
  const keyOf = async (tenantId: number | null) => {
    const scopes: readonly Scope[] = tenantId === null ? [PLATFORM_ADMIN] : SCOPES;
    const made = { tenantId, name: 'Pictures', scopes, by: commandLine };
    return (await createApiKey(services.db, services.random, made)).key;
  };
  const keys = {
    platform: await keyOf(null),
    tenant: await keyOf(tenants[0]!.id),
    hostile: hostileTenantId === null ? null : await keyOf(hostileTenantId),
  };
  const roles = { api: true, daemon: true, migrate: false };
  await startParts({ roles, config, log, closings, drains: [], goOn: () => {} });
  if (eventsPerSecond > 0) {
    const ids = tenants.map(({ id }) => id);
    // The main tenant has most of it.
    closings.push(startTraffic(services, [ids[0]!, ids[0]!, ...ids], eventsPerSecond));
  }
  return { origin: `http://127.0.0.1:${config.port}`, keys, tenants };
}

/** Settings that somebody has set for this run: PORT, LOG_LEVEL, CORS_ORIGINS … */
const settingsOf = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name in settings));
