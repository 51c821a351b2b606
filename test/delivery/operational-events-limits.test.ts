import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isOperational } from '../../src/domain/events/operational-events.js';
import { idToDate } from '../../src/domain/ids/delivery-id.js';
import { raiseEvents, raisePending } from '../../src/operations/attempts/raise-events.js';
import { forgetOld, OLD_ROWS } from '../../src/operations/housekeeping/forget.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { transaction } from '../../src/platform/database/database.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { emitMany } from '../support/factories.js';
import { countJobs } from '../support/jobs.js';
import { operationalEvents, passMinute } from '../support/operational-news.js';
import { answer } from '../support/receiver.js';

const WAIT_MAX_MS = 60_000;
const TEST_MS = 120_000;

let stack: DeliveryStack;
let failing: Endpoint;

beforeEach(async () => {
  stack = await DeliveryStack.open({ MAX_RETRIES: '0' });
  failing = await stack.endpoint(answer(500));
});
afterEach(() => stack[Symbol.asyncDispose]());

/**
 * Nothing is pending, or held by a webhook that is active and about to be settled. It asks whether there is one, and
 * not for all of them: there may be thousands.
 */
const settled = () =>
  eventually(
    async () =>
      (
        await stack.deliveries(
          `id = (select min(id) from hookwright.deliveries where status = 'PENDING') or status = 'HELD'
           and webhook_id in (select id from hookwright.webhooks where active)`,
        )
      ).length === 0,
    WAIT_MAX_MS,
  );
const enable = (id: number) => stack.change(id, { active: true });
const countOf = (events: { payload: Record<string, string> }[]) =>
  events.reduce((sum, { payload }) => sum + Number(payload['count']), 0);

test('of what many webhooks cause at once, a few events are raised at once and the others by the next sweep, each once', async () => {
  const ids = [failing.webhookId];
  while (ids.length < 25) {
    ids.push((await stack.webhook(`${failing.url}/${ids.length}`)).id);
  }
  const { pool } = stack.services.db;
  const causes = ids.map((webhookId) => ({
    tenantId: stack.tenantId,
    webhookId,
    type: 'webhook.disabled' as const,
    facts: { webhook_id: String(webhookId) },
    count: 1,
  }));
  await transaction(pool, (client) => raiseEvents(client, causes));
  const raised = async () =>
    (await operationalEvents(stack, 'webhook.disabled')).map(({ payload }) => payload['webhook_id']);
  expect(await raised()).toHaveLength(10);
  expect(await raisePending(pool)).toBe(15);
  expect((await raised()).toSorted()).toEqual(ids.map(String).toSorted());
});

describe('at most one event a minute for each webhook and type', { timeout: TEST_MS }, () => {
  test('hundreds of exhausted deliveries are one event at once, and the rest in one with their count', async () => {
    let requests = 0;
    // Every other one succeeds, so that the webhook is never disabled.
    failing.answerWith((_, response) => {
      requests += 1;
      response.writeHead(requests % 2 === 0 ? 200 : 500).end();
    });
    await emitMany(stack.services, stack.tenantId, 600);
    stack.startDaemon();
    await settled();
    expect(await stack.deliveries(`status = 'FAILED'`)).toHaveLength(300);
    const early = await operationalEvents(stack, 'delivery.exhausted');
    const minutes = (Date.now() - idToDate(early[0]!.id).getTime()) / 60_000;
    expect(early.length).toBeLessThanOrEqual(1 + minutes);

    await passMinute(stack);
    const all = await eventually(async () => {
      const events = await operationalEvents(stack, 'delivery.exhausted');
      return countOf(events) === 300 && events;
    }, WAIT_MAX_MS);
    expect(all).toHaveLength(early.length + 1);
    await passMinute(stack);
    expect(await raisePending(stack.services.db.pool)).toBe(0);
  });

  test('what was counted is raised with the next cause, if that comes first', async () => {
    const fail = async () => {
      await stack.emit();
      await settled();
    };
    const daemon = stack.startDaemon();
    await fail();
    await fail();
    await fail();
    await daemon.stop(); // or its sweep could be the first
    await passMinute(stack);
    const raise = `select hookwright.raise_events(array[${stack.tenantId}], array[${failing.webhookId}],
    array['delivery.exhausted'], array['{"webhook_id":"${failing.webhookId}"}'], array[4])`;
    await stack.rows(raise);
    const counts = (await operationalEvents(stack)).map(({ payload }) => payload['count']);
    expect(counts).toEqual(['1', '6']);
    expect(await raisePending(stack.services.db.pool)).toBe(0);
  });

  test('webhooks and types have a minute each', async () => {
    const { id: other } = await stack.webhook(failing.url);
    stack.startDaemon();
    await emitMany(stack.services, stack.tenantId, 10);
    await settled();
    // webhook.failing comes too where the outcomes are recorded in several batches.
    const raised = (await operationalEvents(stack))
      .filter(({ event_type }) => event_type !== 'webhook.failing')
      .map(({ event_type, payload }) => `${event_type} ${payload['webhook_id']}`);
    expect(raised.sort()).toEqual(
      [failing.webhookId, other].flatMap((id) => [`delivery.exhausted ${id}`, `webhook.disabled ${id}`]).sort(),
    );
  });

  test('of a webhook that was deleted, what was counted is dropped; and what is over is forgotten', async () => {
    const daemon = stack.startDaemon();
    await emitMany(stack.services, stack.tenantId, 3);
    await settled();
    await daemon.stop();
    await stack.rows(`update hookwright.raised_events set pending = 2, pending_body = '{"webhook_id":"1"}'`);
    const before = await operationalEvents(stack);
    await deleteWebhook(stack.services.db, stack.tenantId, failing.webhookId, commandLine);
    await passMinute(stack);
    await raisePending(stack.services.db.pool);
    expect(await operationalEvents(stack)).toEqual(before);
    await forgetOld(stack.services.db.pool, OLD_ROWS['raised events'], 30);
    expect(await stack.rows('select from hookwright.raised_events')).toHaveLength(1);
    await stack.rows(`update hookwright.raised_events set raised_at = now() - interval '61 minutes'`);
    await forgetOld(stack.services.db.pool, OLD_ROWS['raised events'], 30);
    expect(await stack.rows('select from hookwright.raised_events')).toEqual([]);
  });
});

describe('an event and its cause are one transaction', { timeout: TEST_MS }, () => {
  test('when the outcome cannot be committed there is no event, and later there is one', async () => {
    await stack.rows(`
    create function public.refuse() returns trigger language plpgsql as $$
    begin raise exception 'not now'; end $$;
    create constraint trigger refuse after insert on hookwright.raised_events
    deferrable initially deferred for each row execute function public.refuse();`);
    const eventId = await stack.emit();
    stack.startDaemon();
    await eventually(() => failing.received.length > 0);
    // The job has been tried, and waits for its next turn.
    await eventually(async () => (await countJobs(stack, `last_error like '%not now%'`)) === 1);
    expect(await operationalEvents(stack)).toEqual([]);
    expect(await stack.delivery(eventId)).toMatchObject({ status: 'PENDING', attempt_count: 0 });
    expect(await stack.webhookRow(failing.webhookId)).toMatchObject({ consecutive_failures: 0 });

    await stack.rows('drop trigger refuse on hookwright.raised_events');
    await stack.reaches(eventId, 'FAILED', WAIT_MAX_MS);
    expect((await operationalEvents(stack)).map(({ payload }) => payload['count'])).toEqual(['1']);
  });

  test('a connection that is killed between the two leaves neither, and both come once', async () => {
    const blocker = new pg.Client({ connectionString: stack.databaseUrl });
    await blocker.connect();
    const eventId = await stack.emit();
    try {
      await blocker.query('begin');
      await blocker.query('lock table hookwright.raised_events in access exclusive mode');
      stack.startDaemon();
      // Not by the blocker: what a transaction sees of the others' activity stands still.
      const waiting = await eventually(async () => {
        const [row] = await stack.rows<{ pid: number }>(
          `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and query like '%select hookwright.raise_events%'`,
        );
        return row;
      });
      expect(await stack.delivery(eventId)).toMatchObject({ status: 'PENDING', attempt_count: 0 });
      await stack.rows(`select pg_terminate_backend(${waiting.pid})`);
    } finally {
      await blocker.end();
    }

    await stack.reaches(eventId, 'FAILED', WAIT_MAX_MS);
    expect(
      await stack.rows(`select from hookwright.attempts where delivery_id in
    (select id from hookwright.deliveries where event_id = ${eventId})`),
    ).toHaveLength(1);
    expect((await operationalEvents(stack)).map(({ payload }) => payload['count'])).toEqual(['1']);
  });
});

describe('webhooks that fail for ever', { timeout: TEST_MS }, () => {
  test('tell each other a bounded number of times: each was disabled, and had deliveries that failed', async () => {
    const { id: otherId } = await stack.webhook(failing.url);
    stack.startDaemon();
    for (let round = 0; round < 3; round++) {
      await emitMany(stack.services, stack.tenantId, 12);
      await settled();
      await passMinute(stack);
      await eventually(
        async () => (await stack.rows('select from hookwright.raised_events where pending > 0')).length === 0,
        WAIT_MAX_MS,
      );
      // What they hold of each other's news goes out, and fails, as soon as they are enabled.
      for (const id of [failing.webhookId, otherId]) {
        await enable(id);
      }
      await settled();
      await passMinute(stack);
    }
    const ordinary = await stack.deliveries(`event_type = 'coupon.applied' and status = 'FAILED'`);
    const failedNews = (await stack.deliveries(`status = 'FAILED'`)).length - ordinary.length;
    expect(failedNews).toBeGreaterThan(0);
    const exhausted = await operationalEvents(stack, 'delivery.exhausted');
    expect(exhausted.every(({ payload }) => !isOperational(payload['event_type']!))).toBe(true);
    const pending = await stack.rows<{ event_type: string; pending: number }>(
      `select event_type, pending from hookwright.raised_events where pending > 0`,
    );
    const uncounted = pending
      .filter(({ event_type }) => event_type === 'delivery.exhausted')
      .reduce((sum, each) => sum + each.pending, 0);
    expect(countOf(exhausted) + uncounted).toBe(ordinary.length);
    const disabled = await stack.rows(`select from hookwright.audit_log where action = 'WEBHOOK_DISABLED'`);
    expect(countOf(await operationalEvents(stack, 'webhook.disabled'))).toBeLessThanOrEqual(disabled.length);

    // And then nothing moves any more, however much time passes.
    const before = await operationalEvents(stack);
    for (let minute = 0; minute < 3; minute++) {
      await passMinute(stack);
      await raisePending(stack.services.db.pool);
      await settled();
    }
    expect((await operationalEvents(stack)).length - before.length).toBeLessThanOrEqual(pending.length);
  });

  test('that are sent nothing but operational events are disabled without a word', async () => {
    const { id: listenerId } = await stack.webhook(failing.url, ['delivery.exhausted']);
    stack.startDaemon();
    for (let round = 0; round < 10; round++) {
      await stack.rows(`update hookwright.webhooks set consecutive_failures = 0 where id = ${failing.webhookId}`);
      await stack.emit();
      await settled();
      await passMinute(stack);
    }
    await eventually(async () => !(await stack.webhookRow(listenerId)).active, WAIT_MAX_MS);
    expect((await stack.webhookRow(listenerId)).disabled_reason).toBe('FAILURES');
    expect(await operationalEvents(stack, 'webhook.disabled')).toEqual([]);
    const about = (await operationalEvents(stack)).map(({ payload }) => payload['webhook_id']);
    expect(new Set(about)).toEqual(new Set([String(failing.webhookId)]));

    // Its recovery raises none either.
    failing.answerWith(answer(200));
    await enable(listenerId);
    await settled();
    expect(await operationalEvents(stack, 'webhook.recovered')).toEqual([]);
  });
});
