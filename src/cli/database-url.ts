import { constants } from 'node:os';
import { reachDatabase } from '../operations/installation/reach-database.js';
import { hasCluster, startEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.js';
import { thisProgram } from '../platform/node/this-program.js';
import type { Config } from '../platform/settings/config.js';
import { followDatabaseUrl } from '../platform/settings/follow-database-url.js';

/**
 * Runs `work` with the URL of the configured database, whose tables its user owns. In the all-in-one mode that is the
 * embedded Postgres: the running one if the service is running, else one that is started for `work` and stopped after
 * it. A command makes no installation: where DATABASE_URL or DATA_DIR was forgotten, it would be one that nobody meant.
 *
 * @throws Error with a sentence when there is no installation, or its database cannot be used
 */
export async function withDatabaseUrl(config: Config, work: (url: string) => Promise<void>): Promise<void> {
  if (config.databaseUrl !== undefined) {
    followDatabaseUrl(config);
    await reachDatabase(config.databaseUrl, 'owner');
    await work(config.databaseUrl);
    return;
  }
  if (!hasCluster(config.dataDir)) {
    throw new Error(
      `There is no installation in ${config.dataDir}. "${thisProgram} start" makes one; DATABASE_URL or DATA_DIR name another.`,
    );
  }
  const leaveSignals = exitOnSignals();
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir });
    await work(postgres.url).finally(() => postgres.stop());
  } finally {
    leaveSignals();
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A process that a signal ends by itself does nothing at its exit: the embedded Postgres would go on running. */
function exitOnSignals(): () => void {
  const exit = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal]); // as shells put it
  for (const signal of SIGNALS) {
    process.on(signal, exit);
  }
  return () => {
    for (const signal of SIGNALS) {
      process.off(signal, exit);
    }
  };
}
