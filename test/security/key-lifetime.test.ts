import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Services } from '../../src/api/context/context.js';
import { revokeApiKey } from '../../src/operations/keys/revoke-api-key.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { makeKey, makeTenant, openTestServices, type TestTenant } from '../support/factories.js';

let here: Services;
let there: Services;
let tenant: TestTenant;
/** The clock of both processes, monotonic, in ms. */
let nowMs: number;

const database = await createTestDatabase();
afterAll(database.drop);

/** Two processes over one database, fresh for each test. */
beforeEach(async () => {
  nowMs = 0;
  const open = () => openTestServices(database.url, { now: () => nowMs });
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

async function lastUsedAt(id: number): Promise<Date | null> {
  const { rows } = await here.db.pool.query('select last_used_at from hookwright.api_keys where id = $1', [id]);
  return rows[0].last_used_at;
}

/** @param to as SQL */
const set = (id: number, column: 'expires_at' | 'last_used_at', to: string) =>
  here.db.pool.query(`update hookwright.api_keys set ${column} = ${to} where id = ${id}`);
const fromNow = (seconds: number) => `now() + interval '${seconds} seconds'`;

/** Lets time pass for the processes, and for what Postgres knows of a key's use. */
async function pass(seconds: number, id: number): Promise<void> {
  nowMs += seconds * 1_000;
  await set(id, 'last_used_at', `last_used_at - interval '${seconds} seconds'`);
}

const databaseTime = async (): Promise<Date> => (await here.db.pool.query('select now() as now')).rows[0].now;

describe('a revocation', () => {
  test('works at once where it was asked for, and within 5 s in every other process', async () => {
    const { id, key } = await makeKey(here, tenant.id, ['webhooks:read']);
    expect([await isAdmitted(here, key), await isAdmitted(there, key)]).toEqual([true, true]);
    await revokeApiKey(here.db, tenant.id, id, commandLine);
    here.authenticator.forget(id);
    expect([await isAdmitted(here, key), await isAdmitted(there, key)]).toEqual([false, true]);
    nowMs += 3_999;
    expect(await isAdmitted(there, key)).toBe(true);
    nowMs += 1;
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
  test('ends a key at its time, though it is remembered', async () => {
    const { id, key } = await makeKey(here, tenant.id, ['webhooks:read']);
    await set(id, 'expires_at', fromNow(3));
    expect(await isAdmitted(here, key)).toBe(true);
    await set(id, 'expires_at', fromNow(0)); // as it is after 3 s
    expect(await isAdmitted(here, key)).toBe(true);
    nowMs += 3_000;
    expect(await isAdmitted(here, key)).toBe(false);
  });

  test.each([-300, 300])('is by the clock of Postgres, when that of the process is %i s away', async (s) => {
    const apart = await openTestServices(database.url, { clock: () => new Date(Date.now() + s * 1_000) });
    onTestFinished(() => apart.db.close());
    const { id, key } = await makeKey(here, tenant.id, ['webhooks:read']);
    await set(id, 'expires_at', fromNow(60));
    expect(await isAdmitted(apart, key)).toBe(true);
    await set(id, 'expires_at', fromNow(0));
    apart.authenticator.forget(id);
    expect(await isAdmitted(apart, key)).toBe(false);
  });
});

describe('the time of the last use', () => {
  test('is written at the first use and then once a minute, by the clock of Postgres', async () => {
    const { id, key } = await makeKey(here, tenant.id, ['webhooks:read']);
    const before = await databaseTime();
    expect(await isAdmitted(here, key)).toBe(true);
    const first = await eventually(() => lastUsedAt(id));
    expect(first.getTime()).toBeGreaterThanOrEqual(before.getTime());
    await pass(30, id);
    expect(await isAdmitted(here, key)).toBe(true);
    const between = await databaseTime();
    await pass(30, id);
    expect(await isAdmitted(here, key)).toBe(true);
    // Had one been written half a minute before, the next would be due a minute after that, and this not written.
    await eventually(async () => (await lastUsedAt(id))! >= between);
  });

  test('is written once a minute by several processes together', async () => {
    const { id, key } = await makeKey(here, tenant.id, ['webhooks:read']);
    await set(id, 'last_used_at', fromNow(-30)); // by another process
    expect(await isAdmitted(there, key)).toBe(true);
    const between = await databaseTime();
    await pass(30, id);
    expect(await isAdmitted(there, key)).toBe(true);
    await eventually(async () => (await lastUsedAt(id))! >= between);
  });

  test('is written for platform keys, too', async () => {
    const { id, key } = await makeKey(here, null, ['platform:admin']);
    expect(await isAdmitted(here, key)).toBe(true);
    await eventually(() => lastUsedAt(id));
  });
});
