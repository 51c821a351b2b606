import { afterAll, describe, expect, test } from 'vitest';
import { idToDate } from '../../src/domain/ids/delivery-id.js';
import { eventually } from '../support/eventually.js';
import { emitMany, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';
import { gid, numberIn } from '../support/ids.js';
import { lockWaits } from '../support/lock-waits.js';
import { lockRow } from '../support/locks.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
const webhookId = (await makeWebhook(api.services, tenant.id)).id;
afterAll(() => api.close());

/** A delivery of a fresh event, brought into a state as the daemon would leave it. */
async function makeDelivery(status = 'PENDING'): Promise<number> {
  const [eventId] = await emitMany(api.services, tenant.id, 1);
  const { rows } = await api.owner.query(
    `update hookwright.deliveries set status = $2::text::hookwright.delivery_status,
       finished_at = case when $2::text <> 'PENDING' then now() end
     where event_id = $1 returning id`,
    [eventId, status],
  );
  return rows[0].id;
}

const redeliver = (id: number) =>
  api.ask(
    `mutation { redeliver(input: {deliveryId: "${id}"}) {
       delivery { id status attemptCount finishedAt nextAttemptAt } } }`,
    {},
    tenant,
  );

describe('a delivery', () => {
  test('shows where it stands, and its event and webhook', async () => {
    const id = await makeDelivery();
    // Its id has the time of its statement, `due_at` that of the transaction: a second may begin between the two.
    await api.owner.query('update hookwright.deliveries set due_at = $2 where id = $1', [id, idToDate(id)]);
    const { data } = await api.ask(
      `{ delivery(id: "${id}") { id eventType status cancelReason attemptCount createdAt finishedAt nextAttemptAt
         lastStatusCode lastErrorCode event { payload } webhook { id } attempts { number } } }`,
      {},
      tenant,
    );
    expect(data.delivery).toMatchObject({
      id: gid.delivery(id),
      eventType: 'coupon.applied',
      status: 'PENDING',
      cancelReason: null,
      attemptCount: 0,
      finishedAt: null,
      nextAttemptAt: data.delivery.createdAt,
      lastStatusCode: null,
      lastErrorCode: null,
      event: { payload: { code: 'SUMMER', discount_type: 'percent' } },
      webhook: { id: gid.webhook(webhookId) },
      attempts: [],
    });
  });

  test('has no next attempt once it is finished', async () => {
    const id = await makeDelivery('FAILED');
    const { data } = await api.ask(`{ delivery(id: "${id}") { nextAttemptAt finishedAt } }`, {}, tenant);
    expect(data.delivery).toEqual({ nextAttemptAt: null, finishedAt: expect.any(String) });
  });

  test('is found by its state', async () => {
    const id = await makeDelivery('SUCCEEDED');
    const read = async (status: string) => {
      const query = `{ deliveries(filter: {status: ${status}, webhookId: "${webhookId}"}) { edges { node { id } } } }`;
      const { data } = await api.ask(query, {}, tenant);
      return data.deliveries.edges.map(({ node }: { node: { id: string } }) => numberIn(node.id));
    };
    expect(await read('SUCCEEDED')).toEqual([id]);
    expect(await read('CANCELED')).toEqual([]);
  });
});

describe('a redelivery that waited for a change of its webhook', () => {
  test('is due after it, so that an enabling does not take it for an older one', async () => {
    const id = await makeDelivery('FAILED');
    const client = await api.owner.connect();
    try {
      await client.query('begin');
      await client.query(
        'select from hookwright.webhooks where id = (select webhook_id from hookwright.deliveries where id = $1) for update',
        [id],
      );
      const asked = redeliver(id);
      await eventually(async () => {
        const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
        return (await api.owner.query(waiting)).rows.length > 0;
      });
      const { rows } = await client.query('select clock_timestamp() as at');
      await client.query('commit');
      expect((await asked).errors).toEqual([]);
      const { rows: due } = await api.owner.query(
        'select due_at > $2 as later from hookwright.deliveries where id = $1',
        [id, rows[0].at],
      );
      expect(due).toEqual([{ later: true }]);
    } finally {
      client.release();
    }
  });
});

describe('a redelivery of what another session has locked', () => {
  test('is refused for now, and lets go of the webhook soon', async () => {
    const id = await makeDelivery('FAILED');
    await using lock = await lockRow(api.databaseUrl, 'deliveries', id);
    const asked = redeliver(id);
    await eventually(async () => (await api.owner.query(lockWaits)).rows.length > 0);
    const waitingFrom = performance.now();
    await using webhook = await lockRow(api.databaseUrl, 'webhooks', webhookId);
    expect(performance.now() - waitingFrom).toBeLessThan(3_000);
    await webhook.letGo();
    const [error] = (await asked).errors;
    expect(error.extensions).toMatchObject({ code: 'UNAVAILABLE', reason: 'unavailable' });
    expect(error.message).toBe('Another request has locked what this one needs; try again.');
    await lock.letGo();
    expect((await redeliver(id)).errors).toEqual([]);
  });
});

describe('a cancellation of what another session has locked', () => {
  const cancel = (id: number) =>
    api.ask(`mutation { cancelDelivery(input: {id: "${id}"}) { delivery { status } } }`, {}, tenant);

  test('is refused for now within seconds, and changes nothing', async () => {
    const id = await makeDelivery();
    await using lock = await lockRow(api.databaseUrl, 'deliveries', id);
    const begun = performance.now();
    const [error] = (await cancel(id)).errors;
    expect(performance.now() - begun).toBeLessThan(3_000);
    expect(error.extensions).toMatchObject({ code: 'UNAVAILABLE', reason: 'unavailable' });
    expect(error.message).toBe('Another request has locked what this one needs; try again.');
    await lock.letGo();
    expect((await cancel(id)).data).toEqual({ cancelDelivery: { delivery: { status: 'CANCELED' } } });
  }, 20_000);
});

describe('attempts', () => {
  test('of a delivery that was sent again and again are the last hundred', async () => {
    const id = await makeDelivery('FAILED');
    await api.owner.query(
      `insert into hookwright.attempts
         (delivery_id, number, tenant_id, url, started_at, duration_ms, error_code, request_headers)
       select $1, n, $2, 'https://a.example.com/', now(), 5, 'CONNECT_FAILED', '{}' from generate_series(1, 105) n`,
      [id, tenant.id],
    );
    await api.owner.query('update hookwright.deliveries set attempt_count = 105 where id = $1', [id]);
    const { data } = await api.ask(`{ delivery(id: "${id}") { attempts { number } } }`, {}, tenant);
    const numbers = data.delivery.attempts.map(({ number }: { number: number }) => number);
    expect(numbers).toEqual(Array.from({ length: 100 }, (_, index) => index + 6));
  });
});

describe('an attempt', () => {
  test('shows the headers as objects and the body as text and as exact bytes', async () => {
    const id = await makeDelivery('FAILED');
    const body = Buffer.from([0x61, 0x00, 0xff, 0xc3, 0xa9]);
    await api.owner.query(
      `insert into hookwright.attempts (delivery_id, number, tenant_id, url, started_at, duration_ms, status_code,
         error_code, request_headers, response_headers, response_body)
       values ($1, 2, $2, 'https://a.example.com/', now(), 12, 500, 'HTTP_500', '{"x-a":"1"}', '{"set-cookie":["a","b"]}', $3),
              ($1, 1, $2, 'https://a.example.com/', now(), 5000, null, 'CONNECT_TIMEOUT', '{}', null, null)`,
      [id, tenant.id, body],
    );
    const { data, errors } = await api.ask(
      `{ delivery(id: "${id}") { attempts { number url durationMs statusCode errorCode requestHeaders responseHeaders
         responseBody responseBodyBase64 responseTruncated startedAt } } }`,
      {},
      tenant,
    );
    expect(errors).toEqual([]);
    expect(data.delivery.attempts).toMatchObject([
      {
        number: 1,
        statusCode: null,
        errorCode: 'CONNECT_TIMEOUT',
        requestHeaders: {},
        responseHeaders: null,
        responseBody: null,
        responseBodyBase64: null,
      },
      {
        number: 2,
        durationMs: 12,
        statusCode: 500,
        errorCode: 'HTTP_500',
        requestHeaders: { 'x-a': '1' },
        responseHeaders: { 'set-cookie': ['a', 'b'] },
        responseBody: 'a\u0000\ufffdé',
        responseBodyBase64: body.toString('base64'),
        responseTruncated: false,
      },
    ]);
  });
});

describe('redelivery', () => {
  test.each(['SUCCEEDED', 'FAILED', 'CANCELED'])('sends one that is %s again, under the same id', async (status) => {
    const id = await makeDelivery(status);
    const { data, errors } = await redeliver(id);
    expect(errors).toEqual([]);
    expect(data.redeliver.delivery).toMatchObject({ id: gid.delivery(id), status: 'PENDING', finishedAt: null });
    expect(data.redeliver.delivery.nextAttemptAt).toEqual(expect.any(String));
  });

  test.each(['PENDING', 'HELD'])('is a conflict while it is %s', async (status) => {
    const { errors } = await redeliver(await makeDelivery(status));
    expect(errors[0].extensions).toEqual({ code: 'CONFLICT', reason: 'delivery_not_finished' });
  });

  test('is a conflict while the webhook is inactive', async () => {
    const id = await makeDelivery('FAILED');
    const set = (active: boolean) =>
      api.ask(
        `mutation { updateWebhook(input: {id: "${webhookId}", active: ${active}}) { webhook { id } } }`,
        {},
        tenant,
      );
    await set(false);
    expect((await redeliver(id)).errors[0].extensions).toEqual({ code: 'CONFLICT', reason: 'webhook_inactive' });
    await set(true);
    expect(codesOf(await redeliver(id))).toEqual([]);
  });
});
