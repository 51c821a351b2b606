import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { type Answer, codesOf, GraphqlApi } from '../support/graphql-api.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
afterAll(() => api.close());
afterEach(() => vi.restoreAllMocks());

const ask = (query: string, variables: Record<string, unknown> = {}): Promise<Answer> =>
  api.ask(query, variables, tenant);

describe('requests that are refused before they run', () => {
  test.each([
    ['GRAPHQL_PARSE_FAILED', '{ webhooks('],
    ['GRAPHQL_VALIDATION_FAILED', '{ nothing }'],
    ['GRAPHQL_VALIDATION_FAILED', '{ webhook { id } }'],
    ['GRAPHQL_VALIDATION_FAILED', '{ webhook(id: {a: 1}) { id } }'],
    ['GRAPHQL_VALIDATION_FAILED', '{ deliveries(filter: {status: LOST}) { edges { cursor } } }'],
  ])('%s with status 400', async (code, query) => {
    const { status, errors, data } = await ask(query);
    expect({ status, data }).toEqual({ status: 400, data: undefined });
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set([code]));
    expect(errors[0].extensions).not.toHaveProperty('stacktrace');
  });

  test('the deepest operation is allowed, and one that is a level deeper is not', async () => {
    const cycle = ['deliveries(first: 1)', 'edges', 'node', 'webhook'];
    const ofDepth = (depth: number) =>
      `{ ${Array.from({ length: depth - 1 }, (_, n) => `${cycle[n % 4]} {`).join(' ')} __typename ${'}'.repeat(depth)}`;
    expect((await ask(ofDepth(12))).errors).toEqual([]);
    expect(codesOf(await ask(ofDepth(13)))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  });

  test('the cost counts page sizes in variables', async () => {
    const query = `query ($n: Int) { webhooks(first: $n) { edges { node { deliveries(first: $n) { edges { node { id } } } } } } }`;
    expect((await ask(query, { n: 20 })).errors).toEqual([]);
    expect((await ask(query, { n: 100 })).status).toBe(400);
    expect((await ask(query, { n: 20 })).errors).toEqual([]);
  });

  test('the cost counts what a variable of @include lets in', async () => {
    const query = `query ($all: Boolean!) { viewer { scopes } webhooks(first: 100) @include(if: $all) { edges { node {
      deliveries(first: 100) { edges { node { event { id } } } } } } } }`;
    expect((await ask(query, { all: false })).errors).toEqual([]);
    expect((await ask(query, { all: true })).status).toBe(400);
    expect((await ask(query, { all: false })).errors).toEqual([]);
  });

  test('variables that do not fit do not make a document free for those that do', async () => {
    const query = `query ($id: ID!) { webhook(id: $id) { id } webhooks(first: 100) { edges { node {
      deliveries(first: 100) { edges { node { event { id } } } } } } } }`;
    expect((await ask(query, {})).status).toBe(400);
    const { errors } = await ask(query, { id: '1' });
    expect(errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  });
});

describe('introspection', () => {
  test('can be turned off, and then names are not suggested either', async () => {
    const closed = await GraphqlApi.open({ INTROSPECTION: 'false' });
    try {
      const { key } = await makeTenant(closed.services);
      const answer = await closed.ask('{ __schema { types { name } } }', {}, { key });
      expect(answer.status).toBe(400);
      expect(new Set(codesOf(answer))).toEqual(new Set(['GRAPHQL_VALIDATION_FAILED']));
      expect((await closed.ask('{ webhoks { edges { cursor } } }', {}, { key })).errors[0].message).not.toContain(
        'webhooks',
      );
      const input = { url: 'https://example.com/', eventTypes: ['*'], secrets: 1 };
      const unknown = await closed.ask(
        'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }',
        { input },
        { key },
      );
      expect(unknown.errors[0].message).toBe('input.secrets: is not a field of this input.');
      expect((await closed.ask('{ viewer { scopes } }', {}, { key })).errors).toEqual([]);
    } finally {
      await closed.close();
    }
  });
});

describe('variables of the wrong kind', () => {
  test.each([
    ['a number for a text', { input: { url: 5, eventTypes: ['*'] } }, ['input', 'url']],
    ['a missing field', { input: { url: 'https://a.example.com/' } }, ['input', 'eventTypes']],
    ['a field that is not known', { input: { url: 'u', eventTypes: [], secret: 'whsec_x' } }, ['input', 'secret']],
    ['null in a list', { input: { url: 'u', eventTypes: [null] } }, ['input', 'eventTypes', 0]],
    ['no input at all', {}, ['input']],
  ])('%s is refused at its place with status 400', async (_name, variables, path) => {
    const query = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }';
    const { status, errors } = await ask(query, variables);
    expect(status).toBe(400);
    expect(errors).toHaveLength(1);
    expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', reason: 'invalid_input', errors: [{ path }] });
  });

  test('what is missing and what is not known have codes of their own', async () => {
    const query = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }';
    const { errors } = await ask(query, { input: { url: 'u', event_types: [] } });
    expect(errors[0].extensions.errors).toEqual([
      { path: ['input', 'eventTypes'], code: 'required', detail: 'is required' },
      {
        path: ['input', 'event_types'],
        code: 'unknown_property',
        detail: 'is not a field of this input, which may have url, eventTypes.',
      },
    ]);
  });

  test('the value itself is not repeated', async () => {
    for (const [type, value] of [
      ['Int', 'hunter2'],
      ['Boolean', 'hunter2'],
      ['DateTime', 'hunter2'],
      ['DeliveryStatus', 'hunter2'],
      ['JSONObject', 'hunter2'],
      ['ID', { a: 'hunter2' }],
      ['String', ['hunter2']],
      ['DeliveryFilter', 'hunter2'],
    ]) {
      const { status, errors } = await ask(`query ($x: ${type}) { viewer { scopes @include(if: true) } __typename }`, {
        x: value,
      });
      // GraphQL itself refuses a variable that is not used; one way or the other the value stays out.
      expect(status).toBe(400);
      expect(JSON.stringify(errors)).not.toContain('hunter2');
    }
    const { errors } = await ask(
      'query ($status: DeliveryStatus) { deliveries(filter: {status: $status}) { edges { cursor } } }',
      { status: 'hunter2' },
    );
    expect(codesOf({ errors } as Answer)).toEqual(['BAD_USER_INPUT']);
    expect(JSON.stringify(errors)).not.toContain('hunter2');
  });
});

describe('a value that is none of an enum’s', () => {
  const inDocument = (value: string) => `{ deliveries(filter: {status: ${value}}) { edges { cursor } } }`;
  const asVariable = 'query ($status: DeliveryStatus) { deliveries(filter: {status: $status}) { edges { cursor } } }';
  const values =
    'The value does not exist in "DeliveryStatus" enum, which has PENDING, HELD, SUCCEEDED, FAILED, CANCELED.';

  test.each(['LOST', '"PENDING"', '5'])('%s in the document is refused with those that there are', async (value) => {
    const { errors } = await ask(inDocument(value));
    expect(errors.map(({ message }) => message)).toEqual([values]);
  });

  test.each(['LOST', 5, { a: 1 }])('%j in a variable is refused with those that there are', async (status) => {
    const { errors } = await ask(asVariable, { status });
    expect(errors[0].extensions.errors).toEqual([{ path: ['status'], code: 'invalid_type', detail: values }]);
  });
});

test.each([
  ['a DateTime', '{ deliveries(filter: {since: "yesterday"}) { edges { cursor } } }', 'DateTime'],
  ['a JSONObject', 'mutation { emitEvent(input: {event: "a.b", payload: "x"}) { duplicate } }', 'JSONObject'],
])('%s of the wrong form in the document is refused at its place', async (_name, query, word) => {
  const { errors } = await ask(query);
  expect(errors.map(({ message, locations }) => [message.includes(word), locations?.[0]?.line])).toEqual([[true, 1]]);
});

test('a field of a query that fails leaves its neighbours their answers', async () => {
  const { key } = await makeKey(api.services, tenant.id, ['webhooks:read']);
  await makeWebhook(api.services, tenant.id);
  const { status, data, errors } = await api.ask(
    `{ webhooks(first: 1) { edges { node { active deliveries(first: 1) { edges { cursor } } } } }
       stats(since: "2026-01-31T00:00:00+00:00") { total { attempts } } }`,
    {},
    { key },
  );
  expect(status).toBe(200);
  expect(data).toEqual({ webhooks: { edges: [{ node: { active: true, deliveries: null } }] }, stats: null });
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
});

describe('trouble on our side', () => {
  const failToBegin = (error: Error) =>
    vi.spyOn(api.services.db.orm.em.constructor.prototype, 'transactional').mockRejectedValue(error);
  const away = () => Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), { code: 'ECONNREFUSED' });
  const remove = 'mutation { deleteWebhook(input: {id: "1"}) { deletedWebhookId } }';

  test('a mutation without the database is 503 with Retry-After', async () => {
    await ask('{ viewer { scopes } }'); // the key is known
    failToBegin(away());
    const { status, headers, errors } = await ask(remove);
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('2');
    expect(errors[0].extensions).toEqual({ code: 'UNAVAILABLE', reason: 'unavailable', retryAfterSeconds: 2 });
    expect(JSON.stringify(errors)).not.toContain('10.1.2.3');
  });

  test('a request of which a part has an answer is 200', async () => {
    await makeWebhook(api.services, tenant.id);
    await ask('{ eventTypes { name } }');
    vi.spyOn(api.services.db.orm.em.constructor.prototype, 'find').mockRejectedValue(away());
    const { status, data, errors } = await ask('{ webhook(id: "1") { id } eventTypes { name } }');
    expect(status).toBe(200);
    expect(data.webhook).toBeNull();
    expect(data.eventTypes.length).toBeGreaterThan(4);
    expect(errors[0].extensions.code).toBe('UNAVAILABLE');
  });

  test('a bug shows nothing of itself, and is logged with the request id', async () => {
    failToBegin(new TypeError('secret detail of the code'));
    const log = vi.spyOn(api.services.log, 'error');
    const { status, errors } = await ask(remove);
    expect(status).toBe(200);
    expect(errors[0]).toMatchObject({
      message: expect.stringContaining('request id'),
      extensions: { code: 'INTERNAL_SERVER_ERROR', reason: 'internal' },
    });
    expect(JSON.stringify(errors)).not.toContain('secret detail');
    expect(log).toHaveBeenCalledWith(expect.objectContaining({ requestId: 'test' }), expect.any(String));
  });
});
