import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Daemon } from '../../daemon/daemon.js';
import type { Services } from '../api/context/context.js';
import { OneTimeCode } from '../api/dashboard/one-time-code.js';
import { REST_PREFIX } from '../api/rest/paths.js';
import { openServices } from '../api/services.js';
import { opensLoopback } from '../domain/addresses/target.js';
import { keepOutboxLimits } from '../operations/emits/outbox.js';
import { newerThan, requireConnectedAs, requireMigrated } from '../operations/installation/check-readiness.js';
import { MIGRATED_BY_ANOTHER, migrate } from '../operations/installation/migrate.js';
import { reachDatabase } from '../operations/installation/reach-database.js';
import { openPool } from '../platform/database/database.js';
import { ENDING } from '../platform/database/outage.js';
import { API_ROLE } from '../platform/database/tenant-database.js';
import { lockDataFolder, startEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.js';
import { thisProgram } from '../platform/node/this-program.js';
import { apiUrlFile } from '../platform/settings/api-key-file.js';
import type { Config, EncryptionKey } from '../platform/settings/config.js';
import { followDatabaseUrl } from '../platform/settings/follow-database-url.js';
import { apiMetrics } from '../platform/telemetry/api-metrics.js';
import { encryptionKeyFile, encryptionKeysOf } from './encryption-keys.js';
import { makeFirstTenant, workingKeyFile } from './first-start.js';
import { listen, requireFreePort } from './listen.js';
import { makeIndexesMeanwhile } from './make-indexes.js';
import { type Closing, observe, startMetrics } from './observe.js';
import { rehearse } from './rehearse.js';

export interface Roles {
  api: boolean;
  daemon: boolean;
  migrate: boolean;
}

interface Start {
  roles: Roles;
  config: Config;
  log: Logger;
  /** Gets what closes each part that was opened. */
  closings: Closing[];
  /** Gets what lets each part end unnoticed, before any part is closed; all of it at the same time. */
  drains: (() => Promise<unknown>)[];
  /** Throws once the start is broken off: its parts are being closed, and no other may be opened. */
  goOn: () => void;
}

/** After an uncaught fault, attempts in flight have this long to be recorded. */
const HASTY_DRAIN_MS = 3_000;

/**
 * Opens each part after the parts that it needs. Only processes with an API load it, and only those with a daemon load
 * that: a daemon takes 30 MiB less (docs/performance.md).
 */
export async function startParts(start: Start): Promise<void> {
  const { roles, config, log, closings } = start;
  const databaseUrl = await openMigrated(start);
  logLoopbackTargets(config, log);
  const { registry, tracing, process: processMetrics } = await observe(config, log, closings);
  const encryptionKeys = await keysOfMigrated(config, databaseUrl, roles.daemon ? undefined : API_ROLE);
  const openAs = async (role?: string): Promise<Services> => {
    start.goOn();
    const forApi = role === undefined ? {} : { role, metrics: apiMetrics(registry) };
    const services = await openServices({ config, databaseUrl, encryptionKeys, log, tracing, ...forApi });
    closings.push(() => services.db.close());
    processMetrics.watchPool(role === undefined ? 'daemon' : 'api', services.db.pool);
    return services;
  };
  const daemonServices = roles.daemon ? await openAs() : null;
  const firstKey = roles.migrate && daemonServices ? await makeFirstTenant(daemonServices) : null;
  const keyFile = config.embedded && daemonServices ? await workingKeyFile(daemonServices) : null;
  const apiServices = roles.api ? await openAs(API_ROLE) : null;
  if (config.rehearsal) {
    await rehearse({ api: apiServices, daemon: daemonServices });
  }
  start.goOn();
  // Both ports before the daemon: one that is taken ends the start before anything has been sent.
  const startCode = startCodeFor(config);
  const api = apiServices && (await startApi(apiServices, startCode, start));
  let trouble = (): string | null => (roles.daemon ? 'The daemon does not fetch jobs yet.' : null);
  const services = daemonServices ?? apiServices;
  if (services !== null) {
    const whyNot = () => (api?.isEnding ? ENDING : (apiServices?.emitTrouble.why ?? trouble()));
    closings.push(await startMetrics(services, registry, whyNot));
  }
  if (daemonServices !== null) {
    const daemon = await startDaemon(start, daemonServices, registry);
    trouble = () => daemon.trouble;
    apiServices?.emitter.claimFor(daemon.claims);
  }
  if (api !== null) {
    // Again: it closes before the daemon, which the emits of this process hand their deliveries to.
    closings.push(api.close);
    if (config.embedded) {
      printAddresses(config, api.address, { firstKey, keyFile, startCode });
    }
  }
}

/** @returns the url of a database that can be reached and, where that is for this process to do, is migrated */
async function openMigrated({ roles, config, log, closings, goOn }: Start): Promise<string> {
  const databaseUrl = config.databaseUrl ?? (await openEmbedded(config, log, closings));
  goOn();
  if (!config.embedded) {
    followDatabaseUrl(config, log);
    await reachDatabase(databaseUrl, roles.daemon ? 'owner' : 'api');
  }
  if (roles.migrate) {
    const { unknown } = await migrate(databaseUrl, () => log.info(MIGRATED_BY_ANOTHER));
    if (unknown.length > 0) {
      log.warn(newerThan(unknown));
    }
    closings.push(makeIndexesMeanwhile(databaseUrl, log));
  }
  return databaseUrl;
}

async function startDaemon(
  { config, log, closings, drains, goOn }: Start,
  services: Services,
  registry: Registry,
): Promise<Daemon> {
  await keepOutboxLimits(services.db, config);
  const { Daemon } = await import('../../daemon/daemon.js');
  goOn();
  const daemon = new Daemon({ ...services, registry });
  closings.push((inHaste) => (inHaste ? daemon.stopSending(HASTY_DRAIN_MS) : daemon.stop()));
  if (!config.embedded) {
    drains.push(() => daemon.stop());
  }
  log.info({ concurrency: config.delivery.concurrency }, 'the delivery daemon is running');
  return daemon;
}

/**
 * The code in the link that signs in to the console. There is one only where nobody outside of this machine reaches the
 * API, and only on a terminal, because it never goes into a log.
 */
function startCodeFor({ embedded, isLocal, dashboard }: Config): OneTimeCode | null {
  return embedded && isLocal && dashboard && process.stderr.isTTY ? new OneTimeCode(randomBytes) : null;
}

async function startApi(services: Services, startCode: OneTimeCode | null, { closings, drains, goOn }: Start) {
  const { buildServer } = await import('../api/server.js');
  goOn();
  const server = await buildServer(services, { startCode });
  const close = () => server.close();
  closings.push(close);
  const { host, port } = services.config;
  const listenTextResolver = (address: string) => `the API is listening at ${address}`;
  const listening = await listen('PORT', { host, port }, (at) => server.listen({ ...at, listenTextResolver }));
  const address = listening.replace('[::]', '127.0.0.1'); // an address that can be called
  const { embedded, shutdownDelayMs } = services.config;
  if (embedded) {
    await writeFile(apiUrlFile(services.config), `${address}\n`);
  } else {
    drains.push(() => server.drain(shutdownDelayMs));
  }
  return {
    address,
    close,
    get isEnding() {
      return server.ending.aborted;
    },
  };
}

async function openEmbedded(config: Config, log: Logger, closings: Closing[]): Promise<string> {
  // A start that is refused leaves no folder. One that is in use says more than its ports, which are taken too.
  if (!existsSync(config.dataDir)) {
    await requireFreePorts(config);
  }
  const lock = lockDataFolder(config.dataDir);
  closings.push(() => lock.release());
  await requireFreePorts(config);
  const postgres = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    log: (line) => log.info(line),
    warn: (line) => log.warn(line),
  });
  closings.push(() => postgres.stop());
  postgres.keepRunning();
  return postgres.url;
}

async function requireFreePorts(config: Config): Promise<void> {
  await requireFreePort('PORT', config);
  await requireFreePort('METRICS_PORT', config.metrics);
}

function logLoopbackTargets({ target, isLocal }: Config, log: Logger): void {
  if (!opensLoopback(target)) {
    return;
  }
  if (isLocal) {
    log.info('loopback targets are open: webhooks may point at any service of this machine');
  } else {
    log.warn('loopback targets are open: everybody with a key can reach any service of this machine');
  }
}

/** Checks at the start that the database has all migrations, and that the encryption keys open its secrets. */
async function keysOfMigrated(
  config: Config,
  databaseUrl: string,
  role: string | undefined,
): Promise<readonly EncryptionKey[]> {
  const pool = openPool(databaseUrl, 1, () => {}, role);
  try {
    await requireMigrated({ pool });
    if (role !== undefined) {
      await requireConnectedAs({ pool }, role);
    }
    return await encryptionKeysOf(config, { pool });
  } finally {
    await pool.end();
  }
}

interface FirstSigns {
  /** Made by this start. */
  firstKey: string | null;
  /** Where a key is that works. */
  keyFile: string | null;
  startCode: OneTimeCode | null;
}

/** Written for the person who has started it by hand. A key goes to a terminal only, never into a log. */
function printAddresses(config: Config, address: string, { firstKey, keyFile, startCode }: FirstSigns): void {
  const encryptionKey =
    config.encryptionKeys === undefined
      ? `${encryptionKeyFile(config)} (keep a copy: without it secrets are lost)`
      : 'ENCRYPTION_KEYS';
  const whereKeyIs = keyFile === null ? `from "${thisProgram} key create <name> --tenant <id>"` : `in ${keyFile}`;
  const graphiql = config.graphiql ? `   try it at ${address}/graphiql` : '';
  const lines = [
    `Hookwright is ready at ${address}`,
    `  REST ${address}${REST_PREFIX}/webhooks   GraphQL ${address}/graphql${graphiql}`,
    `  Data in ${config.dataDir}, from which the next start continues (DATA_DIR names another folder)`,
    `  API key ${whereKeyIs}   encryption key in ${encryptionKey}`,
  ];
  if (config.dashboard) {
    const signIn = startCode === null ? '' : `/#code=${startCode.text} (signs in once, within ten minutes)`;
    lines.push(`  Console: ${config.publicUrl ?? address}/console${signIn}`);
  }
  if (config.target.loopbackHttp) {
    lines.push('  On this machine webhooks may point at http://localhost and other loopback addresses.');
  }
  if (firstKey !== null && process.stderr.isTTY) {
    lines.push(`  The API key of that file: ${firstKey}`);
  }
  process.stderr.write(`${lines.join('\n')}\n`);
}
