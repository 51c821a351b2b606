import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Services } from '../../src/context.js';
import { commandLine } from '../../src/operations/audit.js';
import { revokeApiKey } from '../../src/operations/keys/revoke-api-key.js';
import { createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { makeKey, makeTenant, openTestServices, type TestTenant } from '../support/factories.js';

/** Two processes over one database, each with a clock that stands unless a test moves it. */
class Clocks {
  /** An hour ago, so that it can be moved: no use is noted for a time that the database's clock has not reached. */
  wall = Date.now() - 3_600_000;
  monotonic = 0;

  advance(ms: number): void {
    this.wall += ms;
    this.monotonic += ms;
  }

  setBack(ms: number): void {
    this.wall -= ms;
  }
}

let here: Services;
let there: Services;
let tenant: TestTenant;
let clocks: Clocks;
let database: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Fresh processes for each test: they never believe a clock that was set back. */
beforeEach(async () => {
  clocks = new Clocks();
  const open = () =>
    openTestServices(database.url, {
      clock: () => new Date(clocks.wall),
      now: () => clocks.monotonic,
    });
  here = await open();
  there = await open();
  tenant = await makeTenant(here);
});
afterEach(() => Promise.all([here.db.close(), there.db.close()]));

const isAdmitted = (services: Services, key: string) =>
  services.authenticator.authenticate(`Bearer ${key}`, '192.0.2.1').then(
    () => true,
    ({ reason }: { reason: string }) => (reason === 'unauthenticated' ? false : reason),
  );

/** Lets the next statement run, and keeps its answer back. */
function holdNextAnswer({ db: { pool } }: Services): { done: Promise<unknown>; release: () => void } {
  const done = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const query = pool.query.bind(pool);
  vi.spyOn(pool, 'query').mockImplementationOnce((async (statement: string) => {
    const answer = await query(statement);
    done.resolve();
    await released.promise;
    return answer;
  }) as never);
  return { done: done.promise, release: released.resolve };
}

async function lastUsedAt(id: number): Promise<number | undefined> {
  const { rows } = await here.db.pool.query('select last_used_at from hookwright.api_keys where id = $1', [
    id,
  ]);
  return rows[0].last_used_at?.getTime();
}

async function expireAt(id: number, ms: number): Promise<void> {
  await here.db.pool.query('update hookwright.api_keys set expires_at = $2 where id = $1', [
    id,
    new Date(ms),
  ]);
}

describe('a revocation', () => {
  test('works at once where it was asked for, and within 5 s in every other process', async () => {
    const { id, key } = await makeKey(here, tenant.id, ['webhooks:read']);
    expect([await isAdmitted(here, key), await isAdmitted(there, key)]).toEqual([true, true]);
    await revokeApiKey(here.db, tenant.id, id, commandLine);
    here.authenticator.forget(id);
    expect([await isAdmitted(here, key), await isAdmitted(there, key)]).toEqual([false, true]);
    clocks.advance(3_999);
    expect(await isAdmitted(there, key)).toBe(true);
    clocks.advance(1);
    expect(await isAdmitted(there, key)).toBe(false);
  });

  test('is seen in time by a process whose clock is set back meanwhile, and is never undone by it', async () => {
    const { id, key } = await makeKey(here, tenant.id, ['webhooks:read']);
    expect(await isAdmitted(there, key)).toBe(true);
    await revokeApiKey(here.db, tenant.id, id, commandLine);
    clocks.setBack(3_600_000);
    clocks.advance(4_000);
    expect(await isAdmitted(there, key)).toBe(false);
    clocks.setBack(3_600_000);
    expect(await isAdmitted(there, key)).toBe(false);
  });

  test('that commits while the key is being looked up is not forgotten again', async () => {
    const { id, key } = await makeKey(here, tenant.id, ['webhooks:read']);
    const read = holdNextAnswer(here);
    const asked = isAdmitted(here, key);
    await read.done; // before the revocation
    await revokeApiKey(here.db, tenant.id, id, commandLine);
    here.authenticator.forget(id);
    read.release();
    expect(await asked).toBe(true); // it came in before
    expect(await isAdmitted(here, key)).toBe(false);
  });
});

describe('an expiry', () => {
  test('ends a key to the millisecond, though it is remembered', async () => {
    const { id, key } = await makeKey(here, tenant.id, ['webhooks:read']);
    await expireAt(id, clocks.wall + 1_000);
    expect(await isAdmitted(here, key)).toBe(true);
    clocks.advance(999);
    expect(await isAdmitted(here, key)).toBe(true);
    clocks.advance(1);
    expect(await isAdmitted(here, key)).toBe(false);
  });

  test('is final, though the clock is set back', async () => {
    const { id, key } = await makeKey(here, tenant.id, ['webhooks:read']);
    await expireAt(id, clocks.wall + 1_000);
    clocks.advance(1_000);
    expect(await isAdmitted(here, key)).toBe(false);
    clocks.setBack(3_600_000);
    expect(await isAdmitted(here, key)).toBe(false);
    clocks.advance(10_000);
    expect(await isAdmitted(here, key)).toBe(false);
  });
});

describe('the time of the last use', () => {
  test('is written at the first use and then once a minute, by one process or several', async () => {
    const { id, key } = await makeKey(here, tenant.id, ['webhooks:read']);
    expect(await lastUsedAt(id)).toBeUndefined();
    const first = clocks.wall;
    expect(await isAdmitted(here, key)).toBe(true);
    await eventually(async () => (await lastUsedAt(id)) === first);
    expect(await isAdmitted(there, key)).toBe(true); // reads what the other has written
    clocks.advance(59_999);
    expect([await isAdmitted(here, key), await isAdmitted(there, key)]).toEqual([true, true]);
    clocks.advance(1);
    expect(await isAdmitted(here, key)).toBe(true);
    // Had one been written a millisecond before, the next would be due a minute after that, and this not written.
    await eventually(async () => (await lastUsedAt(id)) === first + 60_000);
  });

  test('is written for platform keys, too', async () => {
    const { id, key } = await makeKey(here, null, ['platform:admin']);
    expect(await isAdmitted(here, key)).toBe(true);
    await eventually(async () => (await lastUsedAt(id)) === clocks.wall);
  });

  test('is not one that is still to come by the clock of the database', async () => {
    const { id, key } = await makeKey(here, tenant.id, ['webhooks:read']);
    clocks.advance(7_200_000);
    expect(await isAdmitted(here, key)).toBe(true);
    const noted = await eventually(async () => await lastUsedAt(id));
    expect(noted).toBeLessThanOrEqual(Date.now());
  });

  test('does not go back when a clock does', async () => {
    const { id, key } = await makeKey(here, tenant.id, ['webhooks:read']);
    const first = clocks.wall;
    expect(await isAdmitted(here, key)).toBe(true);
    await eventually(async () => (await lastUsedAt(id)) === first);
    clocks.setBack(3_600_000);
    clocks.advance(60_000);
    expect(await isAdmitted(here, key)).toBe(true);
    await eventually(async () => (await lastUsedAt(id)) === first + 60_000);
  });
});
