import { OUTBOX_ROLE } from '../operations/emits/outbox.js';
import { newerThan } from '../operations/installation/check-readiness.js';
import { MIGRATED_BY_ANOTHER, migrate } from '../operations/installation/migrate.js';
import { readPendingWork } from '../operations/installation/pending-work.js';
import { thisProgram } from '../platform/node/this-program.js';
import { readConfig } from '../platform/settings/config.js';
import { withDatabaseUrl } from './database-url.js';
import { makeIndexes } from './make-indexes.js';
import { print } from './print.js';

/** The exit code of `migrate --check` when there is something to do. */
const PENDING = 2;

/** @param options.check changes nothing, and says what there is to do */
export async function migrateCommand({ check = false }: { check?: boolean }): Promise<void> {
  const config = readConfig(process.env, { needsEncryptionKeys: false });
  await withDatabaseUrl(config, check ? checkDatabase : migrateDatabase);
}

async function migrateDatabase(url: string): Promise<void> {
  const { outboxRole, unknown } = await migrate(url, () => process.stderr.write(`${MIGRATED_BY_ANOTHER}\n`));
  print(unknown.length > 0 ? newerThan(unknown) : 'The database has the newest schema.');
  await makeIndexes(url);
  if (!outboxRole) {
    print(
      `The role ${OUTBOX_ROLE} is not there, and this login may not make it. Only applications that emit inside their own transactions need it: docs/outbox.md.`,
    );
  }
}

async function checkDatabase(url: string): Promise<void> {
  const { pending, unknown } = await readPendingWork(url);
  if (unknown.length > 0) {
    print(newerThan(unknown));
  }
  if (pending.length > 0) {
    print(`To do: ${pending.join(', ')}. Run: ${thisProgram} migrate`);
    process.exitCode = PENDING;
    return;
  }
  print(`Nothing to do: the database has every migration and index of this version.`);
}
