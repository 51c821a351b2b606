import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { hotOptions } from '../../src/platform/database/driver/session-url.js';
import { JOB_CONNECTION } from '../../src/platform/graphile-worker/job-connections.js';
import { freeJobs, renewLocks } from '../../src/platform/graphile-worker/locked-jobs.js';
import {
  callBackDeliveries,
  callDeliveriesHere,
  forgetJobAside,
  raiseWaitingJobs,
} from '../../src/platform/graphile-worker/waiting-jobs.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { JOBS_TABLE } from '../support/jobs.js';
import { startReceiver } from '../support/receiver.js';
import { nodesOf, preparedDuring, preparedPlan } from '../support/statements.js';

/** Of graphile-worker's statements, those of every job, with parameters to explain them by. */
const parameters = { get_job: `'pool', '{1,2}'`, complete_job: '1', complete_jobs: `'{1,2}'` };
type Name = keyof typeof parameters;

const stack = await DeliveryStack.open();
/** The texts of graphile-worker's prepared statements. */
const texts = new Map(
  [...(await preparedDuring(deliverSome))].map(([name, text]) => [name.replace(/\d*\/.*/, ''), text]),
);
afterAll(() => stack[Symbol.asyncDispose]());

async function deliverSome(): Promise<void> {
  const receiver = await startReceiver();
  await stack.webhook(receiver.url);
  const daemon = stack.startDaemon();
  await stack.emit();
  await stack.noDeliveryJobs();
  await Promise.all(Array.from({ length: 50 }, () => stack.emit()));
  await stack.noDeliveryJobs();
  await daemon.stop();
  await receiver.close();
}

const addJobs = (count: number) =>
  `insert into ${JOBS_TABLE} (task_id, priority, run_at)
   select 1, n % 3, now() - n * interval '1 second' from generate_series(1, ${count}) n`;

/** The table of jobs when a plan is made. */
const states: [when: string, ...sql: string[]][] = [
  ['had never had a job', `truncate ${JOBS_TABLE}`],
  ['was vacuumed while it was empty', `truncate ${JOBS_TABLE}`, `vacuum ${JOBS_TABLE}`],
  ['was emptied by deletes', addJobs(3_000), `delete from ${JOBS_TABLE}`, `vacuum (truncate off) ${JOBS_TABLE}`],
  ['had a handful of jobs', `truncate ${JOBS_TABLE}`, addJobs(10), `vacuum analyze ${JOBS_TABLE}`],
  ['was long', addJobs(30_000), `vacuum analyze ${JOBS_TABLE}`],
];

describe('a plan that is kept from when the table of jobs', () => {
  test.each(states)('%s takes jobs in their order, and finds them by their ids', async (_, ...sql) => {
    for (const statement of sql) {
      await stack.rows(statement);
    }
    await using session = await openSession();
    const byId = 'Index Scan using hookwright_jobs_by_id';
    expect(await session.explain('get_job')).toEqual([
      'Index Scan using jobs_main_index (run_at <= now())',
      `${byId} (id = j.id)`,
    ]);
    expect(await session.explain('complete_job')).toEqual([`${byId} (id = $1)`]);
    expect(await session.explain('complete_jobs')).toEqual([`${byId} (id = n.n)`]);
  });

  test.each(states)('%s has jobs raised, renewed, freed, forgotten and called back by an index', async (_, ...sql) => {
    for (const statement of sql) {
      await stack.rows(statement);
    }
    const { pool } = stack.services.db;
    const prepared = await preparedDuring(async () => {
      await raiseWaitingJobs(pool, { from: 1, to: 0, count: 10 }, 1_000);
      await renewLocks(pool, 'pool', ['1']);
      await freeJobs(pool, 'pool', ['1']);
      await forgetJobAside(pool, { id: 1, attempt: 1 });
      await callBackDeliveries(pool, [1]);
      await callDeliveriesHere(pool, 'pool', [1]);
    });
    const values: Readonly<Record<string, string>> = {
      raise_waiting_jobs: '1, 0, 10, 1000',
      renew_locks: `'pool', '{1}'`,
      free_jobs: `'pool', '{1}'`,
      forget_job_aside: '1, 1, 5',
      call_back_deliveries: `'{d:1}'`,
      call_deliveries_here: `'{d:1}', 'pool'`,
    };
    expect([...prepared.keys()].sort()).toEqual(Object.keys(values).sort());
    const client = new pg.Client({ connectionString: stack.databaseUrl, options: hotOptions() });
    await client.connect();
    for (const [name, text] of prepared) {
      const nodes = await preparedPlan(client, name, text, values[name]!);
      const whole = nodes.filter(
        (node) =>
          JOBS_TABLE.endsWith(`.${node['Relation Name']}`) &&
          node['Node Type'] !== 'ModifyTable' &&
          node['Node Type'] !== 'Bitmap Heap Scan' &&
          node['Index Cond'] === undefined,
      );
      expect({ name, whole }).toEqual({ name, whole: [] });
    }
    await client.end();
  });

  test('was empty serves a long one: those of the first priority come first, the oldest of them before others', async () => {
    await stack.rows(`truncate ${JOBS_TABLE}`);
    await stack.rows(`vacuum ${JOBS_TABLE}`);
    await using session = await openSession();
    expect(await session.fetch()).toEqual([]);
    await stack.rows(addJobs(3_000));
    const taken = [...(await session.fetch()), ...(await session.fetch())];
    const ages = taken.map(({ age }) => age);
    expect(ages.toSorted((a, b) => b - a)).toEqual(
      Array.from({ length: taken.length }, (_, index) => 3_000 - 3 * index),
    );
    expect(taken.length).toBeGreaterThan(2);
  });
});

test('jobs that are replaced are found by their keys, by a plan that is kept from when there were none', async () => {
  await stack.rows(`truncate ${JOBS_TABLE}`);
  await stack.rows(`vacuum analyze ${JOBS_TABLE}`);
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
  const lock = () => client.query(`select hookwright.lock_jobs(array['d:7', 'd:8', 'd:none'])`);
  const read = async () => {
    const { rows } = await client.query(
      `select (seq_tup_read + idx_tup_fetch)::integer as count from pg_stat_xact_user_tables
       where relid = '${JOBS_TABLE}'::regclass`,
    );
    return rows[0].count as number;
  };
  await lock();
  await client.query(`insert into ${JOBS_TABLE} (task_id, key) select 1, 'd:' || n from generate_series(1, 30000) n`);
  await client.query('begin');
  const before = await read();
  await lock();
  expect((await read()) - before).toBe(2);
  await client.query('rollback');
  await client.end();
});

/** A connection like those of a runner. */
async function openSession() {
  const client = new pg.Client({ connectionString: stack.databaseUrl, options: JOB_CONNECTION });
  await client.connect();
  return {
    /** @returns how it finds its rows in the table of jobs; nothing above a lock is sorted */
    async explain(name: Name): Promise<string[]> {
      const nodes = await preparedPlan(client, name, texts.get(name)!, parameters[name]);
      const locked = nodes.filter((node) => node['Node Type'] === 'LockRows').flatMap(nodesOf);
      expect(locked.map((node) => node['Node Type'])).not.toContain('Sort');
      return nodes
        .filter((node) => JOBS_TABLE.endsWith(`.${node['Relation Name']}`) && node['Node Type'] !== 'ModifyTable')
        .map((node) => `${node['Node Type']} using ${node['Index Name']} ${node['Index Cond']}`);
    },
    async fetch(): Promise<{ age: number }[]> {
      const config = { name: 'get_job', text: texts.get('get_job')!, values: ['pool', [1]] };
      const { rows } = await client.query<{ created_at: Date; run_at: Date }>(config);
      return rows.map(({ created_at, run_at }) => ({
        age: Math.round((created_at.getTime() - run_at.getTime()) / 1000),
      }));
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
