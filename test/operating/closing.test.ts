import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'vitest';
import { openDatabase } from '../../src/database/database.js';
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
    await db.close();
    await query;
    await drop();
  },
);
