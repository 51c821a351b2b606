import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Daemon } from '../../daemon/daemon.js';
import { loadDeliveries } from '../../src/operations/attempts/load-deliveries.js';
import { turnAwayDeliveries } from '../../src/operations/attempts/turn-away-deliveries.js';
import { applyChunk } from '../../src/operations/bulk/bulk-changes.js';
import { attemptNow } from '../../src/operations/deliveries/attempt-now.js';
import { cancelDelivery } from '../../src/operations/deliveries/cancel-delivery.js';
import { redeliver } from '../../src/operations/deliveries/redeliver.js';
import { scheduleDeliveries } from '../../src/operations/deliveries/schedule-deliveries.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import type { WebhookChange } from '../../src/operations/webhooks/update-webhook.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { couponEmit } from '../support/factories.js';
import { jobsIn } from '../support/jobs.js';
import { OutboxApplication } from '../support/outbox-application.js';
import { answer, holdAnswers } from '../support/receiver.js';

/** Deliveries that wait until their key is quiet (docs/ordering.md, docs/decisions/0093). */

let stack: DeliveryStack;
let daemon: Daemon | undefined;

beforeAll(async () => {
  stack = await DeliveryStack.open({ MAX_RETRIES: '1' });
});
afterAll(() => stack[Symbol.asyncDispose]());
/** Each test begins with nothing of the earlier ones. */
afterEach(async () => {
  await daemon?.stop();
  daemon = undefined;
  await stack.clear();
});
const startDaemon = () => {
  daemon = stack.startDaemon();
};

const SETTLE_MS = 500;
/** Longer than any test. */
const LONG = 1_000;
/** Postgres and this process have the same clock, but not the same moment. */
const SLACK_MS = 20;

async function settling(change: WebhookChange = {}, respond = answer(200)): Promise<Endpoint> {
  const endpoint = await stack.endpoint(respond);
  await stack.change(endpoint.webhookId, { by: 'KEY', keep: 'LATEST', settleSeconds: SETTLE_MS / 1_000, ...change });
  return endpoint;
}

/** Emits in one call; the letter before a name's number is its key. @returns the ids of the events */
async function emit(...names: string[]): Promise<number[]> {
  const items = names.map((name) =>
    couponEmit(stack.tenantId, { body: JSON.stringify({ code: name, discount_type: 'x' }), orderingKey: name[0]! }),
  );
  const results = await stack.services.emitter.emit(items);
  return results.map((result) => (result.refused === null ? result.eventId : Number.NaN));
}
const codes = ({ received }: Endpoint) => received.map(({ body }) => JSON.parse(body.toString()).code as string);
const states = async () => (await stack.deliveries()).map(({ status }) => status);
const isEmpty = async () =>
  (await stack.rows('select from hookwright.ordering_queue union all select from hookwright.ordering_keys')).length ===
  0;
const succeeded = () =>
  eventually(async () => (await isEmpty()) && (await states()).every((one) => ['SUCCEEDED', 'CANCELED'].includes(one)));
const idOf = async (event: number) => (await stack.delivery(event)).id;
const pool = () => stack.services.db.pool;
const makeDue = () => stack.rows(`update hookwright.deliveries set due_at = now() where status = 'PENDING'`);
const body = (code: string) => JSON.stringify({ code, discount_type: 'x' });
const emitByDoor = `select * from hookwright.emit($1, 'coupon.applied', $2, ordering_key => 'a')`;

describe('a key that settles', () => {
  test('sends the last event of a burst alone, once it has been quiet', async () => {
    const endpoint = await settling();
    startDaemon();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) {
      await emit(name);
    }
    const lastAt = Date.now();
    await succeeded();
    expect(codes(endpoint)).toEqual(['a5']);
    const waited = endpoint.received[0]!.at.getTime() - lastAt;
    expect(waited).toBeGreaterThan(SETTLE_MS - 100);
    const rows = await stack.rows<{ reason: string; by: string | null; id: string }>(
      `select cancel_reason as reason, superseded_by as by, id from hookwright.deliveries order by id`,
    );
    expect(rows.map(({ reason }) => reason)).toEqual([...Array(4).fill('SUPERSEDED'), null]);
    expect(rows.map(({ by }) => by)).toEqual([...rows.slice(1).map(({ id }) => id), null]);
  });

  test('sends three of nine events of three keys in one batch', async () => {
    const endpoint = await settling();
    await emit('a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3');
    startDaemon();
    await succeeded();
    expect(codes(endpoint).toSorted()).toEqual(['a3', 'b3', 'c3']);
  });

  test('is sent at its maximum if it is never quiet', async () => {
    const endpoint = await settling({ settleMaxSeconds: 1 });
    startDaemon();
    const beganAt = Date.now();
    let number = 0;
    await eventually(async () => {
      number += 1;
      await emit(`a${number}`);
      return endpoint.received.length > 0;
    });
    const waited = endpoint.received[0]!.at.getTime() - beganAt;
    expect(waited).toBeGreaterThan(1_000 - SLACK_MS);
    expect(waited).toBeLessThan(3_000); // a second, on a machine that does nothing else
    await succeeded();
    expect(codes(endpoint).at(-1)).toBe(`a${number}`);
  });

  test('takes what comes while a request is in flight as a new beginning', async () => {
    const endpoint = await settling();
    startDaemon();
    const first = holdAnswers(endpoint, answer(200));
    await emit('a1');
    const letGo = await first();
    await emit('a2', 'a3');
    expect(await states()).toEqual(['PENDING', 'CANCELED', 'WAITING']);
    endpoint.answerWith(answer(200));
    const endedAt = Date.now();
    letGo();
    await eventually(async () => (await states()).join() === 'SUCCEEDED,CANCELED,PENDING');
    await emit('a4');
    await succeeded();
    expect(codes(endpoint)).toEqual(['a1', 'a4']);
    expect(endpoint.received[1]!.at.getTime() - endedAt).toBeGreaterThan(SETTLE_MS - SLACK_MS);
  });

  test('does not settle before a retry, for which newer events wait', async () => {
    let failures = 1;
    const endpoint = await settling({}, (_, response) => {
      response.writeHead(failures-- > 0 ? 500 : 200).end();
    });
    startDaemon();
    const [first] = await emit('a1');
    await eventually(() => endpoint.received.length === 1);
    const { due_at } = await eventually(async () => {
      const row = await stack.delivery(first!);
      return row.attempt_count > 0 && row;
    });
    expect(due_at.getTime() - endpoint.received[0]!.at.getTime()).toBeLessThan(SETTLE_MS);
    await succeeded();
    expect(codes(endpoint)).toEqual(['a1', 'a1']);
  });

  test('is asked for at once by attemptNow, and not replaced after that', async () => {
    const endpoint = await settling({ settleSeconds: LONG });
    const [first] = await emit('a1');
    await attemptNow(stack.services.db, stack.tenantId, [await idOf(first!)], commandLine);
    await emit('a2');
    expect(await states()).toEqual(['PENDING', 'WAITING']);
    startDaemon();
    await stack.reaches(first!, 'SUCCEEDED');
    expect(codes(endpoint)).toEqual(['a1']);
  });

  test('sends what is redelivered at once', async () => {
    const endpoint = await settling({ settleSeconds: LONG });
    const [first, second] = await emit('a1', 'a2');
    await cancelDelivery(stack.services.db, stack.tenantId, await idOf(second!), commandLine);
    startDaemon();
    await redeliver(stack.services.db, stack.tenantId, await idOf(first!), commandLine);
    await stack.reaches(first!, 'SUCCEEDED');
    expect(codes(endpoint)).toEqual(['a1']);
  });

  test('sends what is replayed at once', async () => {
    const endpoint = await settling({ settleSeconds: LONG });
    const [first] = await emit('a1');
    await cancelDelivery(stack.services.db, stack.tenantId, await idOf(first!), commandLine);
    const replay = { kind: 'REPLAY_EVENTS', webhookId: endpoint.webhookId, filter: {} } as const;
    const client = await pool().connect();
    const made = await applyChunk(client, stack.tenantId, replay, [first!, first!]);
    client.release();
    expect(made).toHaveLength(1);
    startDaemon();
    await eventually(() => endpoint.received.length === 1);
    await succeeded();
  });

  test('is held while its webhook is paused, and settles again when it is enabled', async () => {
    const endpoint = await settling();
    await emit('a1', 'b1');
    await stack.change(endpoint.webhookId, { active: false });
    await stack.align(endpoint.webhookId);
    await emit('a2');
    expect(await states()).toEqual(['CANCELED', 'HELD', 'HELD']);
    startDaemon();
    const enabledAt = Date.now();
    await stack.change(endpoint.webhookId, { active: true });
    await succeeded();
    expect(codes(endpoint).toSorted()).toEqual(['a2', 'b1']);
    for (const { at } of endpoint.received) {
      expect(at.getTime() - enabledAt).toBeGreaterThan(SETTLE_MS - SLACK_MS);
    }
  });

  test('has no job before a minute is left; a sweep makes it', async () => {
    await settling({ settleSeconds: LONG, settleMaxSeconds: LONG });
    const [first] = await emit('a1');
    const jobs = async () => (await jobsIn(pool())).filter(({ key }) => key?.startsWith('d:'));
    expect(await jobs()).toEqual([]);
    expect(await scheduleDeliveries(pool())).toBe(0);
    await stack.rows(`update hookwright.deliveries set due_at = now() + interval '15 seconds'`);
    expect(await scheduleDeliveries(pool())).toBe(1);
    expect(await jobs()).toMatchObject([{ key: `d:${await idOf(first!)}` }]);
    await emit('a2');
    expect(await jobs()).toEqual([]);
  });

  test('leaves a job that comes before its time to the sweep', async () => {
    await settling({ settleSeconds: LONG });
    const [first] = await emit('a1');
    const id = await idOf(first!);
    expect(await loadDeliveries(pool(), [{ id, attempt: 1 }])).toEqual(['NOT_YET']);
    await turnAwayDeliveries(pool(), [{ id, priority: 0 }]);
    expect((await jobsIn(pool())).filter(({ key }) => key === `d:${id}`)).toEqual([]);
  });

  test('is left alone where its webhook does not settle any more', async () => {
    const endpoint = await settling();
    await emit('a1');
    await stack.change(endpoint.webhookId, { settleSeconds: null });
    await emit('a2');
    expect(await states()).toEqual(['PENDING', 'WAITING']);
    startDaemon();
    await succeeded();
    expect(codes(endpoint)).toEqual(['a1', 'a2']);
  });
});

describe('an application that replaces what settles', () => {
  const load = async (event: number) => (await loadDeliveries(pool(), [{ id: await idOf(event), attempt: 1 }]))[0];

  test.each([
    ['commits', true, ['a2']],
    ['rolls back', false, ['a1']],
  ] as const)('past its due time and %s: one request comes', async (_, commits, sent) => {
    await using application = await OutboxApplication.open(stack);
    const endpoint = await settling();
    const [first] = await emit('a1');
    startDaemon();
    await application
      .transaction(async (client) => {
        await client.query(emitByDoor, [stack.tenantId, body('a2')]);
        await eventually(async () => (await stack.delivery(first!)).due_at < new Date(Date.now() - 300));
        // A daemon that has the job finds the delivery locked.
        expect(await load(first!)).toMatchObject({ isBeingReplaced: true });
        expect(endpoint.received).toEqual([]);
        if (!commits) {
          throw new Error('no');
        }
      })
      .catch(() => {});
    await succeeded();
    expect(codes(endpoint)).toEqual(sent);
  });

  test('and dies: the former one is sent', async () => {
    await using application = await OutboxApplication.open(stack);
    const endpoint = await settling();
    const [first] = await emit('a1');
    startDaemon();
    const client = await application.pool.connect();
    client.on('error', () => {});
    await client.query('begin');
    await client.query(emitByDoor, [stack.tenantId, body('a2')]);
    await eventually(async () => (await stack.delivery(first!)).due_at < new Date());
    client.release(true); // its connection ends in the middle of the transaction
    await succeeded();
    expect(codes(endpoint)).toEqual(['a1']);
  });

  test('cannot replace one that is due: the new one waits', async () => {
    await settling();
    await emit('a1');
    await makeDue();
    await emit('a2');
    expect(await states()).toEqual(['PENDING', 'WAITING']);
  });

  test('cannot replace one that another transaction has locked', async () => {
    await settling({ settleSeconds: LONG });
    const [first] = await emit('a1');
    const client = await pool().connect();
    await client.query('begin');
    await client.query('select from hookwright.deliveries where id = $1 for update', [await idOf(first!)]);
    await emit('a2');
    await client.query('commit');
    client.release();
    expect(await states()).toEqual(['PENDING', 'WAITING']);
    await emit('a3');
    expect(await states()).toEqual(['CANCELED', 'CANCELED', 'PENDING']);
  });
});
