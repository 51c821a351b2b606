import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alignWronglyHeld, rescueOverdue } from '../../src/operations/deliveries/rescue-deliveries.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { updateWebhook } from '../../src/operations/webhooks/update-webhook.js';
import { deleteDeadJobs } from '../../src/platform/graphile-worker/locked-jobs.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { changeJobs, countJobs, deleteJobs, JOBS_TABLE, ofDelivery } from '../support/jobs.js';
import { type Receiver, startReceiver } from '../support/receiver.js';

let stack: DeliveryStack;
let receiver: Receiver;
let webhookId: number;
beforeEach(async () => {
  stack = await DeliveryStack.open();
  receiver = await startReceiver();
  ({ id: webhookId } = await stack.webhook(receiver.url));
});
afterEach(async () => {
  await stack[Symbol.asyncDispose]();
  await receiver.close();
});

const rescue = () => rescueOverdue(stack.services.db.pool);
const makeOverdue = (seconds: number) =>
  stack.rows(`update hookwright.deliveries set due_at = now() - ${seconds} * interval '1 second'`);

describe('rescuing overdue deliveries', () => {
  test('adds a job again for a pending delivery whose job was lost', async () => {
    const eventId = await stack.emit();
    await deleteJobs(stack);
    await makeOverdue(61);
    expect(await rescue()).toBe(1);
    expect(await rescue()).toBe(0);
    stack.startDaemon();
    await eventually(async () => (await stack.delivery(eventId)).status === 'SUCCEEDED');
  });

  test('leaves alone what is overdue for less than a minute, or has a job that waits', async () => {
    await stack.emit();
    await makeOverdue(61);
    expect(await rescue()).toBe(0);
    await deleteJobs(stack);
    await makeOverdue(59);
    expect(await rescue()).toBe(0);
  });

  test.each([
    ['of a dead worker', `locked_at = now() - interval '61 seconds', locked_by = 'dead'`, 1],
    ['of a worker that has it in hand', `locked_at = now() - interval '59 seconds', locked_by = 'busy'`, 0],
    ['that has used up its attempts', 'attempts = max_attempts', 1],
    ['that names an attempt already made', `payload = jsonb_set(payload::jsonb, '{attempt}', '0')`, 1],
  ])('a job %s', async (_, change, rescued) => {
    const eventId = await stack.emit();
    await makeOverdue(61);
    await changeJobs(stack, change);
    expect(await rescue()).toBe(rescued);
    if (rescued === 1) {
      stack.startDaemon();
      await eventually(async () => (await stack.delivery(eventId)).status === 'SUCCEEDED');
      expect(receiver.received).toHaveLength(1);
    }
  });

  test('looks at what endpoints have put off part by part, and at what has just become overdue at once', async () => {
    const eventId = await stack.emit();
    const addPutOff = (count: number, minutes: number) =>
      stack.rows(`
        with made as (
          insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, due_at)
          select hookwright.next_id(), tenant_id, event_id, webhook_id, event_type, status,
                 now() - interval '1 minute' * ${minutes} - i * interval '1 ms'
          from (select * from hookwright.deliveries limit 1) d, generate_series(1, ${count}) i returning id)
        insert into ${JOBS_TABLE} (task_id, key, max_attempts, run_at, payload)
        select (select task_id from ${JOBS_TABLE} limit 1), 'd:' || id, 25, now() + interval '1 hour', '{"attempt": 1}'
        from made`);
    await addPutOff(500, 30);
    const { id } = await stack.delivery(eventId);
    const dueAgo = (ago: string) =>
      stack.rows(`update hookwright.deliveries set due_at = now() - interval '${ago}' where id = ${id}`);
    await dueAgo('20 minutes');
    const { pool } = stack.services.db;
    const cursor: { after?: string } = {};
    const round = async () => {
      const rescued = [await rescueOverdue(pool, cursor)];
      while (cursor.after !== undefined) {
        rescued.push(await rescueOverdue(pool, cursor));
      }
      return rescued;
    };
    expect(await round()).toEqual([0, 0, 0]);
    await deleteJobs(stack, ofDelivery(id));
    expect(await round()).toEqual([0, 0, 1]);
    await dueAgo('61 seconds');
    await deleteJobs(stack, ofDelivery(id));
    expect(await rescueOverdue(pool, cursor)).toBe(1);
    await changeJobs(stack, `locked_at = now() - interval '61 seconds', locked_by = 'dead'`, ofDelivery(id));
    expect(await rescueOverdue(pool, cursor)).toBe(1);
    await deleteJobs(stack);
    expect(await round()).toEqual([501]);
  });

  test('deletes the jobs that were replaced while a worker had them locked', async () => {
    await stack.emit();
    await makeOverdue(61);
    await changeJobs(stack, `locked_at = now() - interval '1 hour', locked_by = 'x'`);
    await rescue();
    await changeJobs(stack, 'locked_at = null, locked_by = null');
    await deleteDeadJobs(stack.services.db.pool);
    expect(await countJobs(stack)).toBe(1);
  });
});

describe('aligning wrongly held deliveries', () => {
  test('releases what is held by a webhook that is active: its emit and the enabling crossed', async () => {
    const eventId = await stack.emit();
    await stack.rows(`update hookwright.deliveries set status = 'HELD'`);
    stack.startDaemon();
    await eventually(async () => (await stack.delivery(eventId)).status === 'SUCCEEDED', 5_000);
  });

  test('hands a webhook over once, and again only when nobody is at it', async () => {
    const { pool } = stack.services.db;
    await stack.emit();
    await stack.rows(`update hookwright.deliveries set status = 'HELD'`);
    const change = (what: string) => changeJobs(stack, what);
    expect(await alignWronglyHeld(pool)).toBe(1);
    expect(await alignWronglyHeld(pool)).toBe(0);
    await change(`locked_at = now(), locked_by = 'busy'`);
    expect(await alignWronglyHeld(pool)).toBe(0);
    await change(`locked_at = now() - interval '1 minute'`);
    expect(await alignWronglyHeld(pool)).toBe(1);
  });

  test('leaves alone deliveries of an inactive webhook, and deliveries that are kept held on purpose', async () => {
    await updateWebhook(stack.services.db, stack.tenantId, webhookId, { active: false }, 168, commandLine);
    await stack.emit();
    expect(await alignWronglyHeld(stack.services.db.pool)).toBe(0);
    await updateWebhook(stack.services.db, stack.tenantId, webhookId, { active: true, held: 'KEEP' }, 168, commandLine);
    expect(await alignWronglyHeld(stack.services.db.pool)).toBe(0);
  });
});

test('webhooks that hold deliveries are looked at part by part, and what was just changed besides', async () => {
  const { pool } = stack.services.db;
  await stack.emit();
  const last = await stack.webhook(receiver.url);
  await stack.rows(
    `insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status)
     select hookwright.next_id(), tenant_id, event_id, case n when 0 then ${last.id} else -n end, event_type, 'HELD'
     from hookwright.deliveries, generate_series(0, 30) n`,
  );
  const first = () => ({ after: -1_000 });
  expect(await alignWronglyHeld(pool, first())).toBe(1);
  await deleteJobs(stack);
  await stack.rows(`update hookwright.audit_log set created_at = now() - interval '61 seconds'`);
  const cursor = first();
  expect(await alignWronglyHeld(pool, cursor)).toBe(0);
  await stack.rows(`update hookwright.webhooks set active = false, hold_until = now() where id = ${last.id}`);
  expect(await alignWronglyHeld(pool, first())).toBe(1);
  await deleteJobs(stack);
  expect(await alignWronglyHeld(pool, cursor)).toBe(1);
  expect(cursor).toEqual({});
});
