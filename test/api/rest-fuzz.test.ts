import fc from 'fast-check';
import { GraphQLError } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildGraphqlSchema } from '../../src/graphql/schema.js';
import { prepareOperation } from '../../src/rest/run-operation.js';
import { RestApi } from '../support/rest-api.js';

const json = { 'content-type': 'application/json' };
let api: RestApi;
let id: number;
beforeAll(async () => {
  api = await RestApi.open({ WEBHOOKS_PER_TENANT_MAX: '1000000' });
  ({ id } = await api.webhook());
});
afterAll(() => api[Symbol.asyncDispose]());

const text = fc.string({ unit: 'binary', maxLength: 40 });
const eventName = fc.oneof(fc.constantFrom('*', 'booking.created', 'coupon.applied', 'webhook.test'), text);
const url = fc.oneof(
  fc.webUrl(),
  text,
  fc.tuple(fc.constantFrom('https://', 'http://', '//'), text).map((parts) => parts.join('')),
);
const body = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      url: fc.oneof(url, fc.jsonValue()),
      events: fc.oneof(fc.array(eventName, { maxLength: 5 }), fc.jsonValue()),
      active: fc.oneof(fc.boolean(), fc.jsonValue()),
      other: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
);

/** Never a 500 for anything that a client sends. */
function expectSane({ status, headers }: { status: number; headers: Record<string, unknown> }): void {
  expect(status).toBeLessThan(500);
  if (status >= 400) {
    expect(headers['content-type']).toBe('application/problem+json');
  }
}

describe('whatever is sent, the answer is a success or a 4xx problem', () => {
  test('any JSON as a body', async () => {
    await fc.assert(
      fc.asyncProperty(body, async (payload) => {
        const request = { headers: json, payload: JSON.stringify(payload) };
        expectSane(await api.ask('POST /webhooks', request));
        expectSane(await api.ask(`PATCH /webhooks/${id}`, request));
      }),
      { numRuns: 200 },
    );
  });

  test('any bytes as a body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), async (bytes) => {
        expectSane(await api.ask('POST /webhooks', { headers: json, payload: Buffer.from(bytes) }));
      }),
    );
  });

  test('any query and any id', async () => {
    const name = fc.oneof(fc.constantFrom('limit', 'cursor', 'active', 'event'), text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, text), { maxLength: 4 }), text, async (pairs, idText) => {
        const query = pairs
          .map((pair) => pair.map((part) => encodeURIComponent(part.toWellFormed())).join('='))
          .join('&');
        expectSane(await api.ask(`GET /webhooks?${query}`));
        expectSane(await api.ask(`GET /webhooks/${encodeURIComponent(idText.toWellFormed())}`));
      }),
    );
  });
});

describe('the documents behind the routes', () => {
  test('one that does not fit the schema stops the start', async () => {
    const schema = await buildGraphqlSchema();
    expect(() => prepareOperation(schema, '{ webhooks { edges { node { renamed } } } }')).toThrow(/renamed/);
    expect(() => prepareOperation(schema, '{ webhooks {')).toThrow(GraphQLError);
  });
});
