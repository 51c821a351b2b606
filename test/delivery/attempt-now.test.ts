import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { BulkSite } from '../support/bulk-operations.js';
import { eventually } from '../support/eventually.js';
import { couponPayload, makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, dataOf } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';
import { JOBS_TABLE } from '../support/jobs.js';
import { answer, startReceiver } from '../support/receiver.js';

/** Nothing comes by itself: retries are an hour away, and so are the probes of endpoints that fail. */
const site = await BulkSite.open({ RETRY_BASE_SECONDS: '1800', DISABLE_AFTER_SECONDS_MIN: '3600' });
beforeAll(() => void site.startDaemon());
afterAll(() => site[Symbol.asyncDispose]());
afterEach(async () => {
  await site.rows(`update hookwright.deliveries set status = 'CANCELED', finished_at = now() where status = 'PENDING'`);
  site.receiver.answerWith(answer(200));
});

/** Deliveries that have failed once, and wait two hours for their retry. */
async function waiting(count: number, webhookId: number): Promise<number[]> {
  const ids = await site.past(count, { webhookId, status: "'PENDING'" });
  await site.rows(`update hookwright.deliveries set attempt_count = 1, due_at = now() + interval '2 hours',
                   last_error_code = 'HTTP_500', last_status_code = 500 where id in (${ids})`);
  return ids;
}
const failing = (webhookId: number, more = '') =>
  site.rows(`update hookwright.webhooks set consecutive_failures = 5, failing_since = now() - interval '1 hour',
             last_failure_at = now() - interval '1 hour', next_probe_at = now() + interval '1 hour' ${more}
             where id = ${webhookId}`);
const selection = 'total leftOut bulkOperation { id kind filter } deliveries { databaseId attemptCount nextAttemptAt }';
const attempt = (input: object, asking?: { key: string }) => site.mutate('attemptNow', input, selection, asking);
const byIds = (ids: number[], asking?: { key: string }) => attempt({ deliveryIds: ids.map(String) }, asking);
const succeeded = (ids: number[]) =>
  eventually(async () => (await site.statuses(`id in (${ids})`))['SUCCEEDED'] === ids.length);
/** How often the audit log says that somebody asked for an attempt. */
const asked = async (id: number) =>
  (await site.rows(`select from hookwright.audit_log where action = 'DELIVERY_ATTEMPTED_NOW' and target_id = '${id}'`))
    .length;
const row = async (id: number) =>
  (
    await site.rows<{ attempt_count: number; due_at: Date; status: string }>(
      `select * from hookwright.deliveries where id = ${id}`,
    )
  )[0]!;

describe('chosen deliveries', () => {
  test('that wait for a retry are sent at once, and the schedule goes on from there', async () => {
    const ids = await waiting(3, await site.webhook());
    expect(dataOf(await byIds(ids)).result).toMatchObject({ total: 3, bulkOperation: null });
    await succeeded(ids);
    expect(await row(ids[0]!)).toMatchObject({ attempt_count: 2 });
    expect(ids.map((id) => site.requests().get(id))).toEqual([1, 1, 1]);

    const [again] = await waiting(1, await site.webhook());
    site.receiver.answerWith(answer(500));
    await byIds([again!]);
    await eventually(async () => (await row(again!)).attempt_count === 2);
    const hours = ((await row(again!)).due_at.getTime() - Date.now()) / 3_600_000;
    expect(hours).toBeCloseTo(1, 1); // the second retry of the schedule
    const { data } = await site.ask('{ auditLog(first: 1) { edges { node { action targetId } } } }');
    expect(data.auditLog.edges[0].node.action).toBe('DELIVERY_ATTEMPTED_NOW');
  });

  test('are the next probe of an endpoint that fails: one goes, and if it fails the others wait on', async () => {
    const webhookId = await site.webhook();
    const ids = await waiting(3, webhookId);
    await failing(webhookId);
    site.receiver.answerWith(answer(500));
    await byIds(ids);
    await eventually(async () => (await row(ids[0]!)).attempt_count === 2);
    expect([ids[1]!, ids[2]!].map((id) => site.requests().get(id))).toEqual([undefined, undefined]);

    await eventually(async () => {
      const putOff = `key in ('d:${ids[1]}', 'd:${ids[2]}') and locked_at is null and run_at > now() + interval '1 minute'`;
      return (await site.rows(`select from ${JOBS_TABLE} where ${putOff}`)).length === 2;
    });
    site.receiver.answerWith(answer(200));
    await byIds([ids[1]!]);
    await succeeded(ids.slice(1)); // and the last one follows the success
  });

  test('still wait for a pause that the endpoint asked for, and say until when', async () => {
    const webhookId = await site.webhook();
    const ids = await waiting(1, webhookId);
    await site.rows(`update hookwright.webhooks set closed_until = '2099-01-01T00:00:00Z' where id = ${webhookId}`);
    const { deliveries } = dataOf(await byIds(ids)).result;
    expect(deliveries).toEqual([{ databaseId: ids[0], attemptCount: 1, nextAttemptAt: '2099-01-01T00:00:00+00:00' }]);
    const [job] = await site.rows<{ run_at: Date }>(`select run_at from ${JOBS_TABLE} where key = 'd:${ids[0]}'`);
    expect(job!.run_at.getUTCFullYear()).toBe(2099);
    expect(site.requests().has(ids[0]!)).toBe(false);
  });

  test('are attempted once, although somebody asks again while the request is in flight', async () => {
    const ids = await waiting(1, await site.webhook());
    let end = (): void => {};
    site.receiver.answerWith((_request, response) => {
      end = () => response.writeHead(200).end();
    });
    await byIds(ids);
    await eventually(() => site.requests().has(ids[0]!));
    expect(dataOf(await byIds(ids)).result).toMatchObject({ total: 0, deliveries: [{ databaseId: ids[0] }] });
    expect(await asked(ids[0]!)).toBe(1);
    end();
    await succeeded(ids);
    expect(site.requests().get(ids[0]!)).toBe(1);
  });

  test('are sent although a slow one has not ended that shared the job of their first attempt', async () => {
    const tenant = await makeTenant(site.api.services);
    await using slow = await startReceiver(() => {});
    const { id: slowId } = await makeWebhook(site.api.services, tenant.id, { url: slow.url });
    const { id: webhookId } = await makeWebhook(site.api.services, tenant.id, { url: site.receiver.url });
    site.receiver.answerWith(answer(500));
    const event = { event: 'coupon.applied', payload: couponPayload };
    dataOf(await site.mutate('emitEvent', event, 'event { id }', tenant));
    const [failed] = await eventually(async () => {
      const rows = await site.rows<{ id: number }>(
        `select id::float8 as id from hookwright.deliveries where webhook_id = ${webhookId} and attempt_count = 1`,
      );
      return slow.inFlight === 1 && rows.length === 1 && rows;
    });
    const shared = `select from ${JOBS_TABLE} where key like 'g:%' and locked_at is not null`;
    expect((await site.rows(shared)).length).toBe(1);
    site.receiver.answerWith(answer(200));
    expect(dataOf(await byIds([failed!.id], tenant)).result).toMatchObject({ total: 1 });
    await succeeded([failed!.id]);
    expect([slow.inFlight, await site.statuses(`webhook_id = ${slowId}`)]).toEqual([1, { PENDING: 1 }]);
  });

  test('that are held, finished, foreign or unknown are a conflict or not found, and then none is touched', async () => {
    const webhookId = await site.webhook();
    const [good] = await waiting(1, webhookId);
    const [held] = await site.past(1, { webhookId, status: "'HELD'" });
    const [failed] = await site.past(1, { webhookId });
    const reasonOf = async (id: number, asking?: { key: string }) =>
      (await byIds([good!, id], asking)).errors[0].extensions.reason;
    expect(await reasonOf(held!)).toBe('delivery_held');
    expect(await reasonOf(failed!)).toBe('delivery_finished');
    expect(await reasonOf(1)).toBe('not_found');
    expect(await reasonOf(good!, await makeTenant(site.api.services))).toBe('not_found');
    await site.rows(
      `update hookwright.webhooks set active = false, disabled_reason = 'PAUSED' where id = ${webhookId}`,
    );
    expect(await reasonOf(good!)).toBe('webhook_inactive');
    expect((await row(good!)).due_at.getTime()).toBeGreaterThan(Date.now());
  });

  test('need a scope of their own, and a filter another one', async () => {
    const [id] = await waiting(1, await site.webhook());
    const [reader, resender] = [
      await makeKey(site.api.services, site.tenant.id, ['deliveries:read']),
      await makeKey(site.api.services, site.tenant.id, ['deliveries:resend']),
    ];
    const { errors } = await byIds([id!], reader);
    expect(errors[0].message).toContain('deliveries:write or deliveries:resend or deliveries:bulk. Nothing was done.');
    expect(codesOf(await byIds([id!], resender))).toEqual([]);
    expect(codesOf(await attempt({ filter: {} }, resender))).toEqual(['FORBIDDEN']);
  });
});

describe('a filter', () => {
  test('makes retries of all endpoints due in one operation, and leaves out inactive ones', async () => {
    const [one, other, paused] = [await site.webhook(), await site.webhook(), await site.webhook()];
    const ids = [...(await waiting(60, one)), ...(await waiting(2, other))];
    const [left] = await waiting(1, paused);
    await site.rows(`update hookwright.webhooks set active = false, disabled_reason = 'PAUSED' where id = ${paused}`);
    await failing(other); // its first delivery is the probe
    const filter = { lastAttemptFailed: true, eventType: 'coupon.applied' };
    expect(dataOf(await attempt({ filter, dryRun: true })).result).toMatchObject({ total: 62, leftOut: 1 });
    const { bulkOperation } = dataOf(await attempt({ filter })).result;
    expect(bulkOperation).toMatchObject({
      kind: 'ATTEMPT_NOW',
      filter: { status: ['PENDING'], eventTypes: ['coupon.applied'], lastAttemptFailed: true },
    });
    expect(await site.reaches(bulkOperation.id, 'COMPLETED')).toMatchObject({ affected: 62, total: 62 });
    await succeeded(ids);
    expect(site.requests().has(left!)).toBe(false);
  });

  test.each([
    ['HELD deliveries', { status: 'HELD' }, ['status', 'must be PENDING; releaseHeld is for held deliveries']],
    ['an error code that is none', { errorCode: 'X' }, ['errorCode', 'is not an error code']],
    ['a text without a time', { payloadContains: 'abc' }, ['since', 'is required together with `payloadContains`']],
  ])('of %s is refused by the name of the field', async (_, filter, [field, why]) => {
    const [issue] = (await attempt({ filter })).errors[0].extensions.errors;
    expect(issue.path).toEqual(['input', 'filter', field]);
    expect(issue.detail).toContain(why);
  });

  test('and ids together, or neither, is refused', async () => {
    expect(codesOf(await attempt({}))).toEqual(['BAD_USER_INPUT']);
    expect(codesOf(await attempt({ filter: {}, deliveryIds: [gid.delivery(1)] }))).toEqual(['BAD_USER_INPUT']);
  });
});

test('recoverDeliveries sends what failed again over all endpoints, whatever the filter names, and nothing else', async () => {
  const [one, other, paused] = [await site.webhook(), await site.webhook(), await site.webhook()];
  const failed = [...(await site.past(3, { webhookId: one })), ...(await site.past(2, { webhookId: other }))];
  const [refused, typed] = [
    ...(await site.past(1, { webhookId: one })),
    ...(await site.past(1, { webhookId: other, eventType: 'booking.created' })),
  ];
  const [left] = await site.past(1, { webhookId: paused });
  await site.rows(`update hookwright.webhooks set active = false, disabled_reason = 'PAUSED' where id = ${paused}`);
  await site.rows(`update hookwright.deliveries set last_status_code = case id when ${refused} then 404 else 503 end,
                   last_error_code = case id when ${refused} then 'HTTP_404' else 'HTTP_503' end
                   where id in (${[...failed, refused, typed, left]})`);
  const { rows } = await site.api.owner.query('select event_id from hookwright.deliveries where id = $1', [typed]);
  const recover = async (filter: object, dryRun = false) =>
    dataOf(await site.mutate('recoverDeliveries', { filter, dryRun }, 'total leftOut bulkOperation { id kind }'))
      .result;
  const since = new Date(Date.now() - 3_600_000).toISOString();
  expect(await recover({ since, statusCodeClass: 'HTTP_4XX' }, true)).toMatchObject({ total: 1, leftOut: 0 });
  expect(await recover({ eventId: String(rows[0].event_id) }, true)).toMatchObject({ total: 1, bulkOperation: null });
  expect(await recover({ since, payloadContains: '"code":"Y"' }, true)).toMatchObject({ total: 0 });
  expect(await recover({ idempotencyKey: 'nobody-had-it' }, true)).toMatchObject({ total: 0, leftOut: 0 });
  const filter = { since, errorCode: 'HTTP_503', eventType: 'coupon.applied', payloadContains: '"code":"X"' };
  const { total, leftOut, bulkOperation } = await recover(filter);
  expect({ total, leftOut, kind: bulkOperation.kind }).toEqual({ total: 5, leftOut: 1, kind: 'RECOVER_DELIVERIES' });
  expect(await site.reaches(bulkOperation.id, 'COMPLETED')).toMatchObject({ affected: 5, skipped: 0 });
  await succeeded(failed);
  expect([refused!, typed!, left!].filter((id) => site.requests().has(id))).toEqual([]);

  const nothing = await site.mutate('recoverDeliveries', { filter: {} }, 'total');
  expect(nothing.errors[0].extensions.errors[0]).toMatchObject({ path: ['input', 'filter'], code: 'nothing_chosen' });
  const pending = await site.mutate('recoverDeliveries', { filter: { status: 'PENDING' } }, 'total');
  expect(pending.errors[0].extensions.errors[0].path).toEqual(['input', 'filter', 'status']);
});
