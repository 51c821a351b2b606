import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { OperationalEventType } from '../../src/domain/events/operational-events.js';
import { dateToId } from '../../src/domain/ids/delivery-id.js';
import { BULK_CHUNK, BULK_WAITING_MAX } from '../../src/domain/pacing/bulk-pace.js';
import { type OperationalEvent, raiseEvents } from '../../src/operations/attempts/raise-events.js';
import { transaction } from '../../src/platform/database/database.js';
import { BulkSite } from '../support/bulk-operations.js';
import { eventually } from '../support/eventually.js';
import { emitMany } from '../support/factories.js';
import { numberIn } from '../support/ids.js';
import { countJobs, deleteJobs, jobsIn, OF_BULK } from '../support/jobs.js';
import { lockRow } from '../support/locks.js';
import { answer } from '../support/receiver.js';

/** Operations yield to whatever else the machine does, and so may take long. */
vi.setConfig({ testTimeout: 180_000 });

let site: BulkSite;
let webhookId: number;
beforeEach(async () => {
  site = await BulkSite.open();
  webhookId = await site.webhook();
});
afterEach(() => site[Symbol.asyncDispose]());

const DAY_MS = 86_400_000;
const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString();
const recover = (filter: object = {}) =>
  site.start('recoverWebhook', { id: String(webhookId), filter: { since: anHourAgo(), ...filter } });
const replay = (more: object = {}, filter: object = {}) =>
  site.start('replayEvents', {
    webhookId: String(webhookId),
    filter: { since: anHourAgo(), ...filter },
    ...more,
  });
/** An event at noon of that day, which has partitions then. @returns its id */
async function pastEvent(daysAgo: number): Promise<number> {
  for (const parent of ['events', 'deliveries', 'attempts']) {
    await site.rows(`select hookwright.make_partition('${parent}', '${dayOf(daysAgo)}')`);
  }
  const id = dateToId(new Date(`${dayOf(daysAgo)}T12:00:00Z`));
  await site.rows(`insert into hookwright.events values (${id}, ${site.tenant.id}, 'coupon.applied', '{}')`);
  return id;
}
const setActive = (active: boolean) =>
  site.mutate('updateWebhook', { id: String(webhookId), active }, 'webhook { id }');
const allSucceeded = (count: number) =>
  eventually(async () => (await site.statuses("status = 'SUCCEEDED'"))['SUCCEEDED'] === count, 120_000);

describe('recoverWebhook', () => {
  test('sends what has failed again, with the same ids and a fresh budget, and nothing else', async () => {
    const failed = await site.past(250, { webhookId });
    const succeeded = await site.past(3, { webhookId, status: "'SUCCEEDED'" });
    site.startDaemon();
    const { total, operation } = await recover();
    expect(total).toBe(250);
    expect(operation).toMatchObject({ kind: 'RECOVER_WEBHOOK', status: 'RUNNING', total: 250 });

    const done = await site.reaches(operation.id, 'COMPLETED');
    expect(done).toMatchObject({ processed: 250, affected: 250, skipped: 0, progress: 1, error: null });
    await allSucceeded(253);
    expect(site.requests()).toEqual(new Map(failed.map((id) => [id, 1])));
    const [row] = await site.rows(`select * from hookwright.deliveries where id = ${failed[0]}`);
    expect(row).toMatchObject({ attempt_count: 7, attempts_before: 6 });
    expect(succeeded.some((id) => site.requests().has(id))).toBe(false);
  });

  test('sends what was canceled because its hold had expired, and what was canceled otherwise only when told to', async () => {
    const [expired, byUser] = await site.past(2, { webhookId, status: "'CANCELED'" });
    await site.rows(`update hookwright.deliveries set cancel_reason = case id when ${expired} then 'HOLD_EXPIRED'
                     else 'BY_USER' end::hookwright.cancel_reason`);
    site.startDaemon();
    expect((await recover()).total).toBe(1);
    await allSucceeded(1);
    expect([...site.requests().keys()]).toEqual([expired]);
    expect((await recover({ outcomes: ['CANCELED'] })).total).toBe(1);
    await allSucceeded(2);
    expect([...site.requests().keys()]).toEqual([expired, byUser]);
  });

  test('skips those whose event is not kept any more: there is nothing to send', async () => {
    const [bodiless, sent] = await site.past(2, { webhookId });
    await site.rows(
      `delete from hookwright.events where id = (select event_id from hookwright.deliveries where id = ${bodiless})`,
    );
    site.startDaemon();
    const { total, operation } = await recover();
    expect(total).toBe(2);
    expect(await site.reaches(operation.id, 'COMPLETED')).toMatchObject({ affected: 1, skipped: 1 });
    await allSucceeded(1);
    expect([...site.requests().keys()]).toEqual([sent]);
    expect(await site.statuses(`id = ${bodiless}`)).toEqual({ FAILED: 1 });
  });

  test('goes through them in the order of ids, a chunk at a time', async () => {
    const ids = await site.past(BULK_CHUNK + 10, { webhookId });
    const { operation } = await recover();
    await site.runChunk(operation.id);
    const pending = await site.rows<{ id: number }>(
      "select id from hookwright.deliveries where status = 'PENDING' order by id",
    );
    expect(pending.map(({ id }) => id)).toEqual(ids.slice(0, BULK_CHUNK));
    expect(await site.operation(operation.id)).toMatchObject({ affected: BULK_CHUNK, status: 'RUNNING' });
  });

  test('does not queue more than the endpoint takes, and goes on when it takes more', async () => {
    const queued = await site.past(BULK_WAITING_MAX - BULK_CHUNK, { webhookId, status: "'PENDING'" });
    await site.past(3 * BULK_CHUNK, { webhookId });
    const { operation } = await recover();
    await site.rows(`update hookwright.bulk_operations set in_queue = array[${queued}]`);
    const waiting: (() => void)[] = [];
    site.receiver.answerWith((_, response) => void waiting.push(() => response.writeHead(200).end()));
    site.startDaemon();
    // It finds the queue full more than once.
    await eventually(async () => (await jobsIn(site, OF_BULK))[0]?.payload.waitedMs >= 400, 60_000);
    expect((await site.statuses())['PENDING']).toBe(BULK_WAITING_MAX);
    expect(await site.operation(operation.id)).toMatchObject({ affected: BULK_CHUNK });
    site.receiver.answerWith(answer(200));
    for (const end of waiting) {
      end();
    }
    await site.rows(`update hookwright.deliveries set status = 'SUCCEEDED' where id = any(array[${queued}])`);
    await site.reaches(operation.id, 'COMPLETED');
    await allSucceeded(BULK_WAITING_MAX + 2 * BULK_CHUNK);
    expect([...site.requests().values()]).toEqual(new Array(3 * BULK_CHUNK).fill(1));
  });

  test('pauses while the webhook is inactive, and goes on by itself when it is enabled', async () => {
    await site.past(2 * BULK_CHUNK, { webhookId });
    const { operation } = await recover();
    await setActive(false);
    site.startDaemon();
    const paused = await site.reaches(operation.id, 'PAUSED');
    expect(paused).toMatchObject({ affected: 0, finishedAt: null });
    expect(await site.statuses()).toEqual({ FAILED: 2 * BULK_CHUNK });
    await setActive(true);
    await site.reaches(operation.id, 'COMPLETED');
    await allSucceeded(2 * BULK_CHUNK);
  });

  test('what it has queued is held by the usual rules when the endpoint fails until it is disabled', async () => {
    const count = 6 * BULK_CHUNK;
    await site.past(count, { webhookId });
    // The next failure disables it.
    await site.rows(
      `update hookwright.webhooks set consecutive_failures = 1000, failing_since = now() - interval '30 days'`,
    );
    site.receiver.answerWith(answer(500));
    site.startDaemon();
    const { operation } = await recover();
    await site.reaches(operation.id, 'PAUSED');
    await eventually(async () => (await site.statuses())['PENDING'] === undefined, 30_000);
    const { affected } = await site.operation(operation.id);
    expect(affected).toBeLessThan(count);
    expect(await site.statuses()).toEqual({ HELD: affected, FAILED: count - affected });

    site.receiver.answerWith(answer(200));
    await setActive(true);
    await site.reaches(operation.id, 'COMPLETED');
    await allSucceeded(count);
  });

  test('ends when its webhook is deleted, and says why; it cannot be resumed', async () => {
    await site.past(10, { webhookId });
    const { operation } = await recover();
    await site.mutate('deleteWebhook', { id: String(webhookId) }, 'deletedWebhookId');
    site.startDaemon();
    const ended = await site.reaches(operation.id, 'CANCELED');
    expect(ended).toMatchObject({ error: 'The webhook was deleted.', affected: 0, webhook: null });
    const { errors } = await site.mutate('resumeBulkOperation', { id: operation.id }, 'bulkOperation { id }');
    expect(errors[0].extensions).toEqual({ code: 'CONFLICT', reason: 'bulk_operation_not_resumable' });
  });

  test.each(['CANCELED', 'FAILED'])(
    'cannot be resumed when it was %s and its webhook was deleted later',
    async (status) => {
      const { operation } = await recover();
      await site.rows(`update hookwright.bulk_operations set status = '${status}', finished_at = now()`);
      await site.mutate('deleteWebhook', { id: String(webhookId) }, 'deletedWebhookId');
      const { errors } = await site.mutate('resumeBulkOperation', { id: operation.id }, 'bulkOperation { id }');
      expect(errors[0]).toMatchObject({
        message: `Bulk operation ${operation.id} cannot go on: its webhook was deleted.`,
        extensions: { code: 'CONFLICT', reason: 'bulk_operation_not_resumable' },
      });
      expect((await site.operation(operation.id)).status).toBe(status);
    },
  );
});

describe('an operation that stands still', () => {
  test('is taken up by another daemon when its own one is stopped in the middle', {
    timeout: 120_000,
  }, async () => {
    const count = BULK_WAITING_MAX + 5 * BULK_CHUNK;
    const ids = await site.past(count, { webhookId });
    // So that it is not done before it is stopped.
    site.receiver.answerWith((_, response) => void setTimeout(() => response.writeHead(200).end(), 500));
    const first = site.startDaemon();
    const { operation } = await recover();
    await eventually(async () => (await site.operation(operation.id)).affected > 0, 30_000);
    await first.stop();
    const { affected, status } = await site.operation(operation.id);
    expect(status).toBe('RUNNING');
    expect(affected).toBeLessThan(count);
    site.receiver.answerWith(answer(200));
    site.startDaemon();
    expect(await site.reaches(operation.id, 'COMPLETED')).toMatchObject({ affected: count });
    await allSucceeded(count);
    expect(site.requests()).toEqual(new Map(ids.map((id) => [id, 1])));
  });

  test('is found when its job is lost', async () => {
    await site.past(5, { webhookId });
    const { operation } = await recover();
    expect(await deleteJobs(site, OF_BULK)).toHaveLength(1);
    site.startDaemon();
    await site.reaches(operation.id, 'COMPLETED');
  });

  test('because of a fault that comes again and again has failed, and is resumed where it stopped', async () => {
    await site.past(BULK_CHUNK + 5, { webhookId });
    const { operation } = await recover();
    await site.runChunk(operation.id);
    // A fault, of the kind that a row which no rule expects would be.
    await site.rows(`alter table hookwright.deliveries add constraint fault check (status <> 'PENDING') not valid`);
    await expect(site.runChunk(operation.id, 3)).rejects.toThrow('fault');
    expect(await site.operation(operation.id)).toMatchObject({ status: 'RUNNING', affected: BULK_CHUNK });
    await expect(site.runChunk(operation.id, 4)).rejects.toThrow('fault');
    const failed = await site.operation(operation.id);
    expect(failed).toMatchObject({ status: 'FAILED', affected: BULK_CHUNK, finishedAt: expect.any(String) });
    expect(failed.error).toContain('can be resumed');
    await site.rows('alter table hookwright.deliveries drop constraint fault');
    await site.mutate('resumeBulkOperation', { id: operation.id }, 'bulkOperation { id }');
    site.startDaemon();
    const done = await site.reaches(operation.id, 'COMPLETED');
    expect(done).toMatchObject({ affected: BULK_CHUNK + 5, error: null });
    await allSucceeded(BULK_CHUNK + 5);
    expect([...site.requests().values()].every((times) => times === 1)).toBe(true);
  });
});

test('what an operation came to is told for as long as deliveries are kept, and while it has not ended', async () => {
  const ids = await Promise.all([recover(), recover(), recover()]);
  const [old, young, paused] = ids.map(({ operation }) => numberIn(operation.id));
  const ended = (id: number | undefined, days: number) =>
    site.rows(`update hookwright.bulk_operations set status = 'COMPLETED', created_at = now() - interval '90 days',
                 finished_at = now() - interval '${days} days' where id = ${id}`);
  await ended(old, 31);
  await ended(young, 29);
  await site.rows(`update hookwright.bulk_operations set status = 'PAUSED', created_at = now() - interval '90 days'
                   where id = ${paused}`);
  await deleteJobs(site);
  site.startDaemon();
  await site.rows("select hookwright_jobs.add_job('housekeeping')");
  const known = () => site.rows<{ id: number }>('select id from hookwright.bulk_operations order by id');
  await eventually(async () => (await known()).length < 3);
  expect(new Set((await known()).map(({ id }) => id))).toEqual(new Set([young, paused]));
});

describe('replayEvents', () => {
  test('delivers past events to a webhook that was made later', async () => {
    const events = await site.past(250);
    site.startDaemon();
    const { total, operation } = await replay();
    expect(total).toBe(250);
    await site.reaches(operation.id, 'COMPLETED');
    await allSucceeded(250);
    const rows = await site.rows<{ id: number; event_id: number }>(
      'select id, event_id from hookwright.deliveries order by id',
    );
    expect(rows.map(({ event_id }) => event_id)).toEqual(events);
    expect(site.requests()).toEqual(new Map(rows.map(({ id }) => [id, 1])));
  });

  test('leaves out events that have a delivery there, unless told otherwise: then they get another one', async () => {
    const delivered = await site.past(3, { webhookId, status: "'SUCCEEDED'" });
    await site.past(2);
    site.startDaemon();
    const first = await replay();
    expect(first.total).toBe(2);
    await site.reaches(first.operation.id, 'COMPLETED');
    await allSucceeded(5);
    const second = await replay({ includeDelivered: true });
    expect(second.total).toBe(5);
    expect(await site.reaches(second.operation.id, 'COMPLETED')).toMatchObject({ affected: 5 });
    await allSucceeded(10);
    expect(delivered.some((id) => site.requests().has(id))).toBe(false);
  });

  test('leaves them out too where the delivery has the lower id: within a millisecond ids may wrap, and clocks be set back', async () => {
    await site.past(3, { webhookId, status: "'SUCCEEDED'" });
    await site.rows('update hookwright.deliveries set id = event_id - 1');
    site.startDaemon();
    const { total, operation } = await replay();
    expect(total).toBe(0);
    expect(await site.reaches(operation.id, 'COMPLETED')).toMatchObject({ affected: 0 });
    expect(await site.statuses()).toEqual({ SUCCEEDED: 3 });
  });

  test('follows what the webhook subscribes to, unless told otherwise', async () => {
    webhookId = await site.webhook(['voucher.emitted']);
    await site.past(2, { eventType: 'voucher.emitted' });
    await site.past(3, { eventType: 'booking.created' });
    await site.past(4, { eventType: 'booking.canceled' });
    const count = async (more: object = {}, filter: object = {}) =>
      (await replay({ dryRun: true, ...more }, filter)).total;
    expect(await count()).toBe(2);
    expect(await count({}, { eventTypes: ['booking.created', 'voucher.emitted'] })).toBe(2);
    expect(await count({ includeUnsubscribed: true }, { eventTypes: ['booking.created'] })).toBe(3);
    expect(await count({ includeUnsubscribed: true })).toBe(9);
    site.startDaemon();
    const { operation } = await replay(
      { includeUnsubscribed: true },
      { eventTypes: ['booking.created', 'voucher.emitted'] },
    );
    await site.reaches(operation.id, 'COMPLETED');
    await allSucceeded(5);
  });

  test('leaves out, unless told otherwise, events of days whose deliveries are not kept any more', async () => {
    const dropped = await pastEvent(2);
    const kept = await pastEvent(1);
    const partition = `deliveries_${dayOf(2).replaceAll('-', '')}`;
    const since = new Date(Date.now() - 9 * DAY_MS).toISOString();
    expect((await replay({ dryRun: true }, { since })).total).toBe(2);
    const { operation } = await replay({}, { since });
    // Also when that day goes only after the operation was started.
    await site.rows(`drop table hookwright.${partition}`);
    expect((await replay({ dryRun: true }, { since })).total).toBe(1);
    expect((await replay({ dryRun: true, includeDelivered: true }, { since })).total).toBe(2);
    site.startDaemon();
    expect(await site.reaches(operation.id, 'COMPLETED')).toMatchObject({ affected: 1, skipped: 0 });
    expect(await site.rows('select event_id from hookwright.deliveries')).toEqual([{ event_id: kept }]);
    const all = await replay({ includeDelivered: true }, { since });
    expect(await site.reaches(all.operation.id, 'COMPLETED')).toMatchObject({ affected: 2 });
    await allSucceeded(3);
    const ofDropped = await site.rows(`select from hookwright.deliveries where event_id = ${dropped}`);
    expect(ofDropped).toHaveLength(1);
  });

  test('leaves out operational events about the webhook itself: it is never told of itself', async () => {
    const other = await site.webhook(['voucher.emitted']);
    const about = (id: number, type: OperationalEventType): OperationalEvent => ({
      tenantId: site.tenant.id,
      webhookId: id,
      type,
      facts: { webhook_id: String(id) },
      count: 1,
    });
    await transaction(site.api.owner, (client) =>
      raiseEvents(client, [
        about(webhookId, 'webhook.disabled'),
        about(webhookId, 'delivery.exhausted'),
        about(other, 'webhook.disabled'),
      ]),
    );
    const toldBefore = await site.rows('select event_id from hookwright.deliveries');
    expect(toldBefore).toHaveLength(1);
    const { total, operation } = await replay({ includeDelivered: true });
    expect(total).toBe(1);
    site.startDaemon();
    expect(await site.reaches(operation.id, 'COMPLETED')).toMatchObject({ affected: 1, skipped: 0 });
    const told = await site.rows('select event_id from hookwright.deliveries');
    expect(told).toEqual([...toldBefore, ...toldBefore]);
  });

  test('two replays of the same events at once make one delivery of each', async () => {
    await site.past(250);
    const operations = [(await replay()).operation, (await replay()).operation];
    site.startDaemon();
    for (const { id } of operations) {
      await site.reaches(id, 'COMPLETED');
    }
    await allSucceeded(250);
    expect(site.requests().size).toBe(250);
  });
});

describe('cancelDeliveries', () => {
  const cancel = (filter: object) => site.start('cancelDeliveries', { filter });

  test('cancels what is pending and held, and nothing of it is sent', async () => {
    await site.past(700, { webhookId, status: "'PENDING'" });
    await site.past(5, { webhookId, status: "'HELD'" });
    const other = await site.webhook();
    await site.past(4, { webhookId: other, status: "'HELD'" });
    await site.rows(`update hookwright.webhooks set keep_held = true`);
    const { total, operation } = await cancel({ webhookId: String(webhookId) });
    expect(total).toBe(705);
    site.startDaemon();
    expect(await site.reaches(operation.id, 'COMPLETED')).toMatchObject({ affected: 705, skipped: 0 });
    expect(await site.statuses()).toEqual({ CANCELED: 705, HELD: 4 });
    const reasons = await site.rows('select distinct cancel_reason from hookwright.deliveries order by 1');
    expect(reasons).toEqual([{ cancel_reason: 'BY_USER' }, { cancel_reason: null }]);
    expect(site.receiver.received).toEqual([]);
  });

  test('lets go of its webhooks while another session has a delivery locked, and goes on later', async () => {
    const ids = await site.past(5, { webhookId, status: "'HELD'" });
    await site.rows(`update hookwright.webhooks set keep_held = true`);
    const { operation } = await cancel({ webhookId: String(webhookId) });
    await using lock = await lockRow(site.api.databaseUrl, 'deliveries', ids[2]!);
    site.startDaemon();
    await eventually(async () => (await countJobs(site, `${OF_BULK} and run_at > now()`)) === 1, 6_000);
    expect(await site.operation(operation.id)).toMatchObject({ affected: 0, status: 'RUNNING' });
    await lock.letGo();
    expect(await site.reaches(operation.id, 'COMPLETED')).toMatchObject({ affected: 5, skipped: 0 });
  });

  test('works without a webhook, for one status and one type', async () => {
    await setActive(false);
    await site.past(3, { webhookId, status: "'HELD'" });
    await site.past(2, { webhookId, status: "'HELD'", eventType: 'voucher.emitted' });
    const { total, operation } = await cancel({ status: 'HELD', eventType: 'voucher.emitted' });
    expect(total).toBe(2);
    expect((await cancel({ status: 'PENDING' })).total).toBe(0);
    site.startDaemon();
    expect(await site.reaches(operation.id, 'COMPLETED')).toMatchObject({ affected: 2, webhook: null });
    expect(await site.statuses()).toEqual({ CANCELED: 2, HELD: 3 });
  });
});

describe('a chunk beside the recording of outcomes', () => {
  test.each([
    ['cancelDeliveries', () => ({ filter: { webhookId: String(webhookId) } }), 'PENDING'],
    [
      'recoverWebhook',
      () => ({ id: String(webhookId), filter: { since: anHourAgo(), outcomes: ['CANCELED'] } }),
      'CANCELED',
    ],
  ])('of %s waits its turn: neither fails', async (name, inputOf, status) => {
    const [first, second] = await site.past(2, { webhookId, status: `'${status}'` });
    const { operation } = await site.start(name, inputOf());
    const client = await site.api.owner.connect();
    try {
      // As outcomes are recorded: the webhook first, then its deliveries in any order.
      await client.query('begin');
      await client.query('select from hookwright.webhooks where id = $1 for update', [webhookId]);
      const touch = (id?: number) =>
        client.query('update hookwright.deliveries set last_status_code = 200 where id = $1', [id]);
      await touch(second);
      const chunk = site.runChunk(operation.id);
      await eventually(async () => {
        const { rowCount } = await client.query(
          `select from pg_locks l join pg_stat_activity a using (pid)
           where not l.granted and a.datname = current_database()`,
        );
        return rowCount === 1;
      });
      await touch(first);
      await client.query('commit');
      await chunk;
    } finally {
      client.release(true);
    }
    expect(await site.operation(operation.id)).toMatchObject({ affected: 2 });
  });
});

describe('cancelDelivery', () => {
  test('a request in flight ends and is recorded: when it succeeds, the delivery has succeeded', async () => {
    let end = () => {};
    site.receiver.answerWith((_, response) => {
      end = () => response.writeHead(200).end();
    });
    site.startDaemon();
    await emitMany(site.api.services, site.tenant.id, 1);
    await eventually(() => site.receiver.received.length === 1);
    const [row] = await site.rows<{ id: number }>('select id from hookwright.deliveries');
    const { data } = await site.mutate('cancelDelivery', { id: String(row?.id) }, 'delivery { status cancelReason }');
    expect(data.result.delivery).toEqual({ status: 'CANCELED', cancelReason: 'BY_USER' });
    end();
    await allSucceeded(1);
  });
});
