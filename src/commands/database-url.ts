import type { Config } from '../config.js';
import { startEmbeddedPostgres } from '../embedded-postgres.js';

/**
 * Runs `work` with the URL of the configured database. In the all-in-one mode that is the embedded Postgres: the
 * running one if the service is running, else one that is started for `work` and stopped after it.
 */
export async function withDatabaseUrl(config: Config, work: (url: string) => Promise<void>): Promise<void> {
  if (config.databaseUrl !== undefined) {
    await work(config.databaseUrl);
    return;
  }
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir });
  try {
    await work(postgres.url);
  } finally {
    await postgres.stop();
  }
}
