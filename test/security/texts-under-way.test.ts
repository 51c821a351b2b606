import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { couponEmit, makeTenant, makeWebhook } from '../support/factories.js';
import { serve } from '../support/loopback.js';
import { RestApi } from '../support/rest-api.js';

/** The longest payload: 64 of them are all that an answer may have here, more than the kernel takes for a stalled client. */
const body = JSON.stringify({ code: 'x'.repeat(256 * 1024 - 31), discount_type: 'y' });
const ANSWER_BYTES_MAX = 16_777_216;
const api = await RestApi.open({ GRAPHQL_ANSWER_BYTES_MAX: String(ANSWER_BYTES_MAX) });
const port = await serve(api.server);
afterAll(() => api[Symbol.asyncDispose]());

async function tenantWithEvents() {
  const made = await makeTenant(api.services);
  await makeWebhook(api.services, made.id);
  await api.services.emitter.emit(Array(64).fill(couponEmit(made.id, { body })));
  return made;
}

/** With the names beside the texts, a little less than an answer may have. */
const query = '{ events(first: 63) { edges { node { body } } } }';
const ask = (key: string, document = query) => api.ask('POST //graphql', { json: { query: document }, key });

/** Begins to read an answer, and stops. */
function stall(key: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const options = { host: '127.0.0.1', port, method: 'POST', path: '/graphql', headers, agent: false };
    const request = httpRequest(options, (response) => resolve(response.pause()));
    request.on('error', reject);
    request.end(JSON.stringify({ query }));
  });
}

/** Takes what room a tenant has left. @returns how much that was, to a KiB */
function fill(tenantId: number): number {
  let bytes = 0;
  while (api.services.answerMemory.reserve(tenantId, 1_024) === null) {
    bytes += 1_024;
  }
  return bytes;
}

describe('what a tenant has under way of long texts', () => {
  test('never has a mutation that took effect answered as a request that was refused', async () => {
    const tenant = await tenantWithEvents();
    const all = 4 * ANSWER_BYTES_MAX;
    expect(api.services.answerMemory.reserve(tenant.id, all)).toBeNull();
    const { status, headers, body } = await ask(
      tenant.key,
      `mutation { emitEvent(input: {event: "coupon.applied", payload: {code: "a", discount_type: "b"}}) {
         event { id body } } }`,
    );
    api.services.answerMemory.free(tenant.id, all);
    expect(body.errors).toMatchObject([{ path: ['emitEvent', 'event', 'body'], extensions: { code: 'RATE_LIMITED' } }]);
    expect(status).toBe(200);
    expect(headers['retry-after']).toBeUndefined();
    const after = await ask(tenant.key, '{ events(first: 100) { edges { node { id } } } }');
    expect(after.body.data.events.edges).toHaveLength(65);
  });

  test('is as much as four answers may have, until they are taken or given up', async () => {
    const [tenant, other] = [await tenantWithEvents(), await tenantWithEvents()];
    const stalled = await Promise.all(Array.from({ length: 4 }, () => stall(tenant.key)));
    const rest = fill(tenant.id);
    const refused = await ask(tenant.key);
    expect(refused.body.data.events.edges).toEqual(Array(63).fill({ node: { body: null } }));
    expect(refused.body.errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
    expect(refused.body.errors[0].message).toBe(
      'The unread answers of this tenant already have 67108864 bytes, the limit. Try again in 1 s.',
    );
    const single = query.replace('first: 63', 'first: 1');
    expect((await ask(other.key, single)).body.errors).toBeUndefined();
    const { answerMemory } = api.services;
    /** Whether there is room again for so many answers. */
    const isRoomFor = (answers: number) => {
      const bytes = answers * ANSWER_BYTES_MAX;
      const isTaken = answerMemory.reserve(tenant.id, bytes) === null;
      answerMemory.free(tenant.id, isTaken ? bytes : 0);
      return isTaken;
    };
    answerMemory.free(tenant.id, rest);
    stalled[0]!.destroy();
    await eventually(() => isRoomFor(1), 20_000);
    for (const response of stalled) {
      response.destroy();
    }
    await eventually(() => isRoomFor(4), 20_000);
    expect((await ask(tenant.key)).body.errors).toBeUndefined();
    await eventually(() => isRoomFor(4), 20_000);
  });

  test('counts short texts too, when there are enough of them: urls in a query, and in a list over REST', async () => {
    const tenant = await makeTenant(api.services);
    for (let n = 0; n < 40; n++) {
      await makeWebhook(api.services, tenant.id, { url: `https://receiver.example.com/${'x'.repeat(2_000)}${n}` });
    }
    const urls = '{ webhooks(first: 100) { edges { node { url } } } }';
    const list = () => api.ask('GET /webhooks', { key: tenant.key });
    expect((await ask(tenant.key, urls)).status).toBe(200);
    expect((await list()).status).toBe(200);
    const rest = fill(tenant.id);
    const [refused, refusedList] = [await ask(tenant.key, urls), await list()];
    expect(refused.status).toBe(429);
    expect(refused.body.errors[0].extensions.code).toBe('RATE_LIMITED');
    expect(refusedList.status).toBe(429);
    expect(refusedList.headers['retry-after']).toBe('1');
    expect((await ask(tenant.key, '{ webhooks(first: 10) { edges { node { url } } } }')).status).toBe(200);
    api.services.answerMemory.free(tenant.id, rest);
    expect((await list()).status).toBe(200);
    expect(api.services.answerMemory.reserve(tenant.id, 4 * ANSWER_BYTES_MAX)).toBeNull(); // nothing is held for ever
    api.services.answerMemory.free(tenant.id, 4 * ANSWER_BYTES_MAX);
  });
});
