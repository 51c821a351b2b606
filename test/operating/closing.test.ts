import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { cutOff, openDatabase } from '../../src/database/database.js';
import { Tenant } from '../../src/entities/tenant.js';
import { createTestDatabase } from '../support/database.js';

// A connection takes some milliseconds: some of these times meet it while it is being made. Both hung for ever then.
test.each([0, 1, 2, 4, 8, 16])(
  'the database closes %i ms after its first query, which ends too',
  async (ms) => {
    const { url, drop } = await createTestDatabase();
    const db = await openDatabase(url, { poolMax: 2, onError: () => {} });
    const query = Promise.allSettled([db.orm.em.fork().find(Tenant, {}, { filters: { tenant: false } })]);
    await delay(ms);
    await expect(db.close()).resolves.toBeUndefined();
    await expect(query).resolves.toHaveLength(1);
    await drop();
  },
);

test('the database closes within seconds although a statement does not end', async () => {
  const { url, drop } = await createTestDatabase();
  const db = await openDatabase(url, { poolMax: 2, onError: () => {} });
  const client = await db.pool.connect();
  const stuck = Promise.allSettled([client.query('select pg_sleep(60)')]);
  const startedAt = performance.now();
  await db.close();
  expect(performance.now() - startedAt).toBeLessThan(10_000); // the statement's own limit is 12 s
  cutOff(client);
  await stuck;
  client.release(true);
  await drop();
});
