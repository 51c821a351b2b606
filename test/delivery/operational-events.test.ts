import { Webhook as StandardWebhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { OPERATIONAL_EVENT_TYPES } from '../../src/domain/events/operational-events.js';
import { raisePending, warnOfExpiringHolds } from '../../src/operations/attempts/raise-events.js';
import { warnOfEndingCertificates } from '../../src/operations/certificates/warn-of-ending.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { makeTenant, makeWebhook } from '../support/factories.js';
import { openTransaction } from '../support/locks.js';
import { operationalEvents, receivedOf, signatureOf } from '../support/operational-news.js';
import { answer, holdAnswers } from '../support/receiver.js';

/** An endpoint that fails is probed in longer and longer pauses before its webhook is disabled. */
const WAIT_MAX_MS = 60_000;
vi.setConfig({ testTimeout: 3 * WAIT_MAX_MS });
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);

let stack: DeliveryStack;
let failing: Endpoint;
let watching: Endpoint;

/** A webhook whose receiver fails, and one of its owner that is told of everything the service has to tell. */
async function open(settings: Record<string, string> = {}) {
  stack = await DeliveryStack.open({ MAX_RETRIES: '0', ...settings });
  failing = await stack.endpoint(answer(500));
  await stack.change(failing.webhookId, { url: `${failing.url}/in?token=abc` });
  watching = await stack.endpoint(answer(200), [...OPERATIONAL_EVENT_TYPES]);
}

beforeEach(() => open());
afterEach(() => stack[Symbol.asyncDispose]());

const told = (type: string, receiver = watching) => eventually(() => receivedOf(receiver, type)[0], WAIT_MAX_MS);
const payloadOf = ({ body }: { body: Buffer }) => JSON.parse(body.toString()) as Record<string, string>;
const origin = () => new URL(failing.url).origin;
const change = (active: boolean, { webhookId } = failing) => stack.change(webhookId, { active });
async function disable(): Promise<void> {
  await stack.emits(10);
  await eventually(async () => !(await stack.webhookRow(failing.webhookId)).active, WAIT_MAX_MS);
}

describe('webhook.disabled', () => {
  test('tells the tenant’s other webhooks at once, signed like every delivery', async () => {
    await stack.change(failing.webhookId, { name: 'Shop "1"' });
    stack.startDaemon();
    await disable();

    const request = await told('webhook.disabled');
    expect(request.headers['x-service-signature']).toBe(signatureOf(watching.secret, request.body));
    const verified = new StandardWebhook(watching.secret).verify(
      request.body,
      request.headers as Record<string, string>,
    );
    expect(verified).toEqual({
      webhook_id: String(failing.webhookId),
      origin: origin(),
      name: 'Shop "1"',
      reason: 'FAILURES',
      consecutive_failures: '10',
      disabled_at: TIMESTAMP,
      held_until: TIMESTAMP,
      count: '1',
    });
    expect(request.body.toString()).toBe(JSON.stringify(verified));
  });

  test('never tells the webhook that it is about, not even when that is enabled again', async () => {
    stack.startDaemon();
    await disable();
    await told('webhook.disabled');
    failing.answerWith(answer(200));
    await change(true);
    await stack.emit();
    await told('webhook.recovered');

    const about = `webhook_id = ${failing.webhookId} and event_type <> 'coupon.applied'`;
    expect(await stack.deliveries(about)).toEqual([]);
    expect(new Set(failing.received.map(({ headers }) => headers['x-service-event']))).toEqual(
      new Set(['coupon.applied']),
    );
  });

  test('tells of a 410 as GONE, and that its delivery has failed', async () => {
    failing.answerWith(answer(410));
    stack.startDaemon();
    await stack.emit();
    expect(payloadOf(await told('webhook.disabled'))).toMatchObject({
      reason: 'GONE',
      consecutive_failures: '1',
    });
    expect(payloadOf(await told('delivery.exhausted'))).toMatchObject({ last_error: 'HTTP_410' });
  });

  test('does not tell of a pause: that is the owner’s own act', async () => {
    stack.startDaemon();
    await change(false);
    await change(true);
    failing.answerWith(answer(200));
    const eventId = await stack.emit();
    await stack.reaches(eventId, 'SUCCEEDED');
    expect(await operationalEvents(stack)).toEqual([]);
  });

  test('is kept by an inactive webhook until it is enabled, like every event', async () => {
    await change(false, watching);
    stack.startDaemon();
    await disable();
    expect(
      await stack.deliveries(`webhook_id = ${watching.webhookId} and event_type = 'webhook.disabled'`),
    ).toMatchObject([{ status: 'HELD' }]);
    await change(true, watching);
    await told('webhook.disabled');
  });

  test('reaches ["*"], and neither who wants other events nor another tenant', async () => {
    const all = await stack.endpoint();
    const other = await stack.endpoint(answer(200), ['booking.created']);
    const stranger = await makeTenant(stack.services);
    const { id: strangersId } = await makeWebhook(stack.services, stranger.id, { url: other.url });
    stack.startDaemon();
    await disable();
    await told('webhook.disabled', all);
    expect(await stack.deliveries(`webhook_id in (${other.webhookId}, ${strangersId})`)).toEqual([]);
  });

  test('is written for a tenant without another webhook too, with nobody to be sent to', async () => {
    await deleteWebhook(stack.services.db, stack.tenantId, watching.webhookId, commandLine);
    stack.startDaemon();
    await disable();
    const [event] = await operationalEvents(stack, 'webhook.disabled');
    expect(event?.payload).toMatchObject({ webhook_id: String(failing.webhookId) });
    expect(await stack.deliveries(`event_id = ${event?.id}`)).toEqual([]);
  });

  test('stays silent about a webhook that was deleted while its requests were in flight', async () => {
    const arrived = holdAnswers(failing, answer(500));
    const eventId = await stack.emit();
    stack.startDaemon();
    const go = await arrived();
    await deleteWebhook(stack.services.db, stack.tenantId, failing.webhookId, commandLine);
    go();
    await stack.attempted(eventId, 1);
    expect(await operationalEvents(stack)).toEqual([]);
  });
});

describe('webhook.failing', () => {
  test('tells of the fifth failure in a row, and of a sixth nothing more', async () => {
    stack.startDaemon();
    await stack.emits(5);
    expect(payloadOf(await told('webhook.failing'))).toEqual({
      webhook_id: String(failing.webhookId),
      origin: origin(),
      name: '',
      consecutive_failures: '5',
      failing_since: TIMESTAMP,
      last_error: 'HTTP_500',
      count: '1',
    });
    const sixth = await stack.emit();
    await stack.reaches(sixth, 'FAILED');
    const events = await operationalEvents(stack, 'webhook.failing');
    expect(events).toHaveLength(1);
    expect(
      await stack.rows(`select pending from hookwright.raised_events where event_type = 'webhook.failing'`),
    ).toEqual([{ pending: 0 }]);
  });
});

describe('webhook.recovered', () => {
  test('tells of the first success after the webhook was enabled again, and not of its enabling', async () => {
    stack.startDaemon();
    await disable();
    await change(true);
    const early = await stack.emit();
    await stack.reaches(early, 'FAILED');
    expect(await operationalEvents(stack, 'webhook.recovered')).toEqual([]);

    failing.answerWith(answer(200));
    await stack.emits(3);
    expect(payloadOf(await told('webhook.recovered'))).toEqual({
      webhook_id: String(failing.webhookId),
      origin: origin(),
      name: '',
      disabled_at: TIMESTAMP,
      recovered_at: TIMESTAMP,
      count: '1',
    });
    await eventually(async () => (await stack.deliveries(`status = 'PENDING'`)).length === 0);
    expect(await operationalEvents(stack, 'webhook.recovered')).toHaveLength(1);
  });
});

describe('delivery.exhausted', () => {
  test('tells which delivery has failed for good, and of what', async () => {
    await stack[Symbol.asyncDispose]();
    await open({ MAX_RETRIES: '2' });
    const eventId = await stack.emit();
    stack.startDaemon();
    const request = await told('delivery.exhausted');
    expect(request.headers['x-service-signature']).toBe(signatureOf(watching.secret, request.body));
    expect(payloadOf(request)).toEqual({
      webhook_id: String(failing.webhookId),
      origin: origin(),
      name: '',
      delivery_id: String((await stack.delivery(eventId)).id),
      event_id: String(eventId),
      event_type: 'coupon.applied',
      attempts: '3',
      last_error: 'HTTP_500',
      count: '1',
    });
  });
});

describe('webhook.held_expiring', () => {
  const holdFor = (hours: number, disabledHoursAgo: number) =>
    stack.rows(
      `update hookwright.webhooks set hold_until = now() + ${hours} * interval '1 hour',
         disabled_at = now() - ${disabledHoursAgo} * interval '1 hour' where id = ${failing.webhookId}`,
    );
  const warn = () => warnOfExpiringHolds(stack.services.db.pool);

  test('tells a day before held deliveries are canceled, also those of a paused webhook', async () => {
    await change(false);
    await stack.emits(3);
    await holdFor(23.9, 144);
    stack.startDaemon();
    const request = await told('webhook.held_expiring');
    expect(request.headers['x-service-signature']).toBe(signatureOf(watching.secret, request.body));
    expect(payloadOf(request)).toEqual({
      webhook_id: String(failing.webhookId),
      origin: origin(),
      name: '',
      held_count: '3',
      expires_at: TIMESTAMP,
      count: '1',
    });
    expect(await warn()).toBe(0);
  });

  test.each([
    ['24 hours and a minute before', 24 + 1 / 60, 144, 0],
    ['24 hours before', 24, 144, 1],
    ['before half of a shorter hold is over', 6, 5.9, 0],
    ['when half of a shorter hold is over', 6, 6, 1],
    ['when the hold is over', -0.1, 168, 0],
  ])('%s', async (_, hours, disabledHoursAgo, warned) => {
    await change(false);
    await stack.emit();
    await holdFor(hours, disabledHoursAgo);
    expect(await warn()).toBe(warned);
  });

  test('once for each hold', async () => {
    await change(false);
    await stack.emit();
    await holdFor(10, 144);
    expect([await warn(), await warn()]).toEqual([1, 0]);
    await change(true);
    await change(false);
    await holdFor(9, 144);
    expect([await warn(), await warn()]).toEqual([1, 0]);
  });

  test('not of an active webhook, of one that holds nothing, or nothing but operational events', async () => {
    await holdFor(10, 144);
    expect(await warn()).toBe(0);
    await change(false);
    await holdFor(10, 144);
    expect(await warn()).toBe(0);
    await stack.emit();
    await stack.rows(`update hookwright.deliveries set event_type = 'webhook.disabled' where status = 'HELD'`);
    expect(await warn()).toBe(0);
    await stack.emit();
    expect(await warn()).toBe(1);
    expect(await raisePending(stack.services.db.pool)).toBe(0);
  });

  test('is found among many that hold nothing, of which each sweep examines a part', async () => {
    await change(false);
    await stack.emit();
    await holdFor(10, 144);
    await stack.rows(
      `insert into hookwright.webhooks (tenant_id, url, event_types, active, sealed_secret, hold_until, disabled_at)
       select tenant_id, url, event_types, active, sealed_secret, hold_until, disabled_at
       from hookwright.webhooks, generate_series(1, 500) where id = ${failing.webhookId}`,
    );
    await stack.rows(
      `update hookwright.deliveries set webhook_id = (select max(id) from hookwright.webhooks) where status = 'HELD'`,
    );
    const cursor = {};
    await eventually(async () => (await warnOfExpiringHolds(stack.services.db.pool, cursor)) === 1);
  });
});

describe('webhook.certificate_ending', () => {
  const DAY = 86_400_000;
  const warn = () => warnOfEndingCertificates(stack.services.db.pool);

  /** As the API writes them. @param days until they end; null: there is none */
  async function certificates(client: number | null, ca: number | null): Promise<void> {
    const [clientEnds, caEnds] = [client, ca].map((days) =>
      days === null ? null : { endsAt: new Date(Date.now() + days * DAY).toISOString() },
    );
    const first = Math.min(client ?? Number.POSITIVE_INFINITY, ca ?? Number.POSITIVE_INFINITY);
    await stack.rows(
      `insert into hookwright.webhook_options (webhook_id, tenant_id, name, tls, certificate_ends_at)
       values (${failing.webhookId}, ${stack.tenantId}, 'Shop', '${JSON.stringify({ client: clientEnds, ca: caEnds })}',
               '${new Date(Date.now() + first * DAY).toISOString()}')
       on conflict (webhook_id) do update set tls = excluded.tls, certificate_ends_at = excluded.certificate_ends_at`,
    );
  }

  test('tells within 14 days of its end which certificate it is, and when it ends', async () => {
    await certificates(10, 300);
    stack.startDaemon();
    expect(await warn()).toBe(1);
    const request = await told('webhook.certificate_ending');
    expect(request.headers['x-service-signature']).toBe(signatureOf(watching.secret, request.body));
    expect(payloadOf(request)).toEqual({
      webhook_id: String(failing.webhookId),
      origin: origin(),
      name: 'Shop',
      certificate: 'CLIENT',
      ends_at: TIMESTAMP,
      count: '1',
    });
  });

  test.each([
    ['a client certificate that ends first', 5, 9, 'CLIENT'],
    ['authorities that end first', 9, 5, 'CA'],
    ['authorities alone', null, 5, 'CA'],
    ['a client certificate alone', 5, null, 'CLIENT'],
  ])('names %s', async (_, client, ca, certificate) => {
    await certificates(client, ca);
    await warn();
    const [event] = await operationalEvents(stack, 'webhook.certificate_ending');
    expect(event!.payload['certificate']).toBe(certificate);
  });

  test.each([
    ['14 days and a minute before', 14 + 1 / 1_440, 0],
    ['14 days before', 14 - 1 / 1_440, 1],
    ['a minute before', 1 / 1_440, 1],
    ['when it has ended', -1 / 1_440, 0],
  ])('%s', async (_, days, warned) => {
    await certificates(days, null);
    expect(await warn()).toBe(warned);
  });

  test('once, again within three days, and again for another certificate', async () => {
    const passDays = (days: number) =>
      stack.rows(
        `update hookwright.webhook_options set certificate_ends_at = certificate_ends_at - ${days} * interval '1 day',
           certificate_warned_at = certificate_warned_at - ${days} * interval '1 day'`,
      );
    await certificates(14 - 1 / 1_440, null);
    expect([await warn(), await warn()]).toEqual([1, 0]);
    await passDays(10.9);
    expect(await warn()).toBe(0);
    await passDays(0.2);
    expect([await warn(), await warn()]).toEqual([1, 0]);
    await certificates(90, null);
    expect(await warn()).toBe(0);
    await passDays(80);
    expect([await warn(), await warn()]).toEqual([1, 0]);
  });

  test('not of a deleted webhook, and of one that somebody changes at the next time', async () => {
    await certificates(10, null);
    const locked = `select from hookwright.webhook_options where webhook_id = ${failing.webhookId} for update`;
    await using changing = await openTransaction(stack.databaseUrl, locked);
    expect(await warn()).toBe(0);
    await changing.letGo();
    await stack.rows(`update hookwright.webhooks set deleted_at = now() where id = ${failing.webhookId}`);
    expect(await warn()).toBe(0);
    await stack.rows(`update hookwright.webhooks set deleted_at = null where id = ${failing.webhookId}`);
    expect(await warn()).toBe(1);
  });

  test('of many at once, of which the first are told at once and the others by the next sweep', async () => {
    await certificates(10, null);
    await stack.rows(
      `insert into hookwright.webhooks (tenant_id, url, event_types, active, sealed_secret)
       select tenant_id, url, '{booking.created}', true, sealed_secret
       from hookwright.webhooks, generate_series(1, 40) where id = ${failing.webhookId}`,
    );
    await stack.rows(
      `insert into hookwright.webhook_options (webhook_id, tenant_id, tls, certificate_ends_at)
       select w.id, w.tenant_id, o.tls, o.certificate_ends_at
       from hookwright.webhooks w, hookwright.webhook_options o
       where o.webhook_id = ${failing.webhookId} and w.event_types = '{booking.created}'`,
    );
    expect([await warn(), await warn()]).toEqual([41, 0]);
    const raised = async () => (await operationalEvents(stack, 'webhook.certificate_ending')).length;
    expect(await raised()).toBe(20);
    await raisePending(stack.services.db.pool);
    expect(await raised()).toBe(41);
  });
});
