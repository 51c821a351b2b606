import { OUTBOX_ROLE } from '../operations/emits/outbox.js';
import { newerThan } from '../operations/installation/check-readiness.js';
import { requireCell, type WantedCell } from '../operations/installation/enable-cell.js';
import { MIGRATED_BY_ANOTHER, migrate } from '../operations/installation/migrate.js';
import { readPendingWork } from '../operations/installation/pending-work.js';
import { thisProgram } from '../platform/node/this-program.js';
import { readConfig } from '../platform/settings/config.js';
import { withDatabaseUrl } from './database-url.js';
import { makeIndexes } from './make-indexes.js';
import { print } from './print.js';

/** The exit code of `migrate --check` when there is something to do. */
const PENDING = 2;

interface MigrateOptions {
  /** Changes nothing, and says what there is to do. */
  check?: boolean;
  cell?: number;
  of?: number;
}

export async function migrateCommand({ check = false, cell, of }: MigrateOptions): Promise<void> {
  if ((cell === undefined) !== (of === undefined)) {
    throw new Error('A new cell needs both: --cell <number> and --of <4, 8 or 16>, the same --of as all others.');
  }
  const wanted = cell === undefined || of === undefined ? null : { number: cell, of };
  await onDatabase(check ? checkDatabase : (url) => migrateDatabase(url, wanted));
}

/** `hookwright cell enable`: the installation that is there becomes cell 0. */
export async function enableCellCommand(of: number): Promise<void> {
  await onDatabase((url) => migrateDatabase(url, { number: null, of }));
}

async function onDatabase(work: (url: string) => Promise<void>): Promise<void> {
  await withDatabaseUrl(readConfig(process.env, { needsEncryptionKeys: false }), work);
}

async function migrateDatabase(url: string, wanted: WantedCell | null): Promise<void> {
  if (wanted !== null) {
    requireCell(wanted); // before anything is migrated
  }
  const onWait = () => process.stderr.write(`${MIGRATED_BY_ANOTHER}\n`);
  const { outboxRole, unknown, cell } = await migrate(url, onWait, wanted);
  print(unknown.length > 0 ? newerThan(unknown) : 'The database has the newest schema.');
  if (cell !== null) {
    print(`It is cell ${cell.number} of ${cell.of}.`);
  }
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
