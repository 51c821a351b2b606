import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadDeliveries } from '../../src/operations/attempts/load-deliveries.js';
import { raisePending } from '../../src/operations/attempts/raise-events.js';
import { resumeIdleOperations } from '../../src/operations/bulk/resume-idle-operations.js';
import { takeDueAsks } from '../../src/operations/challenges/take-due.js';
import { alignWronglyHeld, rescueOverdue } from '../../src/operations/deliveries/rescue-deliveries.js';
import { scheduleDeliveries } from '../../src/operations/deliveries/schedule-deliveries.js';
import { eraseDue } from '../../src/operations/erasure/retention.js';
import { wakeLeftTurns } from '../../src/operations/ordering/left-turns.js';
import { probeDisabled } from '../../src/operations/webhooks/probe-webhooks.js';
import { BulkSite } from '../support/bulk-operations.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { couponEmit } from '../support/factories.js';
import { changeJobs, countJobs, deleteJobs, jobsIn, OF_BULK, OF_DELIVERIES, ofDelivery } from '../support/jobs.js';
import { markMoving } from '../support/moving.js';
import { answer, holdAnswers } from '../support/receiver.js';

/** Nothing is sent for a tenant that moves to another cell (docs/decisions/0099). */

let stack: DeliveryStack;
let endpoint: Endpoint;
beforeEach(async () => {
  stack = await DeliveryStack.open();
  endpoint = await stack.endpoint(answer(200));
});
afterEach(() => stack[Symbol.asyncDispose]());

const mark = (to: Parameters<typeof markMoving>[2]) => markMoving(stack.databaseUrl, stack.tenantId, to);
/** Its job has been fetched, and was put off by about a minute. */
const putOff = (id: number) =>
  eventually(async () => {
    const [job] = await jobsIn(stack, `${ofDelivery(id)} and locked_at is null`);
    return job !== undefined && job.inSeconds > 30 && job;
  });
const makeDue = () => changeJobs(stack, 'run_at = now()', `${OF_DELIVERIES} and locked_at is null`);

describe('a delivery of a tenant that moves', () => {
  test.each(['DRAINING', 'CLOSED'] as const)('is put off by a minute while it is %s, and is as before', async (to) => {
    const event = await stack.emit();
    const before = await stack.delivery(event);
    await mark(to);
    stack.startDaemon();
    const job = await putOff(before.id);
    expect(job.inSeconds).toBeLessThanOrEqual(60);
    expect(await stack.delivery(event)).toEqual(before);
    expect(endpoint.received).toEqual([]);
    await mark(null);
    await makeDue();
    expect(await stack.reaches(event, 'SUCCEEDED')).toMatchObject({ attempt_count: 1 });
  });

  test('keeps the time of its retry, and its endpoint a pause that it has asked for', async () => {
    await mark('DRAINING');
    const event = await stack.emit();
    await stack.rows(`update hookwright.deliveries set attempt_count = 1, due_at = now() + interval '3 hours'`);
    const { id } = await stack.delivery(event);
    await changeJobs(stack, `payload = json_build_object('id', ${id}, 'attempt', 2)`);
    stack.startDaemon();
    await eventually(async () => (await jobsIn(stack, ofDelivery(id)))[0]!.inSeconds > 10_000);
    expect(await stack.delivery(event)).toMatchObject({ status: 'PENDING', attempt_count: 1 });
  });

  test('is neither held nor canceled when its webhook is switched off or deleted, until it is open again', async () => {
    const event = await stack.emit();
    const { id } = await stack.delivery(event);
    await mark('DRAINING');
    await stack.change(endpoint.webhookId, { active: false });
    stack.startDaemon();
    await putOff(id);
    await eventually(async () => (await jobsIn(stack, `key = 'w:${endpoint.webhookId}'`))[0]!.inSeconds > 30);
    expect(await stack.delivery(event)).toMatchObject({ status: 'PENDING' });
    await mark(null);
    await changeJobs(stack, 'run_at = now()', 'locked_at is null');
    await stack.reaches(event, 'HELD');
  });

  test('that is in hand is recorded, and the next one of its key is woken but not sent', async () => {
    await stack.change(endpoint.webhookId, { by: 'KEY' });
    const arrived = holdAnswers(endpoint, answer(200));
    const keyed = couponEmit(stack.tenantId, { orderingKey: 'k' });
    await stack.services.emitter.emit([keyed, keyed]);
    stack.startDaemon();
    const respond = await arrived();
    await mark('DRAINING');
    respond();
    await stack.succeeded(1);
    const [next] = await stack.deliveries(`status = 'PENDING'`);
    await putOff(next!.id);
    expect(endpoint.received).toHaveLength(1);
  });

  test('is not due for a probe either', async () => {
    await stack.change(endpoint.webhookId, { active: false });
    await stack.emit();
    await stack.rows(`update hookwright.webhooks set disabled_reason = 'FAILURES'`);
    const { id } = (await stack.deliveries())[0]!;
    const probe = { id, attempt: 1, probe: true };
    const { pool } = stack.services.db;
    expect(await loadDeliveries(pool, [probe])).toMatchObject([{ id }]);
    await mark('CLOSED');
    expect(await loadDeliveries(pool, [probe])).toEqual(['NOT_YET']);
  });
});

describe('sweeps pass over a tenant that moves', () => {
  test('for deliveries that are overdue or soon due without a job', async () => {
    const [overdue, soon] = [await stack.emit(), await stack.emit()];
    await deleteJobs(stack);
    await stack.rows(
      `update hookwright.deliveries set due_at = now() - interval '5 minutes' where event_id = ${overdue}`,
    );
    await stack.rows(`update hookwright.deliveries set attempt_count = 1 where event_id = ${soon}`);
    const { pool } = stack.services.db;
    await mark('DRAINING');
    expect([await rescueOverdue(pool), await scheduleDeliveries(pool), await countJobs(stack)]).toEqual([0, 0, 0]);
    await mark(null);
    expect([await rescueOverdue(pool), await scheduleDeliveries(pool), await countJobs(stack)]).toEqual([1, 1, 2]);
  });

  test('for keys whose next delivery was not woken', async () => {
    await stack.change(endpoint.webhookId, { by: 'KEY' });
    const keyed = couponEmit(stack.tenantId, { orderingKey: 'k' });
    await stack.services.emitter.emit([keyed, keyed]);
    await stack.rows(
      `update hookwright.deliveries set status = 'SUCCEEDED', finished_at = now() where status = 'PENDING'`,
    );
    await mark('DRAINING');
    expect(await wakeLeftTurns(stack.services.db.pool)).toBe(0);
    await mark(null);
    expect(await wakeLeftTurns(stack.services.db.pool)).toBe(1);
  });

  test('for webhooks that failures have disabled', async () => {
    await stack.change(endpoint.webhookId, { active: false, recovery: 'AUTOMATIC' });
    await stack.rows(
      `update hookwright.webhooks set disabled_reason = 'FAILURES', disabled_at = now() - interval '1 hour'`,
    );
    const { pool } = stack.services.db;
    const planned = () => stack.rows<{ next: Date }>('select next_probe_at as next from hookwright.webhook_recoveries');
    await mark('DRAINING');
    expect([await probeDisabled(pool, 'MANUAL'), await planned()]).toEqual([0, []]);
    await mark(null);
    await probeDisabled(pool, 'MANUAL');
    await mark('CLOSED');
    const before = JSON.stringify(await planned());
    await stack.rows(`update hookwright.webhook_recoveries set next_probe_at = next_probe_at - interval '1 hour'`);
    expect(await probeDisabled(pool, 'MANUAL')).toBe(0);
    await stack.rows(`update hookwright.webhook_recoveries set next_probe_at = next_probe_at + interval '1 hour'`);
    expect(JSON.stringify(await planned())).toBe(before);
  });

  test('for held deliveries of an active webhook', async () => {
    await stack.emit();
    await deleteJobs(stack);
    await stack.rows(`update hookwright.deliveries set status = 'HELD'`);
    await mark('DRAINING');
    expect(await alignWronglyHeld(stack.services.db.pool)).toBe(0);
    await mark(null);
    expect(await alignWronglyHeld(stack.services.db.pool)).toBe(1);
  });

  test('for operational events that were only counted', async () => {
    await stack.rows(`
      insert into hookwright.raised_events (tenant_id, webhook_id, event_type, pending, pending_body, raised_at)
      values (${stack.tenantId}, ${endpoint.webhookId}, 'webhook.failing', 1, '{"a":"b"}', now() - interval '1 hour')`);
    await mark('DRAINING');
    expect(await raisePending(stack.services.db.pool)).toBe(0);
    await mark(null);
    expect(await raisePending(stack.services.db.pool)).toBe(1);
  });

  test('for endpoints that have to prove that they want deliveries', async () => {
    await stack.rows(`
      insert into hookwright.verifications (webhook_id, tenant_id, host, status, next_at)
      values (${endpoint.webhookId}, ${stack.tenantId}, 'http://127.0.0.1', 'PENDING', now())`);
    await mark('CLOSED');
    expect(await takeDueAsks(stack.services.db.pool, 10)).toEqual([]);
    await mark(null);
    expect(await takeDueAsks(stack.services.db.pool, 10)).toMatchObject([{ webhookId: endpoint.webhookId, asks: 1 }]);
  });

  test('for payloads whose time is over, until it lives in another cell', async () => {
    await stack.services.emitter.emit([couponEmit(stack.tenantId, { keepHours: 1 })]);
    await stack.rows(`update hookwright.event_ends set ends_at = now()`);
    for (const to of ['DRAINING', 'CLOSED'] as const) {
      await mark(to);
      expect(await eraseDue(stack.services.db.pool, {})).toBe(0);
    }
    await mark('GONE');
    expect(await eraseDue(stack.services.db.pool, {})).toBe(1);
  });
});

test('a bulk operation of a tenant that moves does nothing, and goes on afterwards', async () => {
  await using site = await BulkSite.open();
  const webhookId = await site.webhook();
  await site.past(3, { webhookId });
  const url = site.api.databaseUrl;
  const filter = { since: new Date(Date.now() - 3_600_000).toISOString() };
  const { operation } = await site.start('recoverWebhook', { id: String(webhookId), filter });
  await markMoving(url, site.tenant.id, 'DRAINING');
  await site.runChunk(operation.id);
  expect(await site.operation(operation.id)).toMatchObject({ status: 'RUNNING', processed: 0 });
  const [job] = await jobsIn(site, OF_BULK);
  expect(job!.inSeconds).toBeGreaterThan(30);
  await deleteJobs(site);
  expect(await resumeIdleOperations(site.api.owner)).toBe(0);
  await markMoving(url, site.tenant.id, null);
  expect(await resumeIdleOperations(site.api.owner)).toBe(1);
  await site.runChunk(operation.id);
  expect(await site.operation(operation.id)).toMatchObject({ processed: 3 });
});
