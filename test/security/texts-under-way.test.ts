import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { makeTenant, makeWebhook } from '../support/factories.js';
import { RestApi } from '../support/rest-api.js';

/** The longest payload: 64 of them are all that an answer may have here, more than the kernel takes for a stalled client. */
const body = JSON.stringify({ code: 'x'.repeat(256 * 1024 - 31), discount_type: 'y' });

let api: RestApi;
beforeAll(async () => {
  api = await RestApi.open({ GRAPHQL_ANSWER_BYTES_MAX: '16777216' });
  await api.server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => api[Symbol.asyncDispose]());

async function tenantWithEvents() {
  const made = await makeTenant(api.services);
  await makeWebhook(api.services, made.id);
  const emit = { tenantId: made.id, eventType: 'coupon.applied', idempotencyKey: null, onlyWebhookId: null };
  await api.services.emitter.emit(Array.from({ length: 64 }, () => ({ ...emit, body })));
  return made;
}

const query = '{ events(first: 64) { edges { node { body } } } }';
const ask = (key: string, document = query) => api.ask('POST //graphql', { json: { query: document }, key });

/** Begins to read an answer, and stops. */
function stall(key: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { port } = api.server.server.address() as AddressInfo;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const options = { host: '127.0.0.1', port, method: 'POST', path: '/graphql', headers, agent: false };
    const request = httpRequest(options, (response) => resolve(response.pause()));
    request.on('error', reject);
    request.end(JSON.stringify({ query }));
  });
}

describe('what a tenant has under way of long texts', () => {
  test('never has a mutation that took effect answered as a request that was refused', async () => {
    const tenant = await tenantWithEvents();
    const all = 4 * 16_777_216;
    expect(api.services.textsUnderWay.take(tenant.id, all)).toBeNull();
    try {
      const { status, headers, body } = await ask(
        tenant.key,
        `mutation { emitEvent(input: {event: "coupon.applied", payload: {code: "a", discount_type: "b"}}) {
           event { id body } } }`,
      );
      expect(body.errors).toMatchObject([
        { path: ['emitEvent', 'event', 'body'], extensions: { code: 'RATE_LIMITED' } },
      ]);
      expect(status).toBe(200);
      expect(headers['retry-after']).toBeUndefined();
    } finally {
      api.services.textsUnderWay.giveBack(tenant.id, all);
    }
    const { body } = await ask(tenant.key, '{ events(first: 100) { edges { node { id } } } }');
    expect(body.data.events.edges).toHaveLength(65);
  });

  test('is as much as four answers may have, until they are taken or given up', async () => {
    const [tenant, other] = [await tenantWithEvents(), await tenantWithEvents()];
    const stalled = await Promise.all(Array.from({ length: 4 }, () => stall(tenant.key)));
    const refused = await ask(tenant.key);
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.body.errors[0].message).toBe(
      'The answers that are on their way to this tenant already hold as much long text as they may, 67108864 bytes. Try again in 1 s.',
    );
    const single = query.replace('first: 64', 'first: 1');
    expect((await ask(other.key, single)).body.errors).toBeUndefined();
    const { textsUnderWay } = api.services;
    /** Whether there is room again for so many answers. */
    const isRoomFor = (answers: number) => {
      const bytes = answers * 16_777_216;
      const isTaken = textsUnderWay.take(tenant.id, bytes) === null;
      textsUnderWay.giveBack(tenant.id, isTaken ? bytes : 0);
      return isTaken;
    };
    stalled[0]!.destroy();
    await eventually(() => isRoomFor(1), 20_000);
    for (const response of stalled) {
      response.destroy();
    }
    await eventually(() => isRoomFor(4), 20_000);
    expect((await ask(tenant.key)).body.errors).toBeUndefined();
    await eventually(() => isRoomFor(4), 20_000);
  });
});
