import { expect, test } from 'vitest';
import { API_ROLE } from '../../src/database/tenant-database.js';
import { requireConnectedAs } from '../../src/operations/check-readiness.js';
import { migrate } from '../../src/operations/migrate.js';
import { DeliveryStack } from '../support/delivery-stack.js';

test('a database that has all migrations is migrated again beside an application’s long transaction', async () => {
  await using stack = await DeliveryStack.open();
  const application = await stack.services.db.pool.connect();
  try {
    await application.query('begin; lock table graphile_worker._private_jobs in row exclusive mode');
    await migrate(stack.databaseUrl);
  } finally {
    await application.query('rollback');
    application.release();
  }
});

test('connections that do not get the role of the API are refused, with the cause', async () => {
  await using stack = await DeliveryStack.open();
  await expect(requireConnectedAs(stack.services.db, API_ROLE)).rejects.toThrow(
    'Connections should work as the role hookwright_api, and work as hookwright: a pooler between',
  );
});
