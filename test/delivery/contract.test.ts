import { createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scheduleDeliveries } from '../../src/operations/deliveries/schedule-deliveries.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { answer, type Received } from '../support/receiver.js';

let stack: DeliveryStack;
let receiver: Endpoint;

async function open(settings: Record<string, string> = {}) {
  stack = await DeliveryStack.open(settings);
  receiver = await stack.endpoint();
}

afterEach(() => stack[Symbol.asyncDispose]());

const first = async (): Promise<Received> => eventually(() => receiver.received[0]);

describe('contract §4, delivery to the subscriber', () => {
  beforeEach(() => open());

  test('"The service sends an HTTP request to the subscription\'s url with these headers"', async () => {
    const eventId = await stack.emit('booking.created', {
      booking_code: 'B1',
      local_number: '7',
      brand: 'ö/ß',
    });
    stack.startDaemon();

    const request = await first();
    const delivery = await stack.delivery(eventId);
    const names = request.rawHeaders.filter((_, index) => index % 2 === 0);
    expect(request.path).toBe('/hook');
    expect(names).toEqual(
      expect.arrayContaining(['X-Service-Event', 'X-Service-Delivery', 'X-Service-Signature', 'X-Service-Timestamp']),
    );
    expect(request.headers['x-service-event']).toBe('booking.created');
    expect(request.headers['x-service-delivery']).toBe(String(delivery.id));
    expect(request.headers['x-service-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
    const skew = Math.abs(Number(request.headers['x-service-timestamp']) - Date.now() / 1000);
    expect(skew).toBeLessThan(30);
    expect(request.headers['content-type']).toBe('application/json');
    expect(request.headers['user-agent']).toMatch(/^Hookwright\/\d/);
    expect(request.headers.accept).toBe('*/*');
    expect(request.headers['accept-encoding']).toBe('identity');
    expect(delivery.webhook_id).toBe(receiver.webhookId);
  });

  test('has the headers that web application firewalls ask for, each once and none empty (OWASP CRS 920)', async () => {
    await stack.emit();
    stack.startDaemon();

    const { rawHeaders, body } = await first();
    const headers = rawHeaders.flatMap((text, index) =>
      index % 2 === 0 ? [{ name: text.toLowerCase(), value: rawHeaders[index + 1]! }] : [],
    );
    const all = (name: string) => headers.filter((one) => one.name === name).map(({ value }) => value);
    expect(headers.filter(({ name }) => all(name).length !== 1)).toEqual([]);
    expect(headers.filter(({ value }) => value.trim() === '')).toEqual([]);
    expect(all('host')).toEqual([new URL(receiver.url).host]);
    expect(all('accept')).toEqual(['*/*']);
    expect(all('user-agent')[0]).toMatch(/^Hookwright\/[\d.]+\S*$/);
    expect(all('content-type')).toEqual(['application/json']);
    expect(all('content-length')).toEqual([String(body.length)]);
    expect(all('connection')).toEqual(['keep-alive']);
    expect(all('accept-encoding')).toEqual(['identity']);
    const restricted = /^(transfer-encoding|expect|range|if-|content-encoding|content-range|proxy|x-http-method)/;
    expect(headers.filter(({ name }) => restricted.test(name))).toEqual([]);
  });

  test('"hex of HMAC-SHA256 with the subscription secret as key over the raw request body bytes"', async () => {
    const body = { booking_code: 'https://a/b', local_number: '日本', brand: '🎉 \u0000 \ud800' };
    await stack.emit('booking.created', body);
    stack.startDaemon();

    const request = await first();
    const expected = createHmac('sha256', receiver.secret).update(request.body).digest();
    const given = Buffer.from(String(request.headers['x-service-signature']).slice('sha256='.length), 'hex');
    expect(timingSafeEqual(given, expected)).toBe(true);
    expect(request.body.toString('utf8')).toBe(JSON.stringify(body));
  });

  test('"The body is serialised as JSON with slashes and non-ASCII characters left unescaped"', async () => {
    await stack.emit('coupon.applied', { code: 'a/b', discount_type: 'Ölrabatt' });
    stack.startDaemon();

    expect((await first()).body.toString('utf8')).toBe('{"code":"a/b","discount_type":"Ölrabatt"}');
  });

  test('an independent Standard Webhooks library verifies the request unchanged', async () => {
    await stack.emit();
    stack.startDaemon();

    const { body, headers } = await first();
    const verified = new StandardWebhook(receiver.secret).verify(body, headers as Record<string, string>);
    expect(verified).toEqual({ code: 'X', discount_type: 'fixed' });
    expect(headers['webhook-id']).toBe(headers['x-service-delivery']);
  });

  test('"The body is the event payload": there is no envelope, and it is stored as it was sent', async () => {
    await stack.emit('voucher.emitted', { booking_code: 'B', voucher_number: '1' });
    stack.startDaemon();

    const request = await first();
    const [event] = await stack.rows<{ body: string }>('select body from hookwright.events');
    expect(request.body.toString()).toBe(event?.body);
    expect(JSON.parse(request.body.toString())).toEqual({ booking_code: 'B', voucher_number: '1' });
  });
});

describe('contract §6, events', () => {
  beforeEach(() => open());

  test('"A subscription receives only events named in its events"', async () => {
    await stack.change(receiver.webhookId, { eventTypes: ['coupon.applied', 'booking.created'] });
    const other = await stack.endpoint(answer(200), ['booking.canceled']);
    stack.startDaemon();
    await stack.emit('coupon.applied');
    await stack.emit('booking.canceled', { booking_code: 'B', canceled_at: 'now' });

    await stack.succeeded(2);
    expect(receiver.received.map(({ headers }) => headers['x-service-event'])).toEqual(['coupon.applied']);
    expect(other.received.map(({ headers }) => headers['x-service-event'])).toEqual(['booking.canceled']);
  });

  test('`["*"]` matches every event, including ones added later', async () => {
    await stack.rows(
      `insert into hookwright.event_types (name, description, schema) values ('order.paid', 'later', '{}')`,
    );
    stack.startDaemon();
    await stack.emit('order.paid', { total: 1 });

    expect((await first()).headers['x-service-event']).toBe('order.paid');
  });

  test('"the same id means the same delivery": a retry carries the same X-Service-Delivery and a new timestamp', async () => {
    receiver.answerWith(answer(500));
    const eventId = await stack.emit();
    stack.startDaemon();
    const times = () => new Set(receiver.received.map(({ headers }) => headers['x-service-timestamp']));
    await eventually(() => times().size >= 2); // they are whole seconds; the six attempts take one and a half

    const ids = new Set(receiver.received.map(({ headers }) => headers['x-service-delivery']));
    expect([...ids]).toEqual([String((await stack.delivery(eventId)).id)]);
    for (const { body, headers } of receiver.received) {
      const expected = createHmac('sha256', receiver.secret).update(body).digest('hex');
      expect(headers['x-service-signature']).toBe(`sha256=${expected}`);
    }
  });
});

describe('contract §8, limits', () => {
  test('"Retries of a failed delivery: up to 5": six attempts, then the delivery has failed', async () => {
    await open();
    receiver.answerWith(answer(500, {}, 'no'));
    const eventId = await stack.emit();
    stack.startDaemon();

    const delivery = await stack.reaches(eventId, 'FAILED', 20_000);
    expect(delivery.attempt_count).toBe(6);
    expect(delivery.last_error_code).toBe('HTTP_500');
    expect(receiver.received).toHaveLength(6);
    const attempts = await stack.rows<{ number: number; status_code: number; response_body: Buffer }>(
      'select * from hookwright.attempts order by number',
    );
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(attempts.every(({ status_code }) => status_code === 500)).toBe(true);
    expect(attempts[0]?.response_body.toString()).toBe('no');
  });

  test('"Backoff delay": 2, 4, 8, 16 and 32 minutes after each failure', async () => {
    await open({ RETRY_BASE_SECONDS: '120' });
    receiver.answerWith(answer(500));
    const eventId = await stack.emit();
    stack.startDaemon();

    const minutes: number[] = [];
    for (let attempt = 1; attempt <= 5; attempt++) {
      const { due_at } = await stack.attempted(eventId, attempt);
      const sentAt = receiver.received.at(-1)?.at.getTime() ?? 0;
      minutes.push(Math.round((due_at.getTime() - sentAt) / 6_000) / 10);
      await bringForward();
    }
    expect(minutes).toEqual([2, 4, 8, 16, 32]);
  });

  /** Time passes for the database: what is scheduled becomes due. */
  async function bringForward() {
    await stack.rows(`update hookwright.deliveries set due_at = now() where status = 'PENDING'`);
    await scheduleDeliveries(stack.services.db.pool);
    await stack.rows(`select pg_notify('jobs:insert', '{"r":0.1,"count":1}')`);
  }

  test('"Auto-disable threshold: 10 consecutive failures across deliveries": not at 9, once at 10', async () => {
    await open({ MAX_RETRIES: '0' });
    receiver.answerWith(answer(500));
    const { webhookId: id } = receiver;
    stack.startDaemon();
    for (let failures = 1; failures <= 9; failures++) {
      await stack.emit();
    }
    await eventually(async () => (await stack.webhookRow(id)).consecutive_failures === 9);
    expect(await stack.webhookRow(id)).toMatchObject({ active: true, disabled_at: null });

    await stack.emit();
    const webhook = await eventually(async () => {
      const row = await stack.webhookRow(id);
      return !row.active && row;
    });
    expect(webhook).toMatchObject({ consecutive_failures: 10, disabled_reason: 'FAILURES', generation: 1 });
    expect(webhook.disabled_at).toBeInstanceOf(Date);
    expect(webhook.last_failure_at).toBeInstanceOf(Date);
    expect(webhook.last_success_at).toBeNull();
    const noted = await stack.rows(
      `select actor, target_id, after from hookwright.audit_log where action = 'WEBHOOK_DISABLED'`,
    );
    const after = '{"active":false,"reason":"FAILURES","consecutiveFailures":10}';
    expect(noted).toEqual([{ actor: 'SERVICE', target_id: String(id), after }]);
  });

  test('a success sets consecutive_failures to 0, so that nine failures and nine more do not disable', async () => {
    await open({ MAX_RETRIES: '0' });
    const { webhookId: id } = receiver;
    stack.startDaemon();
    for (const status of [500, 200, 500]) {
      receiver.answerWith(answer(status));
      const events = status === 200 ? 1 : 9;
      for (let i = 0; i < events; i++) {
        await stack.emit();
      }
      await eventually(async () => (await stack.webhookRow(id)).consecutive_failures === (status === 200 ? 0 : 9));
    }
    expect(await stack.webhookRow(id)).toMatchObject({ active: true, disabled_at: null });
  });
});
