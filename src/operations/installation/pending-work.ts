import { PrimaryClient } from '../../platform/database/driver/primary-client.js';
import { API_ROLE } from '../../platform/database/tenant-database.js';
import { pendingOfJobs } from '../../platform/graphile-worker/schema.js';
import { troubleOfApiRights } from './api-rights.js';
import { missingMigrations, unknownMigrations } from './check-readiness.js';
import { missingIndexes } from './install-indexes.js';
import { DELIVERY_TASKS, requireServer } from './migrate.js';

/** The work of `migrate` in a database. */
interface PendingWork {
  /** Migrations by name, and other parts of the schema that it would make. */
  pending: string[];
  /** Migrations of a newer version, which this one does not know. */
  unknown: string[];
}

/**
 * Finds what `migrate` would do, in a session that can only read.
 *
 * @throws Error when `migrate` would fail, or the database cannot be asked
 */
export async function readPendingWork(databaseUrl: string): Promise<PendingWork> {
  const client = new PrimaryClient({
    connectionString: databaseUrl,
    options: '-c default_transaction_read_only=on',
    application_name: 'hookwright migrate',
  });
  client.on('error', () => {}); // the statement fails
  await client.connect();
  try {
    await requireServer(client);
    const missing = await missingMigrations({ pool: client });
    const pending = [
      ...missing,
      ...(await pendingOfJobs(client, DELIVERY_TASKS)),
      ...((await mayBecomeApi(client)) ? [] : [`role ${API_ROLE}`]),
      ...(missing.length > 0 ? [] : await missingIndexes(client)).map((name) => `index ${name}`),
    ];
    const trouble = pending.length === 0 ? await troubleOfApiRights(client) : null;
    if (trouble !== null) {
      throw new Error(trouble);
    }
    return { pending, unknown: await unknownMigrations({ pool: client }) };
  } finally {
    await client.end();
  }
}

async function mayBecomeApi(client: PrimaryClient): Promise<boolean> {
  const { rows } = await client.query("select from pg_roles where rolname = $1 and pg_has_role(oid, 'member')", [
    API_ROLE,
  ]);
  return rows.length > 0;
}
