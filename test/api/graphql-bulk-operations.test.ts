import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { BULK_OPERATIONS_MAX } from '../../src/operations/bulk/bulk-operations.js';
import { transaction } from '../../src/platform/database/database.js';
import { BulkSite } from '../support/bulk-operations.js';
import { eventually } from '../support/eventually.js';
import { makeTenant } from '../support/factories.js';
import { type Answer, codesOf, dataOf, nodesOf } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';
import { countJobs, OF_BULK } from '../support/jobs.js';
import { lockWaits } from '../support/lock-waits.js';

/** Operations yield to whatever else the machine does, and so may take long. */
vi.setConfig({ testTimeout: 120_000 });
let webhook: number;
let webhookId: string;
const site = await BulkSite.open();
beforeEach(async () => {
  await site.rows(`update hookwright.bulk_operations set status = 'CANCELED', finished_at = now()
                   where finished_at is null`);
  webhook = await site.webhook();
  webhookId = gid.webhook(webhook);
});
afterAll(() => site[Symbol.asyncDispose]());

const since = new Date(Date.now() - 3_600_000).toISOString();
const later = new Date(Date.now() + 3_600_000).toISOString();
const mutate = (name: string, input: object) => site.mutate(name, input, 'bulkOperation { id status error }');
const recover = (more: object = {}, filter: object = {}) =>
  site.start('recoverWebhook', { id: webhookId, filter: { since, ...filter }, ...more });
const operationsOf = async () =>
  (await site.rows(`select from hookwright.bulk_operations where webhook_id = ${webhook}`)).length;
const expectConflict = ({ errors }: Answer, reason: string) =>
  expect(errors.map(({ extensions }) => extensions)).toEqual([{ code: 'CONFLICT', reason }]);

describe('a dry run', () => {
  test.each([
    ['recoverWebhook', () => ({ id: webhookId, filter: { since } }), "'FAILED'"],
    ['replayEvents', () => ({ webhookId, filter: { since }, includeDelivered: true }), "'SUCCEEDED'"],
    ['cancelDeliveries', () => ({ filter: { webhookId } }), "'HELD'"],
  ])('of %s counts what is then done, and does nothing', async (name, inputOf, status) => {
    await site.rows('delete from hookwright.events');
    await site.past(7, { webhookId: webhook, status });
    const input = inputOf();
    const { data } = await site.mutate(name, { ...input, dryRun: true }, 'total totalCapped bulkOperation { id }');
    expect(data.result).toEqual({ total: 7, totalCapped: false, bulkOperation: null });
    expect(await operationsOf()).toBe(0);
    const daemon = site.startDaemon();
    const { operation } = await site.start(name, input);
    expect(await site.reaches(operation.id, 'COMPLETED')).toMatchObject({ total: 7, affected: 7, skipped: 0 });
    await daemon.stop();
  });

  test('is a search: a tenant holds two connections at most, and a count that takes too long is TIMED_OUT', async () => {
    const blocked = () => site.rows<{ pid: number }>(lockWaits);
    await transaction(site.api.services.db.pool, async (client) => {
      await client.query('lock table hookwright.deliveries in access exclusive mode');
      const counts = [1, 2, 3, 4].map(() =>
        site.mutate('cancelDeliveries', { filter: { webhookId }, dryRun: true }, 'total'),
      );
      await eventually(async () => (await blocked()).length === 2);
      expect(codesOf(await site.mutate('cancelDelivery', { id: '0' }, 'delivery { id }'))).toEqual(['NOT_FOUND']);
      const ended = Promise.all(counts);
      let isOver = false;
      ended.then(() => {
        isOver = true;
      });
      await eventually(async () => {
        for (const { pid } of await blocked()) {
          await site.rows(`select pg_cancel_backend(${pid})`); // as Postgres does after statement_timeout
        }
        return isOver;
      });
      expect((await ended).map(codesOf)).toEqual(counts.map(() => ['TIMED_OUT']));
    });
  });

  test('counts only what lies between since and until: from the first, and before the second', async () => {
    const [first, second, third] = await site.past(3, { webhookId: webhook });
    // Ids are times: moved apart, so that each has a millisecond of its own.
    const at = (id: number, ms: number) => (Math.floor(id / 4096) - ms) * 4096 + (id % 4096);
    const ids = [at(first!, 2_000), at(second!, 1_000), third!];
    await site.rows(`update hookwright.deliveries set id = ${ids[0]} where id = ${first}`);
    await site.rows(`update hookwright.deliveries set id = ${ids[1]} where id = ${second}`);
    const time = (id: number) => new Date(Date.UTC(2025, 0, 1) + Math.floor(id / 4096)).toISOString();
    const count = async (from: number, to: number) =>
      (await recover({ dryRun: true }, { since: time(from), until: time(to) })).total;
    expect(await count(ids[0]!, ids[1]!)).toBe(1);
    expect(await count(ids[0]!, ids[1]! + 4096)).toBe(2);
    expect(await count(ids[0]! + 4096, ids[2]! + 4096)).toBe(2);
    expect((await recover({ dryRun: true }, { since: time(ids[0]!), until: later })).total).toBe(3);
  });
});

describe('what is refused', () => {
  test.each([
    ['recoverWebhook', { filter: { since: later } }, 'filter.since'],
    ['recoverWebhook', { filter: { since, until: since } }, 'filter.until'],
    ['recoverWebhook', { filter: { since, outcomes: [] } }, 'filter.outcomes'],
    ['replayEvents', { filter: { since: later } }, 'filter.since'],
    ['replayEvents', { filter: { since, until: '2020-01-01T00:00:00+00:00' } }, 'filter.until'],
    ['replayEvents', { filter: { since, eventTypes: ['no.such'] } }, 'filter.eventTypes.0'],
    ['replayEvents', { filter: { since, eventTypes: ['*'] } }, 'filter.eventTypes'],
    ['replayEvents', { filter: { since, eventTypes: [] } }, 'filter.eventTypes'],
    ['cancelDeliveries', { filter: {} }, 'filter'],
    ['cancelDeliveries', { filter: { status: 'FAILED' } }, 'filter.status'],
    ['cancelDeliveries', { filter: { eventType: 'no.such' } }, 'filter.eventType'],
    ['cancelDeliveries', { filter: { since: later } }, 'filter.since'],
  ])('%s with %j: its %s', async (name, input, path) => {
    const forWebhook = { recoverWebhook: { id: webhookId }, replayEvents: { webhookId } }[name] ?? {};
    const { errors } = await mutate(name, { ...forWebhook, ...input });
    expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(errors[0].extensions.errors[0].path).toEqual(
      ['input', ...path.split('.')].map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
    );
    expect(await operationsOf()).toBe(0);
  });

  test('a replay of types that the webhook does not subscribe to, unless it is asked for', async () => {
    const id = await site.webhook(['booking.created']);
    const input = { webhookId: String(id), dryRun: true, filter: { since, eventTypes: ['coupon.applied'] } };
    const { errors } = await mutate('replayEvents', input);
    expect(errors[0].message).toMatch(/^input\.filter\.eventTypes: .*\(booking\.created\); `includeUnsubscribed`/);
    expect((await mutate('replayEvents', { ...input, includeUnsubscribed: true })).errors).toEqual([]);
  });

  test('an inactive webhook, except for canceling', async () => {
    await site.mutate('updateWebhook', { id: webhookId, active: false }, 'webhook { id }');
    for (const [name, input] of [
      ['recoverWebhook', { id: webhookId, filter: { since } }],
      ['recoverWebhook', { id: webhookId, filter: { since }, dryRun: true }],
      ['replayEvents', { webhookId, filter: { since } }],
    ] as const) {
      expectConflict(await mutate(name, input), 'webhook_inactive');
    }
    expect((await mutate('cancelDeliveries', { filter: { webhookId } })).errors).toEqual([]);
  });

  test('one more than may be open at once, also when one is resumed; another tenant has its own', async () => {
    const ids: string[] = [];
    for (let i = 0; i < BULK_OPERATIONS_MAX; i++) {
      ids.push((await recover()).operation.id);
    }
    const limit = 'bulk_operation_limit_reached';
    const input = { id: webhookId, filter: { since } };
    expectConflict(await mutate('recoverWebhook', input), limit);
    expect(codesOf(await mutate('recoverWebhook', { ...input, dryRun: true }))).toEqual([]);
    await mutate('cancelBulkOperation', { id: ids[0] });
    ids.push((await recover()).operation.id);
    expectConflict(await mutate('resumeBulkOperation', { id: ids[0] }), limit);
    const other = await makeTenant(site.api.services);
    expect(codesOf(await site.mutate('cancelDeliveries', { filter: { status: 'HELD' } }, 'total', other))).toEqual([]);
  });

  test('two that are started at the same moment as the last one that is allowed', async () => {
    for (let i = 1; i < BULK_OPERATIONS_MAX; i++) {
      await recover();
    }
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => mutate('recoverWebhook', { id: webhookId, filter: { since } })),
    );
    expect(answers.flatMap(codesOf)).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT']);
  });

  test.each(['0', 'x', '9007199254740993'])('%s as an id: it is unknown', async (id) => {
    expect(codesOf(await mutate('cancelBulkOperation', { id }))).toEqual(['NOT_FOUND']);
    expect(codesOf(await mutate('recoverWebhook', { id, filter: { since } }))).toEqual(['NOT_FOUND']);
    expect(codesOf(await site.ask(`{ bulkOperation(id: "${id}") { id } }`))).toEqual(['NOT_FOUND']);
  });
});

describe('a bulk operation', () => {
  test('shows what it is about, and is found by its state', async () => {
    const { operation } = await recover();
    expect(operation).toMatchObject({
      kind: 'RECOVER_WEBHOOK',
      status: 'RUNNING',
      filter: { webhookId, status: ['FAILED', 'HOLD_EXPIRED'], until: expect.stringMatching(/\+00:00$/) },
      total: 0,
      processed: 0,
      progress: 0,
      finishedAt: null,
      error: null,
      webhook: { id: webhookId },
    });
    const list = async (status: string) => {
      const query = `{ bulkOperations(first: 1, filter: {status: ${status}}) { edges { node { id } } } }`;
      return nodesOf(dataOf(await site.ask(query)).bulkOperations);
    };
    expect(await list('RUNNING')).toEqual([{ id: operation.id }]);
    expect(await list('FAILED')).toEqual([]);
  });

  test('is canceled and resumed: it stops, and then goes on where it stopped', async () => {
    await site.past(20, { webhookId: webhook });
    const { operation } = await recover();
    const canceled = await mutate('cancelBulkOperation', { id: operation.id });
    expect(canceled.data.result.bulkOperation).toMatchObject({ status: 'CANCELED', error: null });
    expectConflict(await mutate('cancelBulkOperation', { id: operation.id }), 'bulk_operation_finished');
    const daemon = site.startDaemon();
    // Its job is taken, and finds that nothing is to be done.
    await eventually(async () => (await countJobs(site, OF_BULK)) === 0, 20_000);
    expect(await site.statuses(`webhook_id = ${webhook}`)).toEqual({ FAILED: 20 });
    const resumed = await mutate('resumeBulkOperation', { id: operation.id });
    expect(resumed.data.result.bulkOperation).toMatchObject({ status: 'RUNNING' });
    expect(await site.reaches(operation.id, 'COMPLETED')).toMatchObject({ affected: 20 });
    expectConflict(await mutate('resumeBulkOperation', { id: operation.id }), 'bulk_operation_not_resumable');
    await daemon.stop();
  });

  test('is audited when it is started, canceled and resumed, and not for each delivery', async () => {
    const [deliveryId] = await site.past(1, { webhookId: webhook, status: "'HELD'" });
    const { operation } = await recover();
    await mutate('cancelBulkOperation', { id: operation.id });
    await mutate('resumeBulkOperation', { id: operation.id });
    await site.mutate('cancelDelivery', { id: String(deliveryId) }, 'delivery { id }');
    const log = await site.ask(
      '{ auditLog(first: 4) { edges { node { action targetType targetId before after requestId } } } }',
    );
    const onOperation = { targetType: 'BULK_OPERATION', targetId: operation.id, requestId: 'test' };
    expect(nodesOf(dataOf(log).auditLog)).toMatchObject([
      { action: 'DELIVERY_CANCELED', targetId: gid.delivery(deliveryId!), before: { status: 'HELD' } },
      { action: 'BULK_OPERATION_RESUMED', ...onOperation, before: { status: 'CANCELED' } },
      { action: 'BULK_OPERATION_CANCELED', ...onOperation, after: { status: 'CANCELED' } },
      { action: 'BULK_OPERATION_STARTED', ...onOperation, after: { kind: 'RECOVER_WEBHOOK', webhookId, count: 0 } },
    ]);
  });
});

describe('cancelDelivery', () => {
  test.each(['PENDING', 'HELD'])('cancels one that is %s', async (status) => {
    const [id] = await site.past(1, { webhookId: webhook, status: `'${status}'` });
    const selection = 'delivery { id status cancelReason finishedAt nextAttemptAt }';
    const { result } = dataOf(await site.mutate('cancelDelivery', { id: String(id) }, selection));
    expect(result.delivery).toEqual({
      id: gid.delivery(id!),
      status: 'CANCELED',
      cancelReason: 'BY_USER',
      finishedAt: expect.any(String),
      nextAttemptAt: null,
    });
  });

  test.each(['SUCCEEDED', 'FAILED', 'CANCELED'])('is a conflict when it has %s', async (status) => {
    const [id] = await site.past(1, { webhookId: webhook, status: `'${status}'` });
    expectConflict(await site.mutate('cancelDelivery', { id: String(id) }, 'delivery { id }'), 'delivery_finished');
  });
});
