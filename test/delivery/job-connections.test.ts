import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openJobConnections } from '../../src/platform/graphile-worker/job-connections.js';
import { createTestDatabase } from '../support/database.js';
import { DatabaseProxy } from '../support/database-proxy.js';
import { eventually } from '../support/eventually.js';
import { keptLog } from '../support/kept-log.js';
import { onServer } from '../support/on-server.js';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** As a Postgres that ends does. */
const cutOff = ({ processID }: pg.PoolClient & { processID?: number }) =>
  onServer(database.url, async (client) => {
    await client.query('select pg_terminate_backend($1)', [processID]);
    await eventually(async () => {
      const { rowCount } = await client.query('select from pg_stat_activity where pid = $1', [processID]);
      return rowCount === 0;
    });
  });

test('a job connection that breaks is told of', async () => {
  const { log, lines } = keptLog('info');
  const connections = openJobConnections(database.url, log);
  const client = await connections.connect();
  client.release();
  await cutOff(client);
  await eventually(() => lines.some(({ msg }) => msg === 'a job connection broke'));
  await connections.end();
});

test('a Postgres that ends before the connections that are being closed is not news', async () => {
  const { log, lines } = keptLog('info');
  const proxy = await DatabaseProxy.open(database.url);
  const connections = openJobConnections(proxy.url, log);
  const client = await connections.connect();
  const gone = new Promise((resolve) => client.once('end', resolve));
  client.release();
  proxy.swallow(); // so that the farewell of the pool comes too late
  await connections.end();
  await cutOff(client);
  proxy.bringBack();
  await gone;
  expect(lines).toEqual([]);
  await proxy.close();
});
