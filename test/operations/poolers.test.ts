import { expect, test } from 'vitest';
import { reachDatabase } from '../../src/operations/installation/reach-database.js';
import { createTestDatabase } from '../support/database.js';
import { DatabaseProxy } from '../support/database-proxy.js';
import { TransactionPooler } from '../support/transaction-pooler.js';

test.each([
  [
    'gives sessions to others after each transaction',
    '-c plan_cache_mode=force_generic_plan', // as if it passed on what clients ask for
    'What a connection leaves in its session, such as a lock, is found in that of another.',
  ],
  [
    'takes the parameters of connections away',
    '',
    'Connections do not get the parameters that they ask for ("options").',
  ],
])('a pooler that %s is refused, before anything is locked', async (_, options, why) => {
  const { url, drop } = await createTestDatabase();
  {
    await using pooler = await TransactionPooler.open(url, options);
    await expect(reachDatabase(pooler.url, 'owner')).rejects.toThrow(
      `${why} A connection pooler stands between: name Postgres itself in DATABASE_URL, without one.`,
    );
  }
  await drop();
});

test('connections that are merely passed on are as good as direct ones', async () => {
  const { url, drop } = await createTestDatabase();
  const proxy = await DatabaseProxy.open(url);
  await expect(reachDatabase(proxy.url, 'owner')).resolves.toBeUndefined();
  await proxy.close();
  await drop();
});
