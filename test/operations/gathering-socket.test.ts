import { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { transaction } from '../../src/database/database.js';
import { DeliveryStack } from '../support/delivery-stack.js';

let stack: DeliveryStack;
beforeAll(async () => {
  stack = await DeliveryStack.open();
});
afterAll(() => stack[Symbol.asyncDispose]());

/** How often Node was told to write to a socket while `work` ran. */
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
