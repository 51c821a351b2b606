import { afterAll, describe, expect, test } from 'vitest';
import { idToDate } from '../../src/domain/ids/delivery-id.js';
import { eventually } from '../support/eventually.js';
import { emitMany, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, GraphqlApi, nodesOf } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';
import { lockWaits } from '../support/lock-waits.js';
import { lockRow } from '../support/locks.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
const { ask, mutate, read } = api.by(tenant);
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
const delivery = async (id: number, selection: string) =>
  (await read(`{ delivery(id: "${id}") { ${selection} } }`)).delivery;
const redeliver = (id: number) =>
  mutate('redeliver', { deliveryId: String(id) }, 'delivery { id status finishedAt nextAttemptAt }');
const locksAwaited = () => eventually(async () => (await api.owner.query(lockWaits)).rows.length > 0);

/** Attempts of a delivery, with values in SQL for the columns from `duration_ms` on. */
const makeAttempts = (id: number, values: string, parameters: unknown[] = []) =>
  api.owner.query(
    `insert into hookwright.attempts (delivery_id, tenant_id, url, started_at, request_headers, number, duration_ms,
       status_code, error_code, response_headers, response_body)
     select $1, ${tenant.id}, 'https://a.example.com/', now(), made.* from (${values}) made`,
    [id, ...parameters],
  );

describe('a delivery', () => {
  test('shows where it stands, and its event and webhook', async () => {
    const id = await makeDelivery();
    // Its id has the time of its statement, `due_at` that of the transaction: a second may begin between the two.
    await api.owner.query('update hookwright.deliveries set due_at = $2 where id = $1', [id, idToDate(id)]);
    const found = await delivery(
      id,
      `id eventType status cancelReason attemptCount createdAt finishedAt nextAttemptAt lastStatusCode lastErrorCode
       event { payload } webhook { id } attempts { number }`,
    );
    expect(found).toMatchObject({
      id: gid.delivery(id),
      eventType: 'coupon.applied',
      status: 'PENDING',
      cancelReason: null,
      attemptCount: 0,
      finishedAt: null,
      nextAttemptAt: found.createdAt,
      lastStatusCode: null,
      lastErrorCode: null,
      event: { payload: { code: 'SUMMER', discount_type: 'percent' } },
      webhook: { id: gid.webhook(webhookId) },
      attempts: [],
    });
  });

  test('has no next attempt once it is finished', async () => {
    const found = await delivery(await makeDelivery('FAILED'), 'nextAttemptAt finishedAt');
    expect(found).toEqual({ nextAttemptAt: null, finishedAt: expect.any(String) });
  });

  test('is found by its state', async () => {
    const id = await makeDelivery('SUCCEEDED');
    const ids = async (status: string) => {
      const query = `{ deliveries(filter: {status: ${status}, webhookId: "${webhookId}"}) { edges { node { id } } } }`;
      return nodesOf((await read(query)).deliveries);
    };
    expect(await ids('SUCCEEDED')).toEqual([{ id: gid.delivery(id) }]);
    expect(await ids('CANCELED')).toEqual([]);
  });
});

test('a redelivery that waited for a change of its webhook is due after it, so that enabling does not include it', async () => {
  const id = await makeDelivery('FAILED');
  await using lock = await lockRow(api.databaseUrl, 'webhooks', webhookId);
  const asked = redeliver(id);
  await locksAwaited();
  const { rows } = await api.owner.query('select clock_timestamp() as at');
  await lock.letGo();
  expect((await asked).errors).toEqual([]);
  const due = await api.owner.query('select due_at > $2 as later from hookwright.deliveries where id = $1', [
    id,
    rows[0].at,
  ]);
  expect(due.rows).toEqual([{ later: true }]);
});

describe('while another session has locked the delivery', () => {
  const refusal = {
    message: 'Another request has locked what this one needs; try again.',
    extensions: { code: 'UNAVAILABLE', reason: 'unavailable' },
  };

  test('a redelivery is refused for now, and lets go of the webhook soon', async () => {
    const id = await makeDelivery('FAILED');
    await using lock = await lockRow(api.databaseUrl, 'deliveries', id);
    const asked = redeliver(id);
    await locksAwaited();
    const waitingFrom = performance.now();
    await using webhook = await lockRow(api.databaseUrl, 'webhooks', webhookId);
    expect(performance.now() - waitingFrom).toBeLessThan(3_000);
    await webhook.letGo();
    expect((await asked).errors).toMatchObject([refusal]);
    await lock.letGo();
    expect((await redeliver(id)).errors).toEqual([]);
  });

  test('a cancellation is refused for now within seconds, and changes nothing', async () => {
    const cancel = (id: number) => mutate('cancelDelivery', { id: String(id) }, 'delivery { status }');
    const id = await makeDelivery();
    await using lock = await lockRow(api.databaseUrl, 'deliveries', id);
    const begun = performance.now();
    expect((await cancel(id)).errors).toMatchObject([refusal]);
    expect(performance.now() - begun).toBeLessThan(3_000);
    await lock.letGo();
    expect((await cancel(id)).data).toEqual({ cancelDelivery: { delivery: { status: 'CANCELED' } } });
  }, 20_000);
});

describe('attempts', () => {
  test('of a delivery that was sent again and again are the last hundred', async () => {
    const id = await makeDelivery('FAILED');
    await makeAttempts(
      id,
      `select '{}'::json, n, 5, null::integer, 'CONNECT_FAILED', null::json, null::bytea from generate_series(1, 105) n`,
    );
    await api.owner.query('update hookwright.deliveries set attempt_count = 105 where id = $1', [id]);
    const { attempts } = await delivery(id, 'attempts { number }');
    expect(attempts).toEqual(Array.from({ length: 100 }, (_, index) => ({ number: index + 6 })));
  });

  test.each([
    ['the first ones', 'first: 2', [1, 2]],
    ['those after a number', 'first: 2, after: 3', [4, 5]],
    ['the last ones', 'last: 2', [6, 7]],
    ['the last ones after a number', 'last: 5, after: 5', [6, 7]],
    ['all after a number', 'after: 4', [5, 6, 7]],
    ['none beyond the highest number', 'first: 100, after: 2147483647', []],
  ])('are read in parts: %s', async (_part, page, numbers) => {
    const id = await makeDelivery('FAILED');
    await makeAttempts(
      id,
      `select '{}'::json, n, 5, null::integer, 'CONNECT_FAILED', null::json, null::bytea from generate_series(1, 7) n`,
    );
    await api.owner.query('update hookwright.deliveries set attempt_count = 7 where id = $1', [id]);
    const { attempts } = await delivery(id, `attempts(${page}) { number }`);
    expect(attempts.map(({ number }: { number: number }) => number)).toEqual(numbers);
  });

  test.each([
    ['first: 0', 'first'],
    ['first: 101', 'first'],
    ['last: 101', 'last'],
    ['first: 1, last: 1', 'last'],
  ])('are refused for a part of a wrong size: %s', async (page, path) => {
    const id = await makeDelivery('FAILED');
    const { errors } = await ask(`{ delivery(id: "${id}") { attempts(${page}) { number } } }`);
    expect(errors[0].extensions.errors[0].path).toEqual([path]);
  });

  test('show the headers as objects and the body as text and as exact bytes', async () => {
    const id = await makeDelivery('FAILED');
    const body = Buffer.from([0x61, 0x00, 0xff, 0xc3, 0xa9]);
    await makeAttempts(
      id,
      `values ('{"x-a":"1"}'::json, 2, 12, 500, 'HTTP_500', '{"set-cookie":["a","b"]}'::json, $2::bytea),
              ('{}', 1, 5000, null, 'CONNECT_TIMEOUT', null, null)`,
      [body],
    );
    const { attempts } = await delivery(
      id,
      `attempts { number url durationMs statusCode errorCode requestHeaders responseHeaders
         responseBody responseBodyBase64 responseTruncated startedAt }`,
    );
    expect(attempts).toMatchObject([
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
    expect(data.redeliver.delivery).toEqual({
      id: gid.delivery(id),
      status: 'PENDING',
      finishedAt: null,
      nextAttemptAt: expect.any(String),
    });
  });

  test.each(['PENDING', 'HELD'])('is a conflict while it is %s', async (status) => {
    const { errors } = await redeliver(await makeDelivery(status));
    expect(errors[0].extensions).toEqual({ code: 'CONFLICT', reason: 'delivery_not_finished' });
  });

  test('is a conflict while the webhook is inactive', async () => {
    const id = await makeDelivery('FAILED');
    const set = (active: boolean) => mutate('updateWebhook', { id: String(webhookId), active }, 'webhook { id }');
    await set(false);
    expect((await redeliver(id)).errors[0].extensions).toEqual({ code: 'CONFLICT', reason: 'webhook_inactive' });
    await set(true);
    expect(codesOf(await redeliver(id))).toEqual([]);
  });
});
