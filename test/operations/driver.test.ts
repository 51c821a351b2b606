import { Socket } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { transaction } from '../../src/platform/database/database.js';
import { QuietClient } from '../../src/platform/database/driver/quiet-client.js';
import { DeliveryStack } from '../support/delivery-stack.js';

const stack = await DeliveryStack.open();
afterAll(() => stack[Symbol.asyncDispose]());

describe('a quiet client', () => {
  let client: pg.Client;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    client = new QuietClient({ connectionString: stack.databaseUrl, query_timeout: 15_000 });
    client.on('error', () => {});
    await client.connect();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await client.end();
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
});

/** How often Node wrote to a socket while `work` ran. */
async function writesDuring(work: () => Promise<unknown>): Promise<number> {
  const spies = (['_write', '_writev'] as const).map((name) =>
    vi.spyOn(Socket.prototype as unknown as Record<typeof name, () => void>, name),
  );
  try {
    await work();
    return spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  } finally {
    for (const spy of spies) {
      spy.mockRestore();
    }
  }
}

describe('what is sent to Postgres', () => {
  test('leaves in one piece where nothing in between is waited for', async () => {
    const { pool } = stack.services.db;
    const threeStatements = async () =>
      transaction(pool, async (client, withCommit) => {
        withCommit(client.query('select 1'));
        withCommit(client.query({ name: 'two', text: 'select $1::integer', values: [2] }));
      });
    await threeStatements(); // has a connection, and the statement prepared
    expect(await writesDuring(threeStatements)).toBe(1);
  });

  test('waits for nothing that comes later', async () => {
    const { pool } = stack.services.db;
    const oneByOne = async () =>
      transaction(pool, async (client) => {
        await client.query('select 1');
        await client.query('select 2');
      });
    await oneByOne();
    expect(await writesDuring(oneByOne)).toBe(3); // the first with `begin`, the second, and `commit`
  });
});
