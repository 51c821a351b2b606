import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BulkSite } from '../support/bulk-operations.js';
import { eventually } from '../support/eventually.js';
import { makeKey, makeTenant, makeWebhook, type TestTenant } from '../support/factories.js';
import { codesOf, type GraphqlApi } from '../support/graphql-api.js';
import { gid, numberIn } from '../support/ids.js';
import { answer, type Received, type Receiver } from '../support/receiver.js';
import { hasCurl, shell } from '../support/shell.js';

let site: BulkSite;
let api: GraphqlApi;
let tenant: TestTenant;
let receiver: Receiver;
let deliveryId: string;
let sent: Received;

/** Everything that a shell, SQL and JSON could trip over. */
const code = `it's "100%" \\ $(id) \`id\` \u0000 \u007f \u009b31m ü 😀 \n 'end'`;

beforeAll(async () => {
  site = await BulkSite.open({ RETRY_BASE_SECONDS: '120' });
  ({ api, tenant, receiver } = site);
  receiver.answerWith(answer(503, { 'x-why': 'busy' }, 'try later'));
  await makeWebhook(api.services, tenant.id, { url: `${receiver.url}?a=[1-2]&b='x'` });
  site.startDaemon();
  const input = { event: 'coupon.applied', payload: { code, discount_type: 'fixed' }, idempotencyKey: 'explored' };
  const { errors } = await site.mutate('emitEvent', input, 'event { id }');
  expect(errors).toEqual([]);
  const [attempt] = await eventually(async () => {
    const rows = await site.rows<{ delivery_id: number }>('select delivery_id from hookwright.attempts');
    return rows.length > 0 && rows;
  }, 30_000);
  deliveryId = gid.delivery(attempt!.delivery_id);
  sent = receiver.received[0]!;
}, 60_000);
afterAll(() => site?.[Symbol.asyncDispose]());

const read = async (fields: string, by: { key: string } = tenant) => {
  const { data, errors } = await api.ask(`{ delivery(id: "${deliveryId}") { ${fields} } }`, {}, by);
  return { delivery: data.delivery, errors };
};

describe('an attempt of the real daemon', () => {
  test('shows its request as it was sent, its answer, and where its time went', async () => {
    const { delivery } = await read(`nextAttemptAt attempts {
      number requestHeaders requestBody responseHeaders responseBody statusCode errorCode
      durationMs dnsMs connectMs tlsMs firstByteMs }`);
    const [attempt] = delivery.attempts;
    expect(attempt).toMatchObject({
      number: 1,
      requestBody: sent.body.toString(),
      responseBody: 'try later',
      statusCode: 503,
      errorCode: 'HTTP_503',
      dnsMs: null,
      connectMs: expect.any(Number),
      tlsMs: null,
      firstByteMs: expect.any(Number),
    });
    expect(attempt.responseHeaders['x-why']).toBe('busy');
    expect(attempt.durationMs).toBeGreaterThanOrEqual(attempt.firstByteMs - 1);
    expect(Object.keys(attempt.requestHeaders)).toEqual(
      expect.arrayContaining(['X-Service-Signature', 'webhook-signature', 'content-type']),
    );
    for (const [name, value] of Object.entries(attempt.requestHeaders)) {
      expect(sent.headers[name.toLowerCase()]).toBe(value);
    }
    expect(Date.parse(delivery.nextAttemptAt)).toBeGreaterThan(Date.now());
  });

  const since = new Date(Date.now() - 3_600_000).toISOString();
  test.each([
    ['its key', { idempotencyKey: 'explored' }, { idempotencyKey: 'explore' }],
    ['its error', { errorCode: 'HTTP_503' }, { errorCode: 'HTTP_500' }],
    ['the class of its status', { statusCodeClass: 'HTTP_5XX' }, { statusCodeClass: 'HTTP_4XX' }],
    [
      'a part of its payload',
      { payloadContains: JSON.stringify(code).slice(1, -1), since },
      { payloadContains: `${JSON.stringify(code).slice(1, -1)}!`, since },
    ],
  ])('is found by %s, and not by another', async (_, its, another) => {
    const found = async (filter: object) => {
      const query = 'query ($filter: DeliveryFilter) { deliveries(filter: $filter) { edges { node { id } } } }';
      const { data, errors } = await api.ask(query, { filter }, tenant);
      expect(errors).toEqual([]);
      return data.deliveries.edges;
    };
    expect(await found(its)).toEqual([{ node: { id: deliveryId } }]);
    expect(await found(another)).toEqual([]);
  });
});

describe('its curl command', () => {
  test('repeats it: the same path, headers and bytes', async () => {
    const { delivery } = await read('asCurl');
    expect(delivery.asCurl).not.toMatch(/(?!\n)\p{Cc}/u);
    if (!hasCurl) {
      return;
    }
    const before = receiver.received.length;
    await shell(delivery.asCurl);
    expect(receiver.received).toHaveLength(before + 1);
    const again = receiver.received.at(-1)!;
    expect(again.path).toBe(sent.path);
    expect(again.body.equals(sent.body)).toBe(true);
    const { connection: _, ...headers } = sent.headers;
    expect(again.headers).toEqual(headers);
  });

  test('has no signature when none is wanted', async () => {
    const { delivery } = await read('asCurl(redactSignature: true)');
    const signatures = Object.entries(sent.headers).filter(([name]) => name.endsWith('-signature'));
    expect(signatures).toHaveLength(2);
    for (const [name, value] of signatures) {
      expect(delivery.asCurl.toLowerCase()).toContain(`'${name}: redacted'`);
      expect(delivery.asCurl).not.toContain(value);
      expect((await read('asCurl')).delivery.asCurl).toContain(value);
    }
  });

  test('and its body are shown to nobody who may not read events', async () => {
    const { key } = await makeKey(api.services, tenant.id, ['deliveries:read']);
    for (const field of ['asCurl', 'attempts { requestBody }']) {
      const { errors } = await read(field, { key });
      expect(errors.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN']);
    }
  });

  test('is unsigned before the first attempt, and null when there is nobody left to send to', async () => {
    const other = await makeTenant(api.services);
    const { id } = await makeWebhook(api.services, other.id, { url: 'https://never.example.com/' });
    await api.ask(`mutation { updateWebhook(input: {id: "${id}", active: false}) { webhook { id } } }`, {}, other);
    const { data } = await api.ask(
      `mutation { emitEvent(input: {event: "coupon.applied", payload: {code: "A", discount_type: "B"}}) {
         event { deliveries { edges { node { id status asCurl } } } } } }`,
      {},
      other,
    );
    const [{ node: held }] = data.emitEvent.event.deliveries.edges;
    expect(held.status).toBe('HELD');
    expect(held.asCurl).toContain(`POST 'https://never.example.com/'`);
    expect(held.asCurl).toContain(`'X-Service-Delivery: ${numberIn(held.id)}'`);
    expect(held.asCurl).not.toMatch(/signature|timestamp/i);
    await api.ask(`mutation { deleteWebhook(input: {id: "${id}"}) { deletedWebhookId } }`, {}, other);
    const later = await api.ask(`{ delivery(id: "${held.id}") { asCurl } }`, {}, other);
    expect(later.data.delivery.asCurl).toBeNull();
  });
});

test('whole payloads have a cost: a hundred of them at once are too much', async () => {
  const many = (field: string, first: number) =>
    api.ask(`{ deliveries(first: ${first}) { edges { node { ${field} } } } }`, {}, tenant);
  expect(codesOf(await many('attempts { requestBody }', 100))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  expect(codesOf(await many('asCurl', 100))).toEqual([]);
  expect(codesOf(await many('attempts { requestBody }', 10))).toEqual([]);
});
