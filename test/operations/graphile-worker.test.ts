import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { run, type Task, type WorkerEvents } from 'graphile-worker';
import { afterAll, describe, expect, test } from 'vitest';
import { openJobConnections } from '../../src/platform/graphile-worker/job-connections.js';
import { JOBS_SCHEMA, quietLogger } from '../../src/platform/graphile-worker/schema.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { countJobs, deleteJobs, JOBS_TABLE } from '../support/jobs.js';
import { watchedLog } from '../support/plaintext.js';

/**
 * graphile-worker keeps these things to itself, and this service relies on them: src/platform/graphile-worker, the SQL functions
 * in migrations/functions/{jobs,new-deliveries}.sql and test/support/jobs.ts. A new version that changes one fails here.
 */

const stack = await DeliveryStack.open();
afterAll(() => stack[Symbol.asyncDispose]());

test('the version is pinned: raise it here when this page has been read beside its changes', () => {
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  expect(read('package.json').dependencies['graphile-worker']).toBe('0.18.0');
  expect(read('node_modules/graphile-worker/package.json').version).toBe('0.18.0');
});

describe('the tables', () => {
  const columnsOf = async (table: string) => {
    const rows = await stack.rows<{ column: string }>(
      `select column_name || ' ' || data_type || case is_nullable when 'NO' then ' not null' else '' end as column
       from information_schema.columns where table_schema = '${JOBS_SCHEMA}' and table_name = '${JOBS_TABLE.split('.')[1]?.replace('jobs', table)}'`,
    );
    return rows.map(({ column }) => column);
  };

  test('jobs have the columns that enqueue_deliveries and claim_new_deliveries write, and no other must be written', async () => {
    expect((await columnsOf('jobs')).sort()).toEqual([
      'attempts smallint not null',
      'created_at timestamp with time zone not null',
      'flags jsonb',
      'id bigint not null',
      'is_available boolean not null',
      'job_queue_id integer',
      'key text',
      'last_error text',
      'locked_at timestamp with time zone',
      'locked_by text',
      'max_attempts smallint not null',
      'payload json not null',
      'priority smallint not null',
      'revision integer not null',
      'run_at timestamp with time zone not null',
      'task_id integer not null',
      'updated_at timestamp with time zone not null',
    ]);
  });

  test.each([
    ['job_queues', 'the search for dead workers, which frees them', ['locked_at', 'locked_by']],
    ['tasks', 'migrate, which names them, and the functions that look them up', ['id', 'identifier']],
    ['known_crontabs', 'the doctor', ['identifier', 'last_execution']],
  ])('%s have the columns that are relied on by %s', async (table, _, columns) => {
    const known = (await columnsOf(table)).map((column) => column.split(' ')[0]);
    expect(known).toEqual(expect.arrayContaining(columns));
  });

  test('a job is available while nobody has locked it and attempts are left: conditions on jobs read that column', async () => {
    const [row] = await stack.rows<{ expression: string }>(
      `select pg_get_expr(adbin, adrelid) as expression from pg_attrdef d
       join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
       where adrelid = '${JOBS_TABLE}'::regclass and attname = 'is_available'`,
    );
    expect(row?.expression).toBe('((locked_at IS NULL) AND (attempts < max_attempts))');
  });

  test('keys are unique (on conflict), and a fetch reads an index in the order of priority and time', async () => {
    const indexes = await stack.rows<{ definition: string }>(
      `select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = '${JOBS_TABLE}'::regclass`,
    );
    const definitions = indexes.map(({ definition }) => definition).join('\n');
    expect(definitions).toMatch(/UNIQUE INDEX \w+ ON \S+ USING btree \(key\)/);
    expect(definitions).toMatch(
      /INDEX jobs_main_index ON \S+ USING btree \(priority, run_at\) INCLUDE \([^)]*\) WHERE \(is_available = true\)/,
    );
  });

  test('workers are woken by a notice on jobs:insert with a count: statements that make jobs due send one', async () => {
    const [row] = await stack.rows<{ sql: string }>(
      `select pg_get_functiondef('${JOBS_SCHEMA}.add_jobs'::regproc) as sql`,
    );
    expect(row?.sql).toMatch(/pg_notify\(\s*'jobs:insert',\s*'\{"r":.*"count":/s);
  });
});

/** What LocalJobs reaches of the local queue. */
interface Inside {
  mode: string;
  fetchInProgress: boolean;
  workerQueue: unknown[];
  jobQueue: { id: string }[];
  receivedJobs(jobs: object[]): void;
  background(work: Promise<void>): void;
}

describe('the local queue of a runner', () => {
  const WORKERS = 2;

  async function start(events: WorkerEvents, onJob: Task = () => {}, pgPool = stack.services.db.pool) {
    const queue = new Promise<Inside>((resolve) =>
      events.on('localQueue:init', ({ localQueue }) => resolve(localQueue as unknown as Inside)),
    );
    const runner = await run({
      pgPool,
      schema: JOBS_SCHEMA,
      logger: quietLogger,
      noHandleSignals: true,
      events,
      taskList: { note: onJob },
      // Completed in batches, as the daemon does: otherwise `stop` does not wait for the completions.
      preset: {
        worker: {
          concurrentJobs: WORKERS,
          pollInterval: 500,
          localQueue: { size: 4 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    });
    return { runner, queue: await queue };
  }
  const add = (count: number) =>
    stack.rows(`select hookwright_jobs.add_job('note', to_json(n)) from generate_series(1, ${count}) n`);

  test('polls with its idle workers in line, and hands them what it is given: LocalJobs gives claimed jobs so', async () => {
    const done: unknown[] = [];
    const { runner, queue } = await start(new EventEmitter(), (payload) => void done.push(payload));
    await eventually(() => queue.workerQueue.length === WORKERS && !queue.fetchInProgress);
    expect(queue).toMatchObject({ mode: 'POLLING', jobQueue: [] });
    queue.receivedJobs([{ id: '0', task_identifier: 'note', payload: 'given', attempts: 1, max_attempts: 25 }]);
    await eventually(() => done.includes('given'));
    await runner.stop();
  });

  test('waits with what it has fetched beyond its workers, and gives that back when it ends, unlocked', async () => {
    const blocked = Promise.withResolvers<void>();
    const { runner, queue } = await start(new EventEmitter(), () => blocked.promise);
    await add(WORKERS + 2);
    await eventually(() => queue.mode === 'WAITING');
    expect(queue.workerQueue).toEqual([]);
    expect(queue.jobQueue).toHaveLength(2);
    const stopped = runner.stop();
    await eventually(async () => (await countJobs(stack, 'attempts = 0 and locked_by is null')) === 2);
    blocked.resolve();
    await stopped;
    await deleteJobs(stack);
  });

  test('ends when its background work has ended, and takes no more then: LocalJobs keeps some until its return', async () => {
    const { runner, queue } = await start(new EventEmitter());
    const work = Promise.withResolvers<void>();
    queue.background(work.promise);
    let ended = false;
    const stopped = runner.stop().then(() => {
      ended = true;
    });
    await eventually(() => queue.mode === 'RELEASED');
    expect(ended).toBe(false);
    work.resolve();
    await stopped;
    expect(() => queue.background(Promise.resolve())).toThrow('Cannot background something');
  });

  test('fetches over connections that it asks for by promise: GatedPool keeps it from fetching until it is known', async () => {
    const connections = openJobConnections(stack.databaseUrl, watchedLog());
    const known = Promise.withResolvers<void>();
    const events: WorkerEvents = new EventEmitter();
    events.on('pool:create', () => connections.closeUntil(known.promise));
    const done = Promise.withResolvers<void>();
    await add(1);
    const { runner, queue } = await start(events, () => done.resolve(), connections);
    await eventually(() => queue.fetchInProgress);
    expect(await countJobs(stack, 'locked_by is null')).toBe(1);
    known.resolve();
    await done.promise;
    await runner.stop();
    await connections.end();
  });
});
