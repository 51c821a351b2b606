import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { cutOff, openDatabase } from '../../src/database/database.js';
import { Tenant } from '../../src/entities/tenant.js';
import { buildServer } from '../../src/server.js';
import { createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
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

test('an emit that waits for its idempotency key still when the database is closed is refused for now, and is no fault', async () => {
  const { url, drop } = await createTestDatabase();
  const { log, lines } = keptLog('info');
  const services = { ...(await openTestServices(url)), log };
  const tenant = await makeTenant(services);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  await other.query('begin');
  await other.query('select * from hookwright.emit_events($1, $2, $3, $4, schema_checked => true)', [
    [tenant.id],
    ['coupon.applied'],
    ['{}'],
    ['held'],
  ]);
  const api = await buildServer(services);
  const written = vi.spyOn(services.db.pool, 'query');
  const answer = api.inject({
    method: 'POST',
    url: '/graphql',
    headers: { authorization: `Bearer ${tenant.key}` },
    payload: {
      query: 'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { duplicate } }',
      variables: {
        input: {
          event: 'coupon.applied',
          payload: { code: 'A', discount_type: 'x' },
          idempotencyKey: 'held',
        },
      },
    },
  });
  const emits = () =>
    written.mock.calls.filter(([statement]) => (statement as { name?: string }).name === 'emit_events');
  await eventually(() => emits().length > 1);
  await services.db.close();
  expect((await answer).json().errors).toMatchObject([
    { message: 'The service is ending; try again.', extensions: { code: 'UNAVAILABLE' } },
  ]);
  expect(lines.map(({ level, msg }) => `${level} ${msg}`)).toEqual([
    '30 a request was refused for now',
    '30 request answered',
  ]);
  await api.close();
  await other.end();
  await drop();
});
