import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Daemon } from '../../daemon/daemon.js';
import { ApiMetrics } from '../api-metrics.js';
import { type Config, type EncryptionKey, readConfig } from '../config.js';
import type { Services } from '../context.js';
import { openPool } from '../database.js';
import { opensLoopback } from '../domain/target.js';
import { claimDataDir, startEmbeddedPostgres } from '../embedded-postgres.js';
import { requireConnectedAs, requireMigrated } from '../operations/check-readiness.js';
import { migrate } from '../operations/migrate.js';
import { keepOutboxLimit } from '../operations/outbox.js';
import { reachDatabase } from '../operations/reach-database.js';
import { buildServer } from '../server.js';
import { openServices } from '../services.js';
import { API_ROLE } from '../tenant-database.js';
import { encryptionKeyFile, encryptionKeysOf } from './encryption-keys.js';
import { apiKeyFile, makeFirstTenant } from './first-start.js';
import { listen } from './listen.js';
import { type Closing, observe, startMetrics } from './observe.js';
import { openLog } from './open-log.js';

/** Which parts run in this process. */
export interface Roles {
  api: boolean;
  daemon: boolean;
  migrate: boolean;
}

/** `end`: null until a signal was taken, then what it set going, at whose end the process exits. */
type Signals = { readonly end: Promise<void> | null };

/** The state of the process is unknown: what is in flight has this long to be recorded, and everything else ends. */
const HASTY_DRAIN_MS = 3_000;
const HASTY_END_MS = 10_000;
/** What a signal needs to get to its handler, while the same one has ended a program that we wait for. */
const SIGNAL_MS = 20;
/** EX_SOFTWARE of sysexits.h: a fault of our own. Whoever supervises the process starts another. */
const EXIT_FAULT = 70;

/** `hookwright start | api | daemon`: runs until SIGINT or SIGTERM, then lets everything under way end and exits 0. */
export async function serve(roles: Roles): Promise<void> {
  const config = readConfig(process.env);
  if (!roles.migrate && config.databaseUrl === undefined) {
    throw new Error(
      'DATABASE_URL is not set: the API or the daemon alone work over a Postgres that they share.',
    );
  }
  const log = openLog(config);
  const closings: Closing[] = [];
  const signals = endOnSignals(closings, log, config);
  const start = { isOver: false };
  endOnFaults(closings, log, () => !start.isOver && signals.end !== null);
  try {
    await open(roles, config, log, closings, () => refuseToGoOn(signals));
    start.isOver = true;
  } catch (error) {
    await delay(SIGNAL_MS); // Ctrl-C reaches the programs that we start as well, and theirs may be the first word of it
    if (signals.end !== null) {
      return signals.end; // what fails now fails because everything is being closed
    }
    await closeAll(closings, true);
    throw error;
  }
}

function refuseToGoOn(signals: Signals): void {
  if (signals.end !== null) {
    throw new Error('The start was broken off.');
  }
}

/** @param goOn throws once the start was broken off: what was opened is being closed then, and nothing more must be */
async function open(
  roles: Roles,
  config: Config,
  log: Logger,
  closings: Closing[],
  goOn: () => void,
): Promise<void> {
  const databaseUrl = config.databaseUrl ?? (await openEmbedded(config, log, closings));
  goOn();
  if (!config.embedded) {
    await reachDatabase(databaseUrl, roles.daemon ? 'owner' : 'api');
  }
  if (roles.migrate) {
    await migrate(databaseUrl);
  }
  tellLoopbackTargets(config, log);
  const observed = await observe(config, log, closings);
  const { registry, tracing } = observed;
  const encryptionKeys = await keysOfMigrated(config, databaseUrl, roles.daemon ? undefined : API_ROLE);
  const options = { config, databaseUrl, encryptionKeys, log, tracing };
  const open = async (role?: string) => {
    goOn();
    const forApi = role === undefined ? {} : { role, metrics: new ApiMetrics(registry) };
    const services = await openServices({ ...options, ...forApi });
    closings.push(() => services.db.close());
    observed.process.watchPool(role === undefined ? 'daemon' : 'api', services.db.pool);
    return services;
  };
  const daemonServices = roles.daemon ? await open() : null;
  const firstKey = roles.migrate && daemonServices ? await makeFirstTenant(daemonServices) : null;

  // Before the daemon: a port that is taken ends the start before anything has been sent.
  const apiServices = roles.api ? await open(API_ROLE) : null;
  const api = apiServices ? await startApi(apiServices) : null;
  let daemon: Daemon | null = null;
  if (daemonServices) {
    await keepOutboxLimit(daemonServices.db, config.payloadBytesMax);
    goOn();
    const started = new Daemon({ ...daemonServices, registry });
    daemon = started;
    apiServices?.emitter.claimFor(started.claims);
    closings.push((inHaste) => (inHaste ? started.stopSending(HASTY_DRAIN_MS) : started.stop()));
    log.info({ concurrency: config.delivery.concurrency }, 'the delivery daemon is running');
  }
  const services = daemonServices ?? apiServices;
  if (services !== null) {
    closings.push(await startMetrics(services, registry, () => daemon?.trouble ?? null));
  }
  if (api !== null) {
    closings.push(() => api.server.close());
    tellWhereThingsAre(config, api.address, firstKey);
  }
}

async function startApi(services: Services): Promise<{ server: FastifyInstance; address: string }> {
  const server = await buildServer(services);
  const { host, port } = services.config;
  const listenTextResolver = (address: string) => `the API is listening at ${address}`;
  const address = await listen('PORT', { host, port }, (place) =>
    server.listen({ ...place, listenTextResolver }),
  );
  return { server, address };
}

async function openEmbedded(config: Config, log: Logger, closings: Closing[]): Promise<string> {
  const claim = claimDataDir(config.dataDir);
  closings.push(() => claim.release());
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log: (line) => log.info(line) });
  closings.push(() => postgres.stop());
  postgres.keepRunning();
  return postgres.url;
}

function tellLoopbackTargets({ target, isLocal }: Config, log: Logger): void {
  if (!opensLoopback(target)) {
    return;
  }
  if (isLocal) {
    log.info('loopback targets are open: webhooks may point at whatever listens on this machine');
  } else {
    log.warn('loopback targets are open: whoever has a key can reach whatever listens on this machine');
  }
}

/** Better at the start than at the first delivery: the database has all that this version needs, and its keys open it. */
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

/** For the person who has just started it by hand. A key goes to a terminal only, never into a log. */
function tellWhereThingsAre(config: Config, address: string, firstKey: string | null): void {
  if (!config.embedded) {
    return;
  }
  const encryptionKey =
    config.encryptionKeys === undefined
      ? `${encryptionKeyFile(config)} (keep a copy: without it secrets are lost)`
      : 'ENCRYPTION_KEYS';
  const lines = [
    `Hookwright is ready at ${address}`,
    `  REST ${address}/api/v1/webhooks   GraphQL ${address}/graphql   try it at ${address}/graphiql`,
    `  API key ${whereKeyIs(config)}   encryption key in ${encryptionKey}`,
  ];
  if (config.target.loopbackHttp) {
    lines.push('  On this machine webhooks may point at http://localhost and other loopback addresses.');
  }
  if (firstKey !== null && process.stderr.isTTY) {
    lines.push(`  The API key of that file: ${firstKey}`);
  }
  process.stderr.write(`${lines.join('\n')}\n`);
}

const whereKeyIs = (config: Config) =>
  existsSync(apiKeyFile(config))
    ? `in ${apiKeyFile(config)}`
    : 'from "hookwright key create <name> --tenant <id>"';

function endOnSignals(closings: Closing[], log: Logger, { delivery }: Config): Signals {
  const taken: { end: Promise<void> | null } = { end: null };
  const end = (signal: NodeJS.Signals) => {
    if (taken.end !== null) {
      log.warn('asked a second time: ending at once');
      process.exit(1);
    }
    const again = signal === 'SIGINT' ? 'Ctrl-C again' : 'a second signal';
    const limits = `up to ${Math.ceil(delivery.drainTimeoutMs / 1_000)} s; ${again} ends at once`;
    log.info({ signal }, `ending: requests under way are finished first (${limits})`);
    taken.end = closeAll(closings, false).then(() => process.exit(0));
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  return taken;
}

/**
 * A promise that nobody looked after, or an exception that nobody caught: nothing that this process still does can be
 * trusted. It stops fetching and sending, and ends; its jobs are taken over by others, or by the next process.
 *
 * @param isBrokenOff whether a start that was asked to end is the cause: then it is none of ours
 */
function endOnFaults(closings: Closing[], log: Logger, isBrokenOff: () => boolean): void {
  let ending = false;
  const end = (error: unknown, kind: NodeJS.UncaughtExceptionOrigin) => {
    if (isBrokenOff()) {
      return;
    }
    const err = error instanceof Error ? error : new Error(String(error));
    log.fatal({ err, kind }, 'a fault of our own: ending');
    log.flush();
    if (ending) {
      return;
    }
    ending = true;
    process.exitCode = EXIT_FAULT;
    setTimeout(() => process.exit(EXIT_FAULT), HASTY_END_MS);
    void closeAll(closings, true).finally(() => process.exit(EXIT_FAULT));
  };
  process.on('uncaughtException', end); // unhandled rejections come here too, unless somebody listens to them
}

async function closeAll(closings: Closing[], inHaste: boolean): Promise<void> {
  for (const close of closings.splice(0).reverse()) {
    try {
      await close(inHaste);
    } catch (error) {
      process.stderr.write(`hookwright: ${error instanceof Error ? error.message : error}\n`);
    }
  }
}
