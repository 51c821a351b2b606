import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Daemon } from '../../daemon/daemon.js';
import { attemptNow } from '../../src/operations/deliveries/attempt-now.js';
import { cancelDelivery } from '../../src/operations/deliveries/cancel-delivery.js';
import { redeliver } from '../../src/operations/deliveries/redeliver.js';
import { type UnblockAction, unblockKey } from '../../src/operations/deliveries/unblock-key.js';
import { wakeLeftTurns } from '../../src/operations/ordering/left-turns.js';
import { readOrderingKeys } from '../../src/operations/ordering/read-keys.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { releaseHeld } from '../../src/operations/webhooks/release-held.js';
import type { WebhookChange } from '../../src/operations/webhooks/update-webhook.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { couponEmit } from '../support/factories.js';
import { countJobs } from '../support/jobs.js';
import { lockRow, openTransaction } from '../support/locks.js';
import { operationalEvents, passMinute, receivedOf } from '../support/operational-news.js';
import { OutboxApplication } from '../support/outbox-application.js';
import { type Answer, answer, holdAnswers } from '../support/receiver.js';

let stack: DeliveryStack;
let daemon: Daemon | undefined;

beforeAll(async () => {
  stack = await DeliveryStack.open({ MAX_RETRIES: '1' });
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
});
/** Each test begins with nothing of the earlier ones. */
afterEach(async () => {
  await daemon?.stop();
  daemon = undefined;
  await stack.clear();
});
const startDaemon = () => {
  daemon = stack.startDaemon();
};

/** An endpoint that is ordered so. */
async function ordered(change: WebhookChange, respond = answer(200)): Promise<Endpoint> {
  const endpoint = await stack.endpoint(respond);
  await stack.change(endpoint.webhookId, { by: 'KEY', ...change });
  return endpoint;
}

/** Emits an event for each name; the letter before its number is the key. @returns the ids of the events */
async function emit(...names: string[]): Promise<number[]> {
  const items = names.map((name) => {
    const body = JSON.stringify({ code: name, discount_type: 'x' });
    return couponEmit(stack.tenantId, { body, orderingKey: name.startsWith('-') ? null : name[0]! });
  });
  const results = await stack.services.emitter.emit(items);
  return results.map((result) => (result.refused === null ? result.eventId : Number.NaN));
}

/** Fails for this event alone. */
const failing =
  (name: string): Answer =>
  ({ body }, response) => {
    response.writeHead(body.includes(name) ? 500 : 200).end();
  };
const codes = ({ received }: Endpoint) => received.map(({ body }) => JSON.parse(body.toString()).code as string);
const states = async () => (await stack.deliveries()).map(({ status }) => status);
const tableRows = () =>
  stack.rows('select from hookwright.ordering_queue union all select from hookwright.ordering_keys');
const all = (status: string) => eventually(async () => (await states()).every((one) => one === status));
const idOf = async (event: number) => (await stack.delivery(event)).id;
const me = commandLine;

/** The outcome of an attempt. */
const end = async (event: number, status: string) =>
  stack.rows(`
    with ended as (
      update hookwright.deliveries set status = '${status}', finished_at = now() where event_id = ${event}
      returning id, tenant_id)
    select hookwright.end_turns(array[tenant_id], array[id]) from ended`);

describe('deliveries of a key', () => {
  test('go one after the other, and each waits for the retries of those before', async () => {
    const endpoint = await ordered({});
    let failures = 1;
    endpoint.answerWith(({ body }, response) => {
      const fails = body.includes('a1') && failures-- > 0;
      response.writeHead(fails ? 500 : 200).end();
    });
    await emit('a1', 'a2', 'b1', '-1', 'a3');
    expect(await states()).toEqual(['PENDING', 'WAITING', 'PENDING', 'PENDING', 'WAITING']);
    startDaemon();
    await all('SUCCEEDED');
    expect(codes(endpoint).filter((code) => code.startsWith('a'))).toEqual(['a1', 'a1', 'a2', 'a3']);
    expect(await tableRows()).toEqual([]);
  });

  test('go on after one has failed for good', async () => {
    const endpoint = await ordered({}, failing('a1'));
    await emit('a1', 'a2');
    startDaemon();
    await eventually(async () => (await states()).join() === 'FAILED,SUCCEEDED');
    expect(codes(endpoint)).toEqual(['a1', 'a1', 'a2']);
  });

  test('have their key in the payload, or the whole endpoint for one', async () => {
    await ordered({ keyPath: 'code' });
    await emit('-1', '-1', '-2', 'a1');
    expect(await states()).toEqual(['PENDING', 'WAITING', 'PENDING', 'PENDING']);
    const keys = await stack.rows<{ key: string }>('select key from hookwright.ordering_keys order by key');
    expect(keys.map(({ key }) => key)).toEqual(['-1', '-2', 'a']);
    const whole = await stack.endpoint();
    await stack.change(whole.webhookId, { by: 'ENDPOINT' });
    await emit('-1', 'b1');
    const rows = await stack.deliveries(`webhook_id = ${whole.webhookId}`);
    expect(rows.map(({ status }) => status)).toEqual(['PENDING', 'WAITING']);
  });

  test('stand in the order of commits', async () => {
    await using application = await OutboxApplication.open(stack);
    const endpoint = await ordered({});
    startDaemon();
    const emitOne = `select * from hookwright.emit($1, 'coupon.applied', $2, ordering_key => 'a')`;
    const body = (code: string) => JSON.stringify({ code, discount_type: 'x' });
    let fromApi: Promise<number[]> | undefined;
    await application.transaction(async (client) => {
      await client.query(emitOne, [stack.tenantId, body('a1')]);
      fromApi = emit('a2');
      await client.query('select pg_sleep(0.2)');
      await client.query(emitOne, [stack.tenantId, body('a3')]);
    });
    await fromApi;
    await all('SUCCEEDED');
    expect(codes(endpoint)).toEqual(['a1', 'a3', 'a2']);
  });

  test('end and wake others while an application has the key', async () => {
    await using application = await OutboxApplication.open(stack);
    const endpoint = await ordered({});
    startDaemon();
    const emitOne = `select * from hookwright.emit($1, 'coupon.applied', $2, ordering_key => 'a')`;
    const held = await application.transaction(async (client) => {
      await emit('a1', 'a2', 'a3');
      await client.query(emitOne, [stack.tenantId, JSON.stringify({ code: 'a4', discount_type: 'x' })]);
      await emit('b1');
      // All that is committed is sent meanwhile, and nothing waits for the application.
      return await eventually(async () => (await stack.deliveries("status = 'SUCCEEDED'")).length === 4 && Date.now());
    });
    const last = await eventually(async () => {
      const rows = await stack.deliveries("status = 'SUCCEEDED' and ordering_key = 'a'");
      return rows.length === 4 && rows.at(-1);
    });
    expect(codes(endpoint).filter((code) => code.startsWith('a'))).toEqual(['a1', 'a2', 'a3', 'a4']);
    expect(last.finished_at!.getTime()).toBeGreaterThanOrEqual(held);
    await eventually(async () => (await tableRows()).length === 0);
  });

  test('have one job that looks at their keys, however many an application has', async () => {
    await using application = await OutboxApplication.open(stack);
    await ordered({});
    const names = [...'abcdefghij'];
    await emit(...names);
    startDaemon();
    const jobsOfKeys = () => countJobs(stack, "key like 'o:%'");
    await application.transaction(async (client) => {
      await client.query(
        `select hookwright.emit($1, 'coupon.applied', '{"code":"x","discount_type":"x"}', ordering_key => name)
         from unnest($2::text[]) name`,
        [stack.tenantId, names],
      );
      await stack.succeeded(names.length);
      await eventually(async () => (await jobsOfKeys()) === 1);
    });
    await all('SUCCEEDED');
    await eventually(async () => (await tableRows()).length === 0 && (await jobsOfKeys()) === 0);
  });

  test('leave the lock_timeout of a caller that the service trusts as it is', async () => {
    await ordered({});
    await using session = await openTransaction(
      stack.databaseUrl,
      `select hookwright.emit(${stack.tenantId}, 'coupon.applied', '{}', ordering_key => 'a', schema_checked => true)`,
    );
    expect((await session.session.query('show lock_timeout')).rows).toEqual([{ lock_timeout: '0' }]);
  });

  test('are woken by a sweep where an older process has recorded the end of one', async () => {
    await ordered({});
    const [first] = await emit('a1', 'a2');
    await stack.rows(`update hookwright.deliveries set status = 'SUCCEEDED', finished_at = now()
                      where id = ${await idOf(first!)}`);
    expect(await wakeLeftTurns(stack.services.db.pool)).toBe(1);
    expect(await states()).toEqual(['SUCCEEDED', 'PENDING']);
    expect(await wakeLeftTurns(stack.services.db.pool)).toBe(0);
  });

  test('are looked at part by part where there are many keys, and at once while some were not woken', async () => {
    await ordered({});
    await stack.services.emitter.emit(
      Array.from({ length: 450 }, (_, index) => couponEmit(stack.tenantId, { orderingKey: `key ${100 + index}` })),
    );
    const wake = async (keys: string) => {
      await stack.rows(
        `update hookwright.deliveries set status = 'SUCCEEDED', finished_at = now() where ordering_key ${keys}`,
      );
      const cursor: Parameters<typeof wakeLeftTurns>[1] = {};
      const woken = [await wakeLeftTurns(stack.services.db.pool, cursor)];
      while (cursor.after !== undefined) {
        woken.push(await wakeLeftTurns(stack.services.db.pool, cursor));
      }
      return woken;
    };
    expect(await wake(`= 'x'`)).toEqual([0, 0, 0]);
    expect(await wake(`in (select max(key) from hookwright.ordering_keys)`)).toEqual([0, 0, 1]);
    expect(await wake(`is not null`)).toEqual([449]);
  });
});

describe('what people do with deliveries of a key', () => {
  test('cancels one that waits, or the first, and the next goes', async () => {
    const endpoint = await ordered({});
    const ids = await emit('a1', 'a2', 'a3', 'a4');
    await cancelDelivery(stack.services.db, stack.tenantId, await idOf(ids[1]!), me);
    expect(await states()).toEqual(['PENDING', 'CANCELED', 'WAITING', 'WAITING']);
    await cancelDelivery(stack.services.db, stack.tenantId, await idOf(ids[0]!), me);
    expect(await states()).toEqual(['CANCELED', 'CANCELED', 'PENDING', 'WAITING']);
    startDaemon();
    await eventually(async () => (await tableRows()).length === 0);
    expect(codes(endpoint)).toEqual(['a3', 'a4']);
  });

  test('sends one again at the end', async () => {
    const endpoint = await ordered({});
    const [first] = await emit('a1');
    startDaemon();
    await stack.reaches(first!, 'SUCCEEDED');
    endpoint.answerWith((_, response) => setTimeout(() => response.writeHead(200).end(), 100));
    await emit('a2', 'a3');
    await redeliver(stack.services.db, stack.tenantId, await idOf(first!), me);
    await all('SUCCEEDED');
    expect(codes(endpoint)).toEqual(['a1', 'a2', 'a3', 'a1']);
  });

  test('attempts only the first of them', async () => {
    await ordered({});
    const ids = await emit('a1', 'a2');
    const [first, second] = await Promise.all(ids.map(idOf));
    await expect(attemptNow(stack.services.db, stack.tenantId, [second!], me)).rejects.toMatchObject({
      reason: 'ordering_waits',
      detail: expect.stringContaining(String(first)),
    });
  });

  test('pauses the webhook: the first is held, and the others follow when it is enabled', async () => {
    const endpoint = await ordered({});
    await emit('a1', 'a2');
    await stack.change(endpoint.webhookId, { active: false });
    await stack.align(endpoint.webhookId);
    await emit('a3', 'b1');
    expect(await states()).toEqual(['HELD', 'WAITING', 'WAITING', 'HELD']);
    startDaemon();
    await stack.change(endpoint.webhookId, { active: true });
    await all('SUCCEEDED');
    expect(codes(endpoint).filter((code) => code.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
  });

  test.each([
    ['discards what is held', { active: true, held: 'DISCARD' }, 'DISCARDED'],
    ['deletes the webhook', null, 'WEBHOOK_DELETED'],
  ] as const)('%s, with all that waits', async (_, change, reason) => {
    const endpoint = await ordered({});
    await emit('a1', 'a2', 'b1');
    await stack.change(endpoint.webhookId, { active: false });
    await stack.align(endpoint.webhookId);
    await (change === null
      ? deleteWebhook(stack.services.db, stack.tenantId, endpoint.webhookId, me)
      : stack.change(endpoint.webhookId, change));
    await stack.align(endpoint.webhookId);
    expect((await stack.deliveries()).map(({ cancel_reason }) => cancel_reason)).toEqual([reason, reason, reason]);
    expect(await tableRows()).toEqual([]);
  });

  test('keeps what is held: what waits for it is neither sent when it is canceled nor when it succeeds', async () => {
    const endpoint = await ordered({});
    const [a1, , b1] = await emit('a1', 'a2', 'b1', 'b2');
    await stack.change(endpoint.webhookId, { active: false });
    await stack.change(endpoint.webhookId, { active: true, held: 'KEEP' });
    await stack.align(endpoint.webhookId);
    await emit('c1', 'c2');
    await cancelDelivery(stack.services.db, stack.tenantId, await idOf(a1!), me);
    await end(b1!, 'SUCCEEDED');
    startDaemon();
    await eventually(async () => (await states()).join() === 'CANCELED,HELD,SUCCEEDED,HELD,SUCCEEDED,SUCCEEDED');
    await releaseHeld(stack.services.db, stack.tenantId, endpoint.webhookId, me);
    await eventually(async () => (await tableRows()).length === 0);
    expect(codes(endpoint).toSorted()).toEqual(['a2', 'b2', 'c1', 'c2']);
  });

  test('discards what was open, though the first one ends before that is done', async () => {
    const { webhookId } = await ordered({});
    const [first] = await emit('a1', 'a2', 'a3');
    await stack.change(webhookId, { active: false });
    await stack.change(webhookId, { active: true, held: 'DISCARD' });
    await end(first!, 'SUCCEEDED');
    await stack.align(webhookId);
    expect(await states()).toEqual(['SUCCEEDED', 'CANCELED', 'CANCELED']);
    expect(await tableRows()).toEqual([]);
  });

  test('cancels one in flight and sends it again: its first request is recorded while it waits', async () => {
    const endpoint = await ordered({});
    const first = holdAnswers(endpoint, answer(200));
    const [a1] = await emit('a1', 'a2');
    startDaemon();
    const letFirstGo = await first();
    const second = holdAnswers(endpoint, answer(200));
    await cancelDelivery(stack.services.db, stack.tenantId, await idOf(a1!), me);
    const letSecondGo = await second();
    await redeliver(stack.services.db, stack.tenantId, await idOf(a1!), me);
    letFirstGo();
    await eventually(async () => (await stack.delivery(a1!)).attempt_count === 1);
    expect(await states()).toEqual(['WAITING', 'PENDING']);
    endpoint.answerWith(answer(200));
    letSecondGo();
    await all('SUCCEEDED');
    expect(codes(endpoint)).toEqual(['a1', 'a2', 'a1']);
  });

  test('gives the order up: what waits is sent', async () => {
    const endpoint = await ordered({});
    await emit('a1', 'a2', 'a3');
    await stack.change(endpoint.webhookId, { by: 'NONE' });
    await stack.align(endpoint.webhookId);
    expect(await states()).toEqual(['PENDING', 'PENDING', 'PENDING']);
    startDaemon();
    await all('SUCCEEDED');
    expect(await tableRows()).toEqual([]);
  });
});

describe('a webhook that blocks keys', () => {
  const unblock = (webhookId: number, action: UnblockAction) =>
    unblockKey(stack.services.db, stack.tenantId, { webhookId, key: 'a' }, action, me);

  /** One whose key `a` is blocked, while two deliveries wait. */
  async function blocked(): Promise<Endpoint> {
    const endpoint = await ordered({ onFailure: 'BLOCK' }, failing('a1'));
    await emit('a1', 'a2', 'a3', 'b1');
    startDaemon();
    await eventually(async () => (await states()).join() === 'FAILED,WAITING,WAITING,SUCCEEDED');
    endpoint.answerWith(answer(200));
    return endpoint;
  }

  test('stops only the key of a failed delivery, which can be sent again in its place', async () => {
    const { webhookId } = await blocked();
    await emit('a4');
    expect(await wakeLeftTurns(stack.services.db.pool)).toBe(0);
    const read = (only: boolean) =>
      readOrderingKeys(stack.services.db, stack.tenantId, webhookId, { first: 10, blocked: only });
    expect(await read(true)).toEqual([expect.objectContaining({ key: 'a', waiting: 3, blockedAt: expect.any(Date) })]);
    await unblock(webhookId, 'RETRY');
    await all('SUCCEEDED');
    expect(await read(false)).toEqual([]);
  });

  test('is unblocked once: what is sent again is not skipped by somebody who saw it blocked', async () => {
    await blocked();
    await daemon!.stop();
    const [{ id } = { id: 0 }] = await stack.deliveries(`status = 'FAILED'`);
    await redeliver(stack.services.db, stack.tenantId, id, me);
    const skip = `select hookwright.skip_turn(${stack.tenantId}, ${id}) as skipped`;
    expect(await stack.rows(skip)).toEqual([{ skipped: false }]);
    expect(await states()).toEqual(['PENDING', 'WAITING', 'WAITING', 'SUCCEEDED']);
  });

  test.each([
    ['gives the order up', { by: 'NONE' }, ['FAILED', 'PENDING', 'PENDING', 'SUCCEEDED']],
    ['is deleted', null, ['FAILED', 'CANCELED', 'CANCELED', 'SUCCEEDED']],
  ] as const)('leaves no key when it %s', async (_, change, after) => {
    const { webhookId } = await blocked();
    await daemon!.stop();
    await (change === null
      ? deleteWebhook(stack.services.db, stack.tenantId, webhookId, me)
      : stack.change(webhookId, change));
    await stack.align(webhookId);
    expect(await states()).toEqual(after);
    expect(await tableRows()).toEqual([]);
  });

  test('raises webhook.key_blocked each time that it blocks one, and not where the order goes on', async () => {
    const watching = await stack.endpoint(answer(200), ['webhook.key_blocked']);
    const goesOn = await ordered({}, failing('a1'));
    const { webhookId, url } = await ordered({ onFailure: 'BLOCK' }, failing('a1'));
    const [eventId] = await emit('a1', 'a2', 'a3');
    startDaemon();
    const raised = (index: number) =>
      eventually(() => JSON.parse(receivedOf(watching, 'webhook.key_blocked')[index]!.body.toString()));
    const [head] = await stack.deliveries(`webhook_id = ${webhookId} and event_id = ${eventId}`);
    expect(await raised(0)).toEqual({
      webhook_id: `${webhookId}`,
      origin: new URL(url).origin,
      name: '',
      key: 'a',
      delivery_id: `${head!.id}`,
      event_id: `${eventId}`,
      event_type: 'coupon.applied',
      last_error: 'HTTP_500',
      waiting: '2',
      blocked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
      count: '1',
    });
    await passMinute(stack);
    await emit('a4');
    await unblock(webhookId, 'RETRY');
    expect(await raised(1)).toMatchObject({ delivery_id: `${head!.id}`, waiting: '3', count: '1' });
    await eventually(() => codes(goesOn).includes('a4'));
    const events = await operationalEvents(stack, 'webhook.key_blocked');
    expect(events.filter(({ payload }) => payload['webhook_id'] === `${goesOn.webhookId}`)).toEqual([]);
  });

  test.each([
    ['SKIP', 'FAILED,SUCCEEDED,SUCCEEDED,SUCCEEDED'],
    ['CANCEL_ALL', 'FAILED,CANCELED,CANCELED,SUCCEEDED'],
  ] as const)('goes on by %s', async (action, after) => {
    const { webhookId } = await blocked();
    await unblock(webhookId, action);
    await eventually(async () => (await states()).join() === after);
    await eventually(async () => (await tableRows()).length === 0);
    await expect(unblock(webhookId, action)).rejects.toMatchObject({ reason: 'key_not_blocked' });
  });
});

describe('a webhook that keeps the latest', () => {
  test('cancels what waits when something newer comes', async () => {
    const endpoint = await ordered({ keep: 'LATEST' });
    await emit('a1', 'a2', 'b1');
    await emit('a3', 'a4');
    expect((await stack.deliveries()).map(({ status, cancel_reason }) => cancel_reason ?? status)).toEqual([
      ...['PENDING', 'SUPERSEDED', 'PENDING', 'SUPERSEDED', 'WAITING'],
    ]);
    startDaemon();
    await eventually(async () => (await tableRows()).length === 0);
    expect(codes(endpoint).filter((code) => code.startsWith('a'))).toEqual(['a1', 'a4']);
  });

  /** Paused, as the daemon leaves it. */
  const pause = async ({ webhookId }: Endpoint) => {
    await stack.change(webhookId, { active: false });
    await stack.align(webhookId);
  };
  const reasons = async () =>
    (await stack.deliveries()).map(({ status, cancel_reason }) => cancel_reason ?? status).join();

  test('keeps it over a pause as well: the older ones of each key are never sent', async () => {
    const endpoint = await ordered({ keep: 'LATEST' });
    startDaemon();
    await pause(endpoint);
    await emit('a0', 'b0', '-1');
    await emit('a1');
    await emit('a2', 'a3');
    expect(await reasons()).toBe('SUPERSEDED,HELD,HELD,SUPERSEDED,SUPERSEDED,HELD');
    await stack.change(endpoint.webhookId, { active: true });
    await eventually(async () => (await tableRows()).length === 0);
    await eventually(async () => codes(endpoint).length === 3);
    expect(codes(endpoint).toSorted()).toEqual(['-1', 'a3', 'b0']);
  });

  test('sends one that was attempted before it was held, and then the latest', async () => {
    const endpoint = await ordered({ keep: 'LATEST', retryDelaysSeconds: [3_600] }, answer(500));
    startDaemon();
    const [a0] = await emit('a0');
    await eventually(async () => (await stack.delivery(a0!)).attempt_count === 1);
    await pause(endpoint);
    await emit('a1');
    await emit('a2');
    expect(await reasons()).toBe('HELD,SUPERSEDED,WAITING');
    endpoint.answerWith(answer(200));
    await stack.rows(`update hookwright.deliveries set due_at = now() where event_id = ${a0}`); // an hour later
    await stack.change(endpoint.webhookId, { active: true });
    await eventually(async () => (await tableRows()).length === 0);
    expect(codes(endpoint)).toEqual(['a0', 'a0', 'a2']);
  });

  test('has one key for the whole endpoint, and shortens what was held before it kept the latest', async () => {
    const endpoint = await ordered({ by: 'ENDPOINT' });
    await pause(endpoint);
    await emit('a0', 'b0', 'a1');
    await stack.change(endpoint.webhookId, { keep: 'LATEST' });
    await emit('b1');
    expect(await reasons()).toBe('SUPERSEDED,SUPERSEDED,SUPERSEDED,HELD');
    startDaemon();
    await stack.change(endpoint.webhookId, { active: true });
    await eventually(async () => (await tableRows()).length === 0);
    expect(codes(endpoint)).toEqual(['b1']);
  });

  test('sends a newer one at once where held ones are kept, and what is held of other keys when it is released', async () => {
    const endpoint = await ordered({ keep: 'LATEST' });
    await pause(endpoint);
    await emit('a0', 'b0');
    await stack.change(endpoint.webhookId, { active: true, held: 'KEEP' });
    startDaemon();
    await emit('a1');
    await eventually(async () => (await reasons()) === 'SUPERSEDED,HELD,SUCCEEDED');
    await releaseHeld(stack.services.db, stack.tenantId, endpoint.webhookId, me);
    await eventually(async () => (await tableRows()).length === 0);
    expect(codes(endpoint)).toEqual(['a1', 'b0']);
  });

  test('discards the latest with all that is held', async () => {
    const endpoint = await ordered({ keep: 'LATEST' });
    await pause(endpoint);
    await emit('a0', 'a1');
    await stack.change(endpoint.webhookId, { active: true, held: 'DISCARD' });
    await emit('a2');
    await stack.align(endpoint.webhookId);
    expect(await reasons()).toBe('SUPERSEDED,SUPERSEDED,PENDING');
    startDaemon();
    await eventually(async () => (await tableRows()).length === 0);
    expect(codes(endpoint)).toEqual(['a2']);
  });

  test('keeps a failed delivery that blocks its key', async () => {
    const endpoint = await ordered({ keep: 'LATEST', onFailure: 'BLOCK' }, answer(500));
    startDaemon();
    const [a0] = await emit('a0');
    await stack.reaches(a0!, 'FAILED');
    await pause(endpoint);
    await emit('a1');
    await emit('a2');
    expect(await reasons()).toBe('FAILED,SUPERSEDED,WAITING');
  });

  test('does not wait for what is held and locked by others: the next event takes its place', async () => {
    const endpoint = await ordered({ keep: 'LATEST' });
    await pause(endpoint);
    const [a0] = await emit('a0');
    await using other = await lockRow(stack.databaseUrl, 'deliveries', await idOf(a0!));
    await emit('a1');
    expect(await reasons()).toBe('HELD,WAITING');
    await other.letGo();
    await emit('a2');
    expect(await reasons()).toBe('SUPERSEDED,SUPERSEDED,HELD');
  });

  test('shortens a long queue from before with each emit', async () => {
    const { webhookId } = await ordered({});
    await emit(...Array.from({ length: 1_100 }, () => 'a'));
    await stack.change(webhookId, { keep: 'LATEST' });
    await emit('a');
    expect((await states()).filter((status) => status === 'WAITING')).toHaveLength(101);
    await emit('a');
    expect((await states()).filter((status) => status === 'WAITING')).toHaveLength(1);
  });
});
