import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TEST_EVENT_TYPE } from '../../src/domain/events/event-type.js';
import { LANES } from '../../src/domain/pacing/lanes.js';
import { cancelDelivery } from '../../src/operations/deliveries/cancel-delivery.js';
import { redeliver } from '../../src/operations/deliveries/redeliver.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { changeJobs, jobsIn, OF_DELIVERIES, ofDelivery } from '../support/jobs.js';
import { answer, holdAnswers, startReceiver } from '../support/receiver.js';

let stack: DeliveryStack;
let receiver: Endpoint;

async function open(settings: Record<string, string> = {}) {
  stack = await DeliveryStack.open(settings);
  receiver = await stack.endpoint();
}

afterEach(() => stack[Symbol.asyncDispose]());

const secondsUntil = (date: Date) => (date.getTime() - Date.now()) / 1_000;
/** Waits until the delivery's job runs in more than five minutes. */
const isPutOff = (eventId: number) =>
  eventually(async () => {
    const [job] = await jobsIn(stack, ofDelivery((await stack.delivery(eventId)).id));
    return job !== undefined && job.inSeconds > 300;
  });
const change = (settings: { url?: string; active?: boolean }) => stack.change(receiver.webhookId, settings);
const remove = () => deleteWebhook(stack.services.db, stack.tenantId, receiver.webhookId, commandLine);
const again = (id: number, tenantId = stack.tenantId) => redeliver(stack.services.db, tenantId, id, commandLine);

describe('what a receiver answers', () => {
  beforeEach(() => open({ RETRY_BASE_SECONDS: '120' }));

  test.each([200, 299])('%i is a success', async (status) => {
    receiver.answerWith(answer(status));
    const eventId = await stack.emit();
    stack.startDaemon();
    const succeeded = { last_status_code: status, last_error_code: null };
    expect(await stack.reaches(eventId, 'SUCCEEDED')).toMatchObject(succeeded);
  });

  test('a redirect is a failure: it is not followed, and its Location is recorded', async () => {
    await using canary = await startReceiver();
    receiver.answerWith(answer(302, { location: canary.url }));
    const eventId = await stack.emit();
    stack.startDaemon();
    await eventually(async () => (await stack.delivery(eventId)).last_error_code === 'HTTP_302');
    const [attempt] = await stack.rows<{ response_headers: string }>('select * from hookwright.attempts');
    expect(JSON.parse(attempt!.response_headers)).toMatchObject({ location: canary.url });
    expect(canary.received).toHaveLength(0);
  });

  test('410 fails the delivery without a retry and disables the webhook as GONE, which editors see by its version', async () => {
    receiver.answerWith(answer(500));
    const failed = await stack.emit();
    stack.startDaemon();
    await stack.attempted(failed);
    expect(await stack.webhookRow(receiver.webhookId)).toMatchObject({ consecutive_failures: 1, version: 1 });
    receiver.answerWith(answer(410));
    const gone = await stack.reaches(await stack.emit(), 'FAILED');
    expect(gone).toMatchObject({ attempt_count: 1, last_error_code: 'HTTP_410' });
    const disabled = { active: false, disabled_reason: 'GONE', consecutive_failures: 2, version: 2 };
    expect(await stack.webhookRow(receiver.webhookId)).toMatchObject(disabled);
  });

  test('429 with Retry-After delays the retry and closes the endpoint for its other deliveries', async () => {
    // Twice as long when it is written down: more than is kept of an answer's headers.
    receiver.answerWith(answer(429, { 'x-long': '"'.repeat(8_200), 'retry-after': '600' }));
    const refused = await stack.emit();
    stack.startDaemon();
    expect(secondsUntil((await stack.attempted(refused)).due_at)).toBeGreaterThan(590);
    const other = await stack.emit();
    await isPutOff(other);
    expect(await stack.delivery(other)).toMatchObject({ status: 'PENDING', attempt_count: 0 });
    expect(receiver.received).toHaveLength(1);
  });

  test('429 with Retry-After: of those that wait for the endpoint none is sent any more', async () => {
    receiver.answerWith((_, response) => {
      setTimeout(() => response.writeHead(429, { 'retry-after': '600' }).end(), 30);
    });
    await stack.emits(150);
    stack.startDaemon();
    await eventually(async () => {
      const jobs = await jobsIn(stack, OF_DELIVERIES);
      return receiver.received.length > 0 && jobs.every(({ inSeconds }) => inSeconds >= 500);
    }, 20_000);
    // Those that were in flight at the first answer: 24 at most.
    expect(receiver.received.length).toBeLessThanOrEqual(24);
    expect(await stack.webhookRow(receiver.webhookId)).toMatchObject({ active: true });
  });

  test('a NUL and broken UTF-8 in an answer are kept as they came', async () => {
    const body = Buffer.from([0x61, 0, 0xff, 0xfe, 0x62]);
    receiver.answerWith((_, response) => response.writeHead(200).end(body));
    const eventId = await stack.emit();
    stack.startDaemon();
    await stack.reaches(eventId, 'SUCCEEDED');
    const [attempt] = await stack.rows<{ response_body: Buffer }>('select * from hookwright.attempts');
    expect(attempt?.response_body.equals(body)).toBe(true);
  });
});

describe('deleting a webhook', () => {
  beforeEach(() => open());

  test('cancels what is open, and keeps its history', async () => {
    receiver.answerWith(answer(200));
    stack.startDaemon();
    const done = await stack.emit();
    await stack.reaches(done, 'SUCCEEDED');
    receiver.answerWith(answer(500));
    await change({ active: false });
    const held = await stack.emit();
    await remove();

    expect(await stack.reaches(held, 'CANCELED')).toMatchObject({ cancel_reason: 'WEBHOOK_DELETED' });
    expect((await stack.delivery(done)).status).toBe('SUCCEEDED');
    const [row] = await stack.rows<{ sealed_secret: Buffer }>('select sealed_secret from hookwright.webhooks');
    expect(row?.sealed_secret).toHaveLength(0);
  });

  test.each([
    [200, 'SUCCEEDED'],
    [500, 'CANCELED'],
  ])('lets a request in flight end; answered %i it is recorded as %s, without a retry', async (status, end) => {
    const arrived = holdAnswers(receiver, answer(status));
    const eventId = await stack.emit();
    stack.startDaemon();
    const go = await arrived();
    await remove();
    await stack.reaches(eventId, 'CANCELED');
    go();

    await eventually(async () => (await stack.rows('select from hookwright.attempts')).length === 1);
    expect(await stack.delivery(eventId)).toMatchObject({ status: end, attempt_count: 1 });
    await stack.noDeliveryJobs();
  });
});

describe('a closed endpoint', () => {
  test('keeps tests and bulk work in their lanes: the ones go first when it opens, the others last', async () => {
    await open();
    await stack.rows(`update hookwright.webhooks set closed_until = now() + interval '1 hour'`);
    const test = { eventType: TEST_EVENT_TYPE, body: '{"message":"?"}', onlyWebhookId: receiver.webhookId };
    await stack.services.emitter.emit([{ ...test, tenantId: stack.tenantId, idempotencyKey: null }]);
    await stack.emit();
    const { id } = await stack.delivery(await stack.emit());
    await changeJobs(stack, `priority = ${LANES.BULK.priority}`, ofDelivery(id));
    stack.startDaemon();
    const priorities = await eventually(async () => {
      const jobs = (await jobsIn(stack, OF_DELIVERIES)).toSorted((a, b) => a.payload.id - b.payload.id);
      return jobs.length === 3 && jobs.every((job) => job.inSeconds > 0) && jobs.map(({ priority }) => priority);
    });
    expect(priorities).toEqual([LANES.TEST.priority, LANES.CROWDED.priority, LANES.BULK.priority]);
  });

  test('keeps its deliveries waiting without an attempt; a new url wakes them at once', async () => {
    await open({ RETRY_BASE_SECONDS: '120' });
    receiver.answerWith(answer(503, { 'retry-after': '600' }));
    stack.startDaemon();
    const first = await stack.emit();
    await stack.attempted(first);
    const second = await stack.emit();
    await isPutOff(second);
    expect(receiver.received).toHaveLength(1);

    await using repaired = await startReceiver();
    await change({ url: repaired.url });
    expect(await stack.reaches(second, 'SUCCEEDED')).toMatchObject({ attempt_count: 1 });
    // The failed one keeps the time of its retry.
    expect(await stack.delivery(first)).toMatchObject({ status: 'PENDING', attempt_count: 1 });
  });

  test.each([
    ['got another url', [(to: string) => ({ url: to })]],
    ['was switched off and on again', [() => ({ active: false }), () => ({ active: true })]],
  ])('stays open where the webhook %s while the request was under way', async (_name, changes) => {
    await open({ RETRY_BASE_SECONDS: '120' });
    await using moved = await startReceiver();
    const arrived = holdAnswers(receiver, answer(503, { 'retry-after': '600' }));
    const first = await stack.emit();
    stack.startDaemon();
    const go = await arrived();
    for (const changeTo of changes) {
      await change(changeTo(moved.url));
    }
    receiver.answerWith(answer(200));
    go();
    await stack.attempted(first);

    const [webhook] = await stack.rows('select closed_until from hookwright.webhooks');
    expect(webhook).toEqual({ closed_until: null });
    await stack.reaches(await stack.emit(), 'SUCCEEDED');
  });
});

test('a 410 from the url that a webhook had before is a failure like any other', async () => {
  await open();
  await using moved = await startReceiver();
  const arrived = holdAnswers(receiver, answer(410));
  const eventId = await stack.emit();
  stack.startDaemon();
  const go = await arrived();
  await change({ url: moved.url });
  go();
  expect(await stack.reaches(eventId, 'FAILED')).toMatchObject({ attempt_count: 1 });
  const [webhook] = await stack.rows('select active, consecutive_failures from hookwright.webhooks');
  expect(webhook).toEqual({ active: true, consecutive_failures: 1 });
});

describe('redelivering ("manual redispatch")', () => {
  beforeEach(() => open());

  test('sends a finished delivery again with the same id, attempt numbers going on', async () => {
    stack.startDaemon();
    const eventId = await stack.emit();
    const { id } = await stack.reaches(eventId, 'SUCCEEDED');
    await again(id);

    await eventually(() => receiver.received.length === 2);
    expect(await stack.reaches(eventId, 'SUCCEEDED')).toMatchObject({ id });
    await stack.attempted(eventId, 2);
    const sent = receiver.received.map(({ headers }) => Number(headers['x-service-delivery']));
    expect(sent).toEqual([id, id]);
  });

  test('has a fresh budget of retries', async () => {
    receiver.answerWith(answer(500));
    stack.startDaemon();
    const eventId = await stack.emit();
    const { id } = await stack.reaches(eventId, 'FAILED');
    await again(id);
    await stack.attempted(eventId, 10);
    // The webhook is disabled at the tenth failure; the redelivery has two retries left.
    expect(await stack.reaches(eventId, 'HELD')).toMatchObject({ attempt_count: 10 });
    await change({ active: true });
    expect(await stack.reaches(eventId, 'FAILED')).toMatchObject({ attempt_count: 12 });
  });

  test.each([
    { attempt: 'first', number: 1 },
    { attempt: 'last', number: 6 },
  ])(
    'stands, with a fresh budget, when the $attempt attempt of the canceled run fails after it',
    async ({ number }) => {
      const arrived = holdAnswers(receiver, answer(500));
      const eventId = await stack.emit();
      const { id } = await stack.delivery(eventId);
      await stack.rows(`update hookwright.deliveries set attempt_count = ${number} - 1`);
      await stack.rows(`select hookwright.enqueue_deliveries(array[${id}], array[${number}], array[now()], array[0])`);
      stack.startDaemon();
      const go = await arrived();
      await cancelDelivery(stack.services.db, stack.tenantId, id, commandLine);
      await again(id);
      receiver.answerWith(answer(200));
      go();

      const ended = { id, attempt_count: number + 1, attempts_before: number };
      expect(await stack.reaches(eventId, 'SUCCEEDED')).toMatchObject(ended);
      const attempts = await stack.rows('select number, status_code from hookwright.attempts order by number');
      expect(attempts).toEqual([
        { number, status_code: 500 },
        { number: number + 1, status_code: 200 },
      ]);
    },
  );

  test.each([
    ['the delivery is PENDING', 'PENDING', () => {}, 'delivery_not_finished'],
    ['the delivery is HELD', 'HELD', () => {}, 'delivery_not_finished'],
    ['the webhook is inactive', 'FAILED', () => change({ active: false }), 'webhook_inactive'],
    ['the webhook was deleted', 'FAILED', () => remove(), 'webhook_deleted'],
    // A replay may have made the delivery long after its event.
    ['its event is not kept any more', 'FAILED', () => stack.rows('delete from hookwright.events'), 'event_gone'],
  ])('is a conflict when %s, and unknown to another tenant', async (_, status, alter, reason) => {
    const eventId = await stack.emit();
    await stack.rows(`update hookwright.deliveries set status = '${status}'`);
    const { id } = await stack.delivery(eventId);
    await alter();
    await expect(again(id)).rejects.toMatchObject({ reason });
    await expect(again(id, stack.tenantId + 1)).rejects.toMatchObject({ reason: 'not_found' });
    expect(await stack.delivery(eventId)).toMatchObject({ status });
  });
});

describe('stopping the daemon', () => {
  test('lets the requests in flight end and records them; no attempt is burned', async () => {
    await open();
    receiver.answerWith((_, response) => {
      setTimeout(() => response.writeHead(200).end(), 300);
    });
    const events = await stack.emits(20);
    const daemon = stack.startDaemon();
    await eventually(() => receiver.received.length > 0);
    await daemon.stop();

    expect(receiver.inFlight).toBe(0);
    const rows = await stack.deliveries();
    const sent = new Set(receiver.received.map(({ headers }) => Number(headers['x-service-delivery'])));
    expect(rows.filter(({ status }) => status === 'SUCCEEDED').map(({ id }) => id)).toEqual([...sent].sort());
    expect(rows.filter(({ status }) => status !== 'SUCCEEDED').every((row) => row.attempt_count === 0)).toBe(true);
    stack.startDaemon();
    await stack.succeeded(events.length);
    expect(receiver.received).toHaveLength(events.length);
  });
});

test('outcomes that together take longer than a statement may are recorded in parts', async () => {
  await open();
  await stack.rows(`
    create function hookwright.too_slow() returns trigger language plpgsql as $$ begin
      if (select count(*) from fresh) > 2 then
        raise exception 'canceling statement due to statement timeout' using errcode = 'query_canceled';
      end if;
      return null;
    end $$`);
  await stack.rows(`create trigger too_slow after insert on hookwright.attempts
    referencing new table as fresh for each statement execute function hookwright.too_slow()`);
  const waiting: (() => void)[] = [];
  receiver.answerWith((_, response) => {
    waiting.push(() => response.end());
    if (waiting.length === 5) {
      for (const respond of waiting.splice(0)) {
        respond();
      }
    }
  });
  await stack.emits(10);
  stack.startDaemon();
  await stack.succeeded(10, 10_000);
  expect(receiver.received).toHaveLength(10);
  expect(await stack.rows('select from hookwright.attempts')).toHaveLength(10);
});
