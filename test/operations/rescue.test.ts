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

  test('goes through a long backlog part by part, and begins again after the last', async () => {
    const eventId = await stack.emit();
    await stack.rows(
      `insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, due_at)
       select hookwright.next_id(), tenant_id, event_id, webhook_id, event_type, status, now() - interval '2 minutes' - i * interval '1 ms'
       from hookwright.deliveries, generate_series(1, 20000) i`,
    );
    await stack.rows(
      `insert into ${JOBS_TABLE} (task_id, key, max_attempts, payload)
       select (select task_id from ${JOBS_TABLE} limit 1), 'd:' || id, 25, '{"attempt": 1}' from hookwright.deliveries
       where due_at < now() - interval '1 minute'`,
    );
    const { id } = await stack.delivery(eventId);
    await stack.rows(`update hookwright.deliveries set due_at = now() - interval '61 seconds' where id = ${id}`);
    await deleteJobs(stack, ofDelivery(id));
    const { pool } = stack.services.db;
    const cursor = {};
    expect(await rescueOverdue(pool, cursor)).toBe(0);
    expect(await rescueOverdue(pool, cursor)).toBe(1);
    expect(cursor).toEqual({});
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

test('webhooks that hold deliveries are looked at part by part, and again after the last', async () => {
  const { pool } = stack.services.db;
  await stack.emit();
  const last = await stack.webhook(receiver.url);
  await stack.rows(
    `insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status)
     select hookwright.next_id(), tenant_id, event_id, case n when 0 then ${last.id} else -n end, event_type, 'HELD'
     from hookwright.deliveries, generate_series(0, 700) n`,
  );
  const cursor = { after: -1_000 };
  expect(await alignWronglyHeld(pool, cursor)).toBe(0);
  expect(await alignWronglyHeld(pool, cursor)).toBe(1);
  expect(cursor).toEqual({});
});
