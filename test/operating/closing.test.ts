import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { buildServer } from '../../src/api/server.js';
import { Tenant } from '../../src/entities/tenant.js';
import { cutOff, openDatabase } from '../../src/platform/database/database.js';
import { createTestDatabase } from '../support/database.js';
import { makeTenant, openTestServices } from '../support/factories.js';
import { keptLog } from '../support/kept-log.js';

// A connection takes some milliseconds: some of these times meet it while it is being made. Both hung for ever then.
test.each([0, 1, 2, 4, 8, 16])('the database closes %i ms after its first query, which ends too', async (ms) => {
  const { url, drop } = await createTestDatabase();
  const db = await openDatabase(url, { poolMax: 2, onError: () => {} });
  const query = Promise.allSettled([db.orm.em.fork().find(Tenant, {}, { filters: { tenant: false } })]);
  await delay(ms);
  await expect(db.close()).resolves.toBeUndefined();
  await expect(query).resolves.toHaveLength(1);
  await drop();
});

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

test('a request that finds the database closed is refused for now, and is not a fault', async () => {
  const { url, drop } = await createTestDatabase();
  const { log, lines } = keptLog('info');
  const services = { ...(await openTestServices(url)), log };
  const { key } = await makeTenant(services);
  const api = await buildServer(services);
  await services.db.close();
  const headers = { authorization: `Bearer ${key}` };
  const answer = await api.inject({ method: 'POST', url: '/graphql', headers, payload: { query: '{ __typename }' } });
  expect(answer.json().errors).toMatchObject([
    { message: 'The service is ending; try again.', extensions: { code: 'UNAVAILABLE' } },
  ]);
  expect(lines.map(({ level, msg }) => `${level} ${msg}`)).toEqual([
    '30 a request was refused for now',
    '30 request answered',
  ]);
  await api.close();
  await drop();
});
