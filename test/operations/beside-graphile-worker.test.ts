import { runMigrations } from 'graphile-worker';
import pg from 'pg';
import { expect, test } from 'vitest';
import { deleteDeadJobs } from '../../src/platform/graphile-worker/locked-jobs.js';
import { quietLogger } from '../../src/platform/graphile-worker/schema.js';
import { raiseWaitingJobs } from '../../src/platform/graphile-worker/waiting-jobs.js';
import { findOwnerlessPools } from '../../src/platform/graphile-worker/worker-pools.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { JOBS_TABLE } from '../support/jobs.js';
import { startReceiver } from '../support/receiver.js';

/** What an application does that shares the database (docs/outbox.md) and has a graphile-worker too. */
const THEIR_JOBS = JOBS_TABLE.replace('hookwright_jobs', 'graphile_worker');

const setUpApplication = async (stack: DeliveryStack) => {
  await runMigrations({ connectionString: stack.databaseUrl, logger: quietLogger });
  return () => stack.rows(`select * from ${THEIR_JOBS} order by id`);
};

test("an application's own graphile-worker keeps its jobs, also those that are called like ours", async () => {
  await using stack = await DeliveryStack.open();
  expect(await stack.rows(`select from pg_namespace where nspname = 'graphile_worker'`)).toEqual([]);
  const jobs = await setUpApplication(stack);
  await stack.rows(`
    select graphile_worker.add_job('deliver', '{"parcel": 1}');
    select graphile_worker.add_job('mail', '{}', priority := 20, run_at := now() - interval '1 minute');
    select graphile_worker.add_job('report', '{}', max_attempts := 1);
    update ${THEIR_JOBS} set attempts = 1 where max_attempts = 1;
    select graphile_worker.add_job('import', '{}', priority := 30);
    update ${THEIR_JOBS} set locked_by = 'worker-1', locked_at = now() where priority = 30`);
  const before = await jobs();

  await using receiver = await startReceiver();
  await stack.webhook(receiver.url);
  stack.startDaemon();
  const eventId = await stack.emit();
  await eventually(async () => (await stack.delivery(eventId)).status === 'SUCCEEDED');
  await raiseWaitingJobs(stack.services.db.pool, { from: 20, to: -2, count: 5 }, 1_000);
  await deleteDeadJobs(stack.services.db.pool);
  const control = new pg.Client(stack.databaseUrl);
  await control.connect();
  // Nobody is taken for dead by a server that has just started.
  await eventually(async () => {
    const text = `select pg_postmaster_start_time() < now() - interval '11 seconds' as old`;
    return (await control.query<{ old: boolean }>(text)).rows[0]?.old;
  }, 15_000);
  expect(await findOwnerlessPools(control, [])).not.toContain('worker-1');
  await control.end();
  expect(await jobs()).toEqual(before);
});
