import type { Config } from '../config.js';
import { hasCluster, startEmbeddedPostgres } from '../embedded-postgres.js';
import { reachDatabase } from '../operations/installation/reach-database.js';

/**
 * Runs `work` with the URL of the configured database, whose tables its user owns. In the all-in-one mode that is the
 * embedded Postgres: the running one if the service is running, else one that is started for `work` and stopped after
 * it. A command makes no installation: where DATABASE_URL or DATA_DIR was forgotten, it would be one that nobody meant.
 *
 * @throws Error with a sentence when there is no installation, or its database cannot be used
 */
export async function withDatabaseUrl(config: Config, work: (url: string) => Promise<void>): Promise<void> {
  if (config.databaseUrl !== undefined) {
    await reachDatabase(config.databaseUrl, 'owner');
    await work(config.databaseUrl);
    return;
  }
  if (!hasCluster(config.dataDir)) {
    throw new Error(
      `There is no installation in ${config.dataDir}. "hookwright start" makes one; DATABASE_URL or DATA_DIR name another.`,
    );
  }
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir });
  try {
    await work(postgres.url);
  } finally {
    await postgres.stop();
  }
}
