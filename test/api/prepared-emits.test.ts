import { ApolloServer } from '@apollo/server';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { buildServer } from '../../src/api/server.js';
import type { Span, Tracing } from '../../src/platform/telemetry/tracing.js';
import { countEvents, couponPayload, makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { GraphqlApi } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';
import { draws, drawsTimeoutMs, fc } from '../support/properties.js';

/** Requests of a document that ran before skip Apollo's pipeline (docs/decisions/0079). Nothing shows it. */

const DOCUMENT_CHARS_MAX = 2_048;
const api = await GraphqlApi.open({ GRAPHQL_DOCUMENT_CHARS_MAX: `${DOCUMENT_CHARS_MAX}` }, () => 0);
const { services } = api;
const tenant = await makeTenant(services);
const other = await makeTenant(services);
await makeWebhook(services, tenant.id, { eventTypes: ['*'] });
const keys = {
  usual: tenant.key,
  reading: (await makeKey(services, tenant.id, ['events:read'])).key,
  platform: (await makeKey(services, null, ['platform:admin'])).key,
  none: undefined,
  wrong: 'nonsense',
};
const payload = couponPayload;
const event = 'coupon.applied';
await emitted({ event, payload, idempotencyKey: 'repeated' });
await emitted({ event, payload: { ...payload, code: 'another' }, idempotencyKey: 'taken' });
afterAll(() => api.close());
afterEach(() => vi.restoreAllMocks());

async function emitted(input: object): Promise<void> {
  const answer = await api.by(tenant).mutate('emitEvent', input, 'event { id }');
  expect(answer.errors).toEqual([]);
}

interface Request {
  text: string;
  rest: Record<string, unknown>;
  key: string | undefined;
  headers: Record<string, string>;
}

let texts = 0;
/** A text that no request has had, as long as all others of the same document. */
const unknownText = (text: string) => `${text}#${`${++texts}`.padStart(7, '0')}`;

/** What a client and an operator see of a request, without what is another thing each time. */
async function outcomeOf({ text, rest, key, headers }: Request, server = api.server) {
  const refusals = vi.spyOn(services.metrics.graphqlErrors, 'count');
  const emits = vi.spyOn(services.metrics.emits, 'add');
  const limits = vi.spyOn(services.rateLimits, 'charge');
  const byApollo = vi.spyOn(ApolloServer.prototype, 'executeHTTPGraphQLRequest');
  const before = await countEvents(services, tenant.id);
  const response = await server.inject({
    method: 'POST',
    url: '/graphql',
    payload: JSON.stringify({ query: text, ...rest }),
    headers: {
      'content-type': 'application/json',
      'x-request-id': 'test',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
  });
  const seen = {
    status: response.statusCode,
    // The ids in a text may have another number of digits; how much is left of a limit follows from what was charged.
    headers: { ...response.headers, date: '', 'content-length': '', ratelimit: typeof response.headers['ratelimit'] },
    text: response.body
      .replaceAll(/"ev_\d+"/g, '"ev_1"')
      .replaceAll(/("(?:databaseId|number)":)\d+/g, '$11')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00/g, 'T'),
    refusals: refusals.mock.calls,
    emits: emits.mock.calls,
    charges: limits.mock.calls.map(([{ operations, events }]) => ({ operations, events })),
    events: (await countEvents(services, tenant.id)) - before,
  };
  const calls = byApollo.mock.calls.length;
  vi.restoreAllMocks();
  return { seen, byApollo: calls };
}

const leaf = fc.constantFrom(
  'id',
  'number: databaseId',
  'databaseId',
  'eventType',
  'orderingKey',
  'createdAt',
  '__typename',
);
const anyOf = (usual: string[], unusual: string[]) =>
  fc.oneof({ arbitrary: fc.constantFrom(...usual), weight: 4 }, { arbitrary: fc.constantFrom(...unusual), weight: 1 });
const selection = fc
  .tuple(
    fc.array(leaf, { minLength: 1, maxLength: 4 }),
    anyOf(
      ['', 'again: id'],
      ['body', 'payload', 'bodyBytes', 'unknown', 'id @skip(if: true)', 'onlyWebhookId', '...{ id }'],
    ),
    fc.shuffledSubarray(['deliveryCount', 'duplicate', 'count: deliveryCount', '__typename', '__proto__: duplicate']),
    anyOf(['', ''], ['duplicate', 'deliveryCount @include(if: true)', 'event { id }']),
  )
  .map(([fields, more, outer, last]) => `{ event { ${fields.join(' ')} ${more} } ${outer.join(' ')} ${last} }`);

/** Documents in which `SELECTION` is replaced, each with variables of its own that are good. */
const usualDocument = 'mutation Emit($input: EmitEventInput!) { emitEvent(input: $input) SELECTION }';
const partsDocument =
  'mutation Emit($event: String!, $payload: JSONObject, $key: String) { emitEvent(input: {event: $event, payload: $payload, orderingKey: $key}) SELECTION }';
const documents = anyOf(
  [usualDocument, usualDocument, partsDocument],
  [
    'mutation Emit($input: EmitEventInput!) { sent: emitEvent(input: $input) SELECTION }',
    'mutation Emit($input: EmitEventInput!) { __proto__: emitEvent(input: $input) SELECTION }',
    'mutation($input: EmitEventInput!) { emitEvent(input: $input) SELECTION }',
    'mutation Emit($input: EmitEventInput) { emitEvent(input: $input) SELECTION }',
    'mutation Emit($input: EmitEventInput = {event: "coupon.applied", payload: {code: "A", discount_type: "x"}}) { emitEvent(input: $input) SELECTION }',
    'mutation Emit($input: EmitEventInput! = {event: "coupon.applied", payload: {code: "A", discount_type: "x"}}) { emitEvent(input: $input) SELECTION }',
    'mutation Emit { emitEvent(input: {event: "coupon.applied", payload: {code: "A", discount_type: "x"}}) SELECTION }',
    'mutation Emit($input: EmitEventInput!) { emitEvent(input: $input) { ...Sent } } fragment Sent on EmitEventPayload SELECTION',
    'mutation Emit($input: EmitEventInput!) { emitEvent(input: $input) SELECTION } query Other { viewer { scopes } }',
    'mutation Emit($input: EmitEventInput!) { a: emitEvent(input: $input) SELECTION b: emitEvent(input: $input) SELECTION }',
    'mutation Emit($input: EmitEventInput!) { __typename emitEvent(input: $input) SELECTION }',
    'mutation Emit($input: EmitEventInput!) { emitEvent(input: $input) @skip(if: false) SELECTION }',
    'mutation Emit($input: EmitEventInput!) { emitEvent(input: $input) SELECTION }'.padEnd(DOCUMENT_CHARS_MAX, ' '),
    'mutation Emit($input: EmitEventInput!) { emitEvent(input: $input)',
    '{ __schema { mutationType { name } } }',
  ],
);
const document = fc.tuple(documents, selection).map(([text, selected]) => text.replaceAll('SELECTION', selected));

const good = { event, payload };
const input = fc.oneof(
  { arbitrary: fc.constantFrom<object>(good, { event, body: JSON.stringify(payload) }), weight: 2 },
  {
    arbitrary: fc.constantFrom<unknown>(
      { ...good, orderingKey: 'order-1' },
      { ...good, tenantId: `${tenant.id}` },
      { ...good, tenantId: tenant.id },
      { ...good, tenantId: gid.tenant(tenant.id) },
      { ...good, tenantId: other.id },
      { ...good, idempotencyKey: 'repeated' },
      { ...good, idempotencyKey: 'taken' },
      { ...good, idempotencyKey: '' },
      { ...good, idempotencyKey: null, orderingKey: null },
      { ...good, orderingKey: 'ä' },
      { ...good, body: '{}' },
      { ...good, more: 1 },
      { event },
      { payload },
      { event: 1, payload },
      { event: 'a.b', payload },
      { event: 'webhook.test', payload: { message: 'm' } },
      { event, payload: 'x' },
      { event, payload: [] },
      { event, payload: null },
      { event, payload: { ...payload, code: 1, more: 'x' } },
      { event, payload: { ...payload, more: { deep: [null] } } },
      { event, body: '{"code":"A","code":"B"}' },
      { event, body: 'nonsense' },
      null,
      'x',
      [],
      [good],
    ),
    weight: 3,
  },
);
const variables = fc.oneof(
  { arbitrary: input.map((given) => ({ ...(given as object), input: given, key: 'k' })), weight: 8 },
  { arbitrary: fc.constantFrom<unknown>({}, null, undefined, [], 'x', 1, { input: good, more: 1 }), weight: 1 },
);
const rest = fc.record(
  {
    variables,
    operationName: anyOf(['Emit'], ['Other', 'emit', '', 'x'.repeat(300)]).map((name) => name as unknown),
    extensions: fc.constantFrom<unknown>(
      null,
      {},
      { more: 1 },
      { persistedQuery: { version: 1, sha256Hash: 'x' } },
      'x',
    ),
  },
  { requiredKeys: ['variables'] },
);
const request = fc.record({
  text: document,
  rest: fc.oneof({ arbitrary: fc.record({ variables }), weight: 2 }, { arbitrary: rest, weight: 1 }),
  key: fc.oneof(
    { arbitrary: fc.constant<string | undefined>(keys.usual), weight: 6 },
    { arbitrary: fc.constantFrom(...Object.values(keys)), weight: 1 },
  ),
  headers: fc.oneof(
    { arbitrary: fc.constant<Record<string, string>>({}), weight: 4 },
    {
      arbitrary: fc.constantFrom<Record<string, string>>(
        { accept: 'application/graphql-response+json' },
        { accept: 'text/html' },
        { 'hookwright-tenant': `${tenant.id}` },
      ),
      weight: 1,
    },
  ),
});

/** Has a document run once, so that it is known. */
const teach = (text: string, server = api.server) =>
  outcomeOf({ text, rest: { variables: { ...good, input: good } }, key: keys.usual, headers: {} }, server);

describe('an emit whose document is known', () => {
  test(
    'is answered, counted and charged to the byte like one whose document is not',
    async () => {
      let prepared = 0;
      await fc.assert(
        fc.asyncProperty(request, async (one) => {
          const text = unknownText(one.text);
          await teach(text);
          const known = await outcomeOf({ ...one, text });
          const unknown = await outcomeOf({ ...one, text: unknownText(one.text) });
          expect(known.seen).toEqual(unknown.seen);

          prepared += unknown.byApollo - known.byApollo;
        }),
        draws(1 / 3),
      );
      expect(prepared).toBeGreaterThan(30);
    },
    drawsTimeoutMs(60_000),
  );

  const usual = usualDocument.replace('SELECTION', '{ event { id } deliveryCount }');
  const variables = { input: good };
  const ways = [
    ['a fault', new Error('a secret'), 200],
    ['an outage', Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED' }), 503],
  ] as const;

  test.each(ways)('says the same of %s', async (_, error, status) => {
    const text = unknownText(usual);
    await teach(text);
    const fail = (one: string) => {
      vi.spyOn(services.emitter, 'emit').mockRejectedValue(error);
      return outcomeOf({ text: one, rest: { variables }, key: keys.usual, headers: {} });
    };
    const [known, unknown] = [await fail(text), await fail(unknownText(usual))];
    expect(known.seen).toEqual(unknown.seen);
    expect(known.seen).toMatchObject({ status, events: 0 });
    expect(known.byApollo).toBe(0);
  });

  test('is refused by the same limit, once', async () => {
    await using limited = await GraphqlApi.open({ EMIT_RATE_MAX: '1', EVENTS_PER_REQUEST_MAX: '2' }, () => 0);
    const { key } = await makeTenant(limited.services);
    const refusals = vi.spyOn(limited.services.metrics.limited, 'count');
    const answers = [];
    for (let number = 0; number < 6; number++) {
      answers.push(await limited.ask(usual, variables, { key }));
    }
    const refused = answers.filter(({ errors }) => errors.length > 0);
    expect(refused.length).toBeGreaterThan(1);
    expect(refusals).toHaveBeenCalledTimes(refused.length);
    const [first, ...others] = refused.map(({ status, headers, errors }) => ({
      status,
      errors,
      retryAfter: headers.get('retry-after'),
      policy: headers.get('ratelimit-policy'),
    }));
    expect(first).toMatchObject({ status: 429, policy: expect.stringContaining('emit') });
    expect(others).toEqual(others.map(() => first));
  });

  test('has the same spans', async () => {
    const spans: unknown[] = [];
    const spanOf = (name: string): Span => ({
      traceparent: null,
      child: (child, kind, attributes) => {
        spans.push([name, child, kind, attributes]);
        return spanOf(child);
      },
      set: (attributes) => void spans.push([name, Object.keys(attributes)]),
      end: (error) => void spans.push([name, error]),
    });
    const tracing: Tracing = { start: spanOf, close: async () => {} };
    await using server = await buildServer({ ...services, tracing });
    const traced = async (text: string) => {
      spans.length = 0;
      const { byApollo } = await outcomeOf({ text, rest: { variables }, key: keys.usual, headers: {} }, server);
      return { byApollo, spans: [...spans] };
    };
    const text = unknownText(usual);
    const unknown = await traced(text);
    expect(await traced(text)).toEqual({ ...unknown, byApollo: 0 });
    expect(unknown.spans).not.toEqual([]);
  });
});
