import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { putOffDeliveries } from '../../src/operations/attempts/put-off.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { updateWebhook } from '../../src/operations/webhooks/update-webhook.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { changeJobs, deleteJobs, fetchJobs, JOBS_TABLE, jobsIn, ofDelivery } from '../support/jobs.js';

let stack: DeliveryStack;
let webhookId: number;

beforeEach(async () => {
  stack = await DeliveryStack.open();
  webhookId = (await stack.webhook(URL_AT_FIRST)).id;
});
afterEach(() => stack[Symbol.asyncDispose]());

const URL_AT_FIRST = 'http://127.0.0.1:1/';

const putOff = (deliveryId: number, inMs: number) =>
  putOffDeliveries(stack.services.db.pool, [
    { deliveryId, webhookId, url: URL_AT_FIRST, generation: 0, attemptNumber: 1, inMs, priority: 10 },
  ]);

test('what is put off for an endpoint that its webhook has left meanwhile comes soon', async () => {
  const { id } = await stack.delivery(await stack.emit());
  const inSeconds = async () => (await jobsIn(stack, ofDelivery(id)))[0]!.inSeconds;
  await putOff(id, 600_000);
  expect(await inSeconds()).toBeGreaterThan(500);
  const url = { url: 'http://127.0.0.1:2/' };
  await updateWebhook(stack.services.db, stack.tenantId, webhookId, url, 72, commandLine);
  await putOff(id, 600_000);
  expect(await inSeconds()).toBeLessThan(1);
});

test('a delivery that is put off tells nobody; one that is due wakes the daemons, when it is committed', async () => {
  const { id } = await stack.delivery(await stack.emit());
  const listener = new pg.Client({ connectionString: stack.databaseUrl });
  await listener.connect();
  try {
    let told = 0;
    listener.on('notification', () => {
      told += 1;
    });
    await listener.query('listen "jobs:insert"');
    await putOff(id, 60_000);
    await listener.query('select');
    expect(told).toBe(0);
    await putOff(id, 0);
    await listener.query('select');
    expect(told).toBe(1);
  } finally {
    await listener.end();
  }
});

describe('a job is written as graphile-worker writes it', () => {
  const addJob = (deliveryId: number, inMs: number) =>
    stack.rows(
      `select hookwright_jobs.add_job('deliver', json_build_object('id', ${deliveryId}, 'attempt', 1),
         run_at := now() + ${inMs} * interval '1 millisecond', max_attempts := 25, job_key := 'd:${deliveryId}', priority := 10)`,
    );
  /** All that a job is, without what differs by itself. */
  const jobs = (deliveryId: number) =>
    stack.rows<{ job: Record<string, unknown> }>(
      `select to_jsonb(j) - '{id,created_at,updated_at,run_at,locked_at}'::text[]
              || jsonb_build_object('waits', run_at > now()) as job
       from ${JOBS_TABLE} j
       where payload::jsonb->>'id' = '${deliveryId}' order by id`,
    );
  const nameless = async (deliveryId: number) =>
    JSON.parse(JSON.stringify(await jobs(deliveryId)).replaceAll(String(deliveryId), '0')) as unknown[];

  test.each([
    ['where its key is free', () => deleteJobs(stack), 1],
    [
      'where one waits, whose place it takes',
      () => changeJobs(stack, `attempts = 3, last_error = 'lost', flags = '{"a": true}', revision = 1`),
      1,
    ],
    ['where one is being run, which then never runs again', () => fetchJobs(stack, 'pool'), 2],
  ])('%s', async (_, prepare, expected) => {
    const [theirs, ours] = [await stack.delivery(await stack.emit()), await stack.delivery(await stack.emit())];
    await prepare();
    await addJob(theirs.id, 60_000);
    await putOff(ours.id, 60_000);
    expect(await nameless(ours.id)).toEqual(await nameless(theirs.id));
    expect(await nameless(ours.id)).toHaveLength(expected);
  });
});
