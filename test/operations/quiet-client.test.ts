import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { QuietClient } from '../../src/database/driver/quiet-client.js';
import { createTestDatabase } from '../support/database.js';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let client: pg.Client;
beforeEach(async () => {
  database = await createTestDatabase();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  client = new QuietClient({ connectionString: database.url, query_timeout: 15_000 });
  client.on('error', () => {});
  await client.connect();
});
afterEach(async () => {
  vi.useRealTimers();
  await client.end();
  await database.drop();
});

test('answers by promise and by callback', async () => {
  const { rows } = await client.query({ name: 'sum', text: 'select $1::integer + 1 as n', values: [1] });
  expect(rows).toEqual([{ n: 2 }]);
  const called = await new Promise((resolve) => {
    client.query('select $1::text as t', ['x'], (error, result) => resolve([error ?? null, result.rows]));
  });
  expect(called).toEqual([null, [{ t: 'x' }]]);
});

test('an error leads to who asked', async () => {
  const askForNothing = async () => await client.query('select from nowhere');
  const error = await askForNothing().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(pg.DatabaseError);
  expect((error as Error).stack).toContain('askForNothing');
});

test('leaves the statement that it is given as it was', async () => {
  const statement = { text: 'select 1 as one' };
  await client.query(statement);
  expect(statement).toEqual({ text: 'select 1 as one' });
});

test('a connection that idles is kept; one that does not answer for 15 s is cut', async () => {
  vi.advanceTimersByTime(60_000);
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  const asleep = client.query('select pg_sleep(60)').catch((reason: unknown) => reason);
  vi.advanceTimersByTime(14_900);
  vi.advanceTimersByTime(200);
  expect(await asleep).toMatchObject({ message: 'Query read timeout' });
});

test('is cut too when it was given values before that cannot be sent', async () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  await expect(client.query('select $1::jsonb', [circular])).rejects.toThrow('circular');
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  const asleep = client.query('select pg_sleep(60)').catch((reason: unknown) => reason);
  vi.advanceTimersByTime(15_100);
  expect(await asleep).toMatchObject({ message: 'Query read timeout' });
});
