import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DeadWorkers } from '../../daemon/liveness/dead-workers.js';
import { DaemonMetrics } from '../../daemon/telemetry/metrics.js';
import { setJobAside } from '../../src/operations/jobs/quarantined-jobs.js';
import { freeJobsNotInHand, renewLocks } from '../../src/platform/graphile-worker/locked-jobs.js';
import {
  findOwnerlessPools,
  freeJobsOfDead,
  lockOwnersSql,
  tryLockPool,
  unlockPool,
} from '../../src/platform/graphile-worker/worker-pools.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { changeJobs, countJobs, deleteJobs, fetchJobs, JOBS_TABLE, jobsIn, lockJobRows } from '../support/jobs.js';

const stack = await DeliveryStack.open();
await stack.webhook('https://receiver.example.com/');
/** A server that has just started takes nobody for dead. */
await eventually(async () => {
  const [row] = await stack.rows<{ old: boolean }>(
    `select pg_postmaster_start_time() < now() - interval '11 seconds' as old`,
  );
  return row?.old;
}, 15_000);

let here: pg.Client;
let elsewhere: pg.Client;
beforeEach(async () => {
  await deleteJobs(stack);
  [here, elsewhere] = [new pg.Client(stack.databaseUrl), new pg.Client(stack.databaseUrl)];
  await Promise.all([here.connect(), elsewhere.connect()]);
});
afterEach(() => Promise.all([here.end(), elsewhere.end()]));
afterAll(() => stack[Symbol.asyncDispose]());

const jobs = () => jobsIn(stack);
const ownerless = (own: string[] = []) => findOwnerlessPools(here, own);

describe('a worker pool', () => {
  test('whose lock nobody holds is ownerless, as soon as it has a job locked', async () => {
    await stack.emit();
    expect(await ownerless()).toEqual([]);
    await fetchJobs(stack, 'pool-gone');
    expect(await ownerless()).toEqual(['pool-gone']);
  });

  test('whose lock another session holds is alive, until that session ends', async () => {
    await stack.emit();
    await fetchJobs(stack, 'pool-alive');
    expect(await tryLockPool(elsewhere, 'pool-alive')).toBe(true);
    expect(await ownerless()).toEqual([]);
    expect(await freeJobsOfDead(here, ['pool-alive'])).toBe(0);
    await unlockPool(elsewhere, 'pool-alive');
    expect(await ownerless()).toEqual(['pool-alive']);
  });

  test('that is gone is not looked for in the first seconds of a Postgres', async () => {
    await stack.emit();
    await fetchJobs(stack, 'pool-gone');
    // Stands before Postgres's own function of that name, for this session.
    await here.query(`
      create schema if not exists just_started;
      create or replace function just_started.pg_postmaster_start_time() returns timestamptz
        return now() - interval '5 seconds';
      set search_path = just_started, pg_catalog`);
    expect(await ownerless()).toEqual([]);
  });

  test('of this process is never ownerless, though this session could obtain its lock', async () => {
    await stack.emit();
    await fetchJobs(stack, 'pool-own');
    expect(await tryLockPool(here, 'pool-own')).toBe(true);
    expect(await ownerless(['pool-own'])).toEqual([]);
  });

  test('that is gone is found among living ones; its jobs alone are freed, and the living are woken', async () => {
    for (let event = 0; event < 6; event++) {
      await stack.emit();
    }
    const [first] = await jobs();
    for (const [index, owner] of ['pool-a', 'pool-b', 'pool-b', 'pool-c', 'pool-d'].entries()) {
      await fetchJobs(stack, owner, `id = ${first!.id + index}`);
    }
    for (const owner of ['pool-a', 'pool-c']) {
      await tryLockPool(elsewhere, owner);
    }
    let woken = 0;
    elsewhere.on('notification', () => woken++);
    await elsewhere.query('listen "jobs:insert"');
    expect((await ownerless()).sort()).toEqual(['pool-b', 'pool-d']);
    expect(await freeJobsOfDead(here, ['pool-b', 'pool-d'])).toBe(3);
    expect((await jobs()).map(({ locked_by }) => locked_by)).toEqual(['pool-a', null, null, 'pool-c', null, null]);
    await eventually(() => woken > 0);
    expect(await ownerless()).toEqual([]);
  });
});

describe('the sweep', () => {
  const log = { warn() {} } as never;

  test('gives a pool a second to come back, looking again soon, and then frees its jobs', async () => {
    let now = 0;
    const sweep = new DeadWorkers(log, new DaemonMetrics(), () => now);
    sweep.startOver({ again: false });
    await stack.emit();
    expect(await sweep.sweep(here, [])).toBe(false);
    await fetchJobs(stack, 'pool-gone');
    expect(await sweep.sweep(here, [])).toBe(true);
    now = 999;
    expect(await sweep.sweep(here, [])).toBe(true);
    expect((await jobs())[0]?.locked_by).toBe('pool-gone');
    now = 1_000;
    expect(await sweep.sweep(here, [])).toBe(false);
    expect((await jobs())[0]?.locked_by).toBe(null);
  });

  test('frees nothing for eight seconds after a reconnect: everybody may have been cut off', async () => {
    let now = 0;
    const sweep = new DeadWorkers(log, new DaemonMetrics(), () => now);
    sweep.startOver({ again: true });
    await stack.emit();
    await fetchJobs(stack, 'pool-gone');
    for (now of [0, 7_999, 8_000, 8_999]) {
      await sweep.sweep(here, []);
      expect((await jobs())[0]?.locked_by).toBe('pool-gone');
    }
    now = 9_000;
    await sweep.sweep(here, []);
    expect((await jobs())[0]?.locked_by).toBe(null);
  });
});

test('the search reads locked jobs alone, however many wait', async () => {
  await stack.rows(
    `select hookwright_jobs.add_jobs(array(select ('deliver', '{}', null, now() + interval '1 hour', 25, null, 0, null)
       ::hookwright_jobs.job_spec from generate_series(1, 5000)))`,
  );
  await fetchJobs(stack, 'pool-x', 'id % 1000 = 0');
  await stack.rows(`analyze ${JOBS_TABLE}`);
  const plan = await stack.rows<Record<string, string>>(`explain ${lockOwnersSql}`);
  expect(JSON.stringify(plan)).toContain('hookwright_jobs_by_owner');
  expect(JSON.stringify(plan)).not.toContain(`Seq Scan on ${JOBS_TABLE.split('.')[1]}`);
});

describe('the jobs of a pool that ended', () => {
  test('are freed without counting the fetch, but for those in hand', async () => {
    await stack.emit();
    await stack.emit();
    await fetchJobs(stack, 'pool-ended');
    const [inHand] = await jobs();
    await freeJobsNotInHand(stack.services.db.pool, 'pool-ended', new Set([String(inHand!.id)]));
    expect(await jobs()).toMatchObject([
      { locked_by: 'pool-ended', attempts: 1 },
      { locked_by: null, attempts: 0 },
    ]);
  });

  test('that others have replaced stay dead: nobody fetches them again', async () => {
    const { id } = await stack.delivery(await stack.emit());
    await fetchJobs(stack, 'pool-ended');
    await setJobAside(stack.services.db.pool, null, { id, attempt: 1 }, { seconds: 10, fetches: 1 });
    await freeJobsNotInHand(stack.services.db.pool, 'pool-ended', new Set());
    expect(await jobs()).toMatchObject([
      { key: null, locked_by: null, is_available: false },
      { key: `d:${id}`, locked_by: null, is_available: true },
    ]);
  });

  test('that may be tried only once can be fetched again', async () => {
    await stack.emit();
    await changeJobs(stack, 'max_attempts = 1');
    await fetchJobs(stack, 'pool-ended');
    await freeJobsNotInHand(stack.services.db.pool, 'pool-ended', new Set());
    expect(await jobs()).toMatchObject([{ locked_by: null, attempts: 0 }]);
  });
});

describe('a job that is put aside', () => {
  const aside = { seconds: 3_600, fetches: 5 };

  test('leaves another in its place that is due later and remembers the fetches', async () => {
    const { id } = await stack.delivery(await stack.emit());
    await fetchJobs(stack, 'pool-suspicious');
    const [job] = await jobs();
    await setJobAside(stack.services.db.pool, String(job!.id), { id, attempt: 1 }, aside);
    const [running, waiting] = await jobs();
    expect(running).toMatchObject({ locked_by: 'pool-suspicious', key: null });
    expect(waiting).toMatchObject({ locked_by: null, key: `d:${id}`, attempts: 5 });
    expect(waiting!.inSeconds).toBeGreaterThan(3_590);
  });

  test('leaves alone a job that has already taken its place', async () => {
    const { id } = await stack.delivery(await stack.emit());
    await setJobAside(stack.services.db.pool, '999999', { id, attempt: 1 }, aside);
    expect(await jobs()).toMatchObject([{ attempts: 0, key: `d:${id}` }]);
  });
});

describe('while another session has the row of a job locked', () => {
  const lockFirst = () => lockJobRows(stack.databaseUrl, `id = (select min(id) from ${JOBS_TABLE})`);
  const owners = async () => (await jobs()).map(({ locked_by }) => locked_by);
  beforeEach(async () => {
    await stack.emit();
    await stack.emit();
    await fetchJobs(stack, 'pool-gone');
  });

  test('the others of a worker pool that has ended are freed', async () => {
    await using _lock = await lockFirst();
    await freeJobsNotInHand(stack.services.db.pool, 'pool-gone', new Set());
    expect(await owners()).toEqual(['pool-gone', null]);
  });

  test('the others in hand are locked again', async () => {
    await changeJobs(stack, `locked_at = now() - interval '1 hour'`);
    await using _lock = await lockFirst();
    const ids = (await jobs()).map(({ id }) => String(id));
    await renewLocks(stack.services.db.pool, 'pool-gone', ids);
    expect(await countJobs(stack, `locked_at > now() - interval '1 minute'`)).toBe(1);
  });
});
