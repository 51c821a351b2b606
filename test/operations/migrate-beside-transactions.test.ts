import { Migration } from '@mikro-orm/migrations';
import { expect, onTestFinished, test } from 'vitest';
import { migrations } from '../../migrations/index.js';
import { API_ROLE } from '../../src/database/tenant-database.js';
import { requireConnectedAs } from '../../src/operations/installation/check-readiness.js';
import { migrate } from '../../src/operations/installation/migrate.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { JOBS_TABLE } from '../support/jobs.js';
import { lockWaitsFor } from '../support/lock-waits.js';

test('a database that has all migrations is migrated again beside an application’s long transaction', async () => {
  await using stack = await DeliveryStack.open();
  const application = await stack.services.db.pool.connect();
  try {
    await application.query(`begin; lock table ${JOBS_TABLE} in row exclusive mode`);
    await expect(migrate(stack.databaseUrl)).resolves.toHaveProperty('outboxRole');
  } finally {
    await application.query('rollback');
    application.release();
  }
});

class ChangeOfATable extends Migration {
  override up(): void {
    this.addSql('alter table hookwright.deliveries add column more integer not null default 0');
  }
}

test('a table that is to be changed is waited for in moments, so that nobody else waits for it', async () => {
  await using stack = await DeliveryStack.open();
  migrations.push({ name: '9999-change-of-a-table', class: ChangeOfATable });
  onTestFinished(() => void migrations.pop());
  const application = await stack.services.db.pool.connect();
  await application.query('begin; lock table hookwright.deliveries in row exclusive mode');
  const migrating = migrate(stack.databaseUrl);
  const waits = lockWaitsFor('AccessExclusiveLock');
  for (let times = 0; times < 2; times += 1) {
    await eventually(async () => (await stack.rows(waits)).length > 0);
    await eventually(async () => (await stack.rows(waits)).length === 0);
  }
  await application.query('commit');
  application.release();
  await migrating;
  expect(await stack.rows('select more from hookwright.deliveries')).toEqual([]);
});

test('one that another process is migrating is waited for, and that is said', async () => {
  await using stack = await DeliveryStack.open();
  const other = await stack.services.db.pool.connect();
  await other.query("select pg_advisory_lock(hashtextextended('hookwright.migrate', 0))");
  const waiting = Promise.withResolvers<void>();
  const migrating = migrate(stack.databaseUrl, waiting.resolve);
  await waiting.promise;
  await other.query("select pg_advisory_unlock(hashtextextended('hookwright.migrate', 0))");
  other.release();
  await expect(migrating).resolves.toHaveProperty('outboxRole');
});

test('connections that do not get the role of the API are refused, with the cause', async () => {
  await using stack = await DeliveryStack.open();
  await expect(requireConnectedAs(stack.services.db, API_ROLE)).rejects.toThrow(
    'Connections should work as the role hookwright_api, and work as hookwright. A connection pooler stands between',
  );
});
