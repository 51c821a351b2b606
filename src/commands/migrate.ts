import { readConfig } from '../config.js';
import { migrate } from '../operations/migrate.js';
import { withDatabaseUrl } from './database-url.js';

/** `hookwright migrate` */
export async function migrateCommand(): Promise<void> {
  await withDatabaseUrl(readConfig(process.env), migrate);
  process.stdout.write('The database has the newest schema.\n');
}
