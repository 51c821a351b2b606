import { afterAll, describe, expect, test, vi } from 'vitest';
import { KnownTexts } from '../../src/api/graphql/execution/stores.js';
import { makeKey } from '../support/factories.js';
import { RestApi, type RestRequest } from '../support/rest-api.js';

const RESPONSE_TYPE = 'application/graphql-response+json';
const query = '{ viewer { tenant { id } } }';
const api = await RestApi.open();
afterAll(() => api[Symbol.asyncDispose]());

const post = (json: unknown, headers: Record<string, string> = {}, more: RestRequest = {}) =>
  api.ask('POST //graphql', { json, headers, ...more });
/** A header that a page of another site can send only after a preflight request. */
const preflighted = { 'apollo-require-preflight': 'true' };
const get = (parameters: Record<string, string> | string[][], headers: Record<string, string> = {}) =>
  api.ask(`GET //graphql?${new URLSearchParams(parameters)}`, { headers: { ...preflighted, ...headers } });
const expectRefusal = ({ status, body }: { status: number; body: unknown }, wanted = 400, code = 'BAD_REQUEST') =>
  expect({ status, body }).toEqual({
    status: wanted,
    body: { errors: [{ message: expect.any(String), extensions: { code } }] },
  });

describe('the type of an answer', () => {
  test.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['text/html, */*;q=0.8', 'application/json'],
    ['application/json, application/graphql-response+json', 'application/json'],
    ['application/graphql-response+json', RESPONSE_TYPE],
    ['application/json5, application/graphql-response+json', RESPONSE_TYPE],
    ['Application/GraphQL-Response+JSON, application/json;q=0.9', RESPONSE_TYPE],
    ['text/event-stream, application/graphql-response+json; charset=utf-8, */*', RESPONSE_TYPE],
    ['application/json;charset="utf-8"', 'application/json'],
    ['application/graphql-response+json; Charset="UTF-8"; q=0.5', RESPONSE_TYPE],
    ['application/json;q=0.1, application/graphql-response+json;q=0.9', RESPONSE_TYPE],
    ['application/json;q=0, */*', RESPONSE_TYPE],
    ['application/graphql-response+json;q=0.0, application/*;q=0.2', 'application/json'],
    ['application/json;q=', 'application/json'],
  ])('for Accept: %s it is %s, also when the request is refused', async (accept, type) => {
    const headers = accept === undefined ? {} : { accept };
    const answers = [await post({ query }, headers), await post({ query: '{ nothing }' }, headers)];
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    for (const { headers, text } of answers) {
      expect(headers['content-type']).toBe(`${type}; charset=utf-8`);
      expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
    }
  });

  test.each([
    'text/html',
    'text/event-stream',
    'multipart/mixed',
    'application/json; charset=latin1',
    'application/json;q=0',
    'application/json; q=0.000, application/graphql-response+json; Q=0',
    '*/*;q=0',
  ])('a client that takes only %s gets 406, and nothing is done', async (accept) => {
    const emit = vi.spyOn(api.services.emitter, 'emit');
    const mutation =
      'mutation { emitEvent(input: {event: "coupon.applied", payload: {code: "A", discount_type: "B"}}) { duplicate } }';
    expectRefusal(await post({ query: mutation }, { accept }), 406);
    expect(emit).not.toHaveBeenCalled();
    emit.mockRestore();
  });
});

test.each([
  [RESPONSE_TYPE, 403],
  ['application/json', 200],
])('an answer of the type %s without data has the status %i when the key lacks a scope', async (accept, expected) => {
  const query = 'mutation { createTenant(input: {name: "x"}) { tenant { id } } }';
  const { status, body } = await post({ query }, { accept });
  expect(body).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
  expect(body).not.toHaveProperty('data');
  expect(status).toBe(expected);
});

describe('a request in a URL', () => {
  test('has its variables and the name of its operation there too', async () => {
    const { status, body } = await get({
      query:
        'query A($id: ID!) { webhook(id: $id) { id } } query B($id: ID!) { viewer { scopes } event(id: $id) { id } }',
      operationName: 'A',
      variables: '{"id": "1"}',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: { webhook: null }, errors: [{ path: ['webhook'] }] });
  });

  test.each<[string, Record<string, string> | string[][]]>([
    ['no query', {}],
    ['an empty query', { query: '' }],
    ['variables that are not JSON', { query, variables: '{' }],
    ['variables that are a list', { query, variables: '[]' }],
    ['extensions that are a text', { query, extensions: '"x"' }],
    ['two queries', ['query', 'query'].map((name) => [name, query])],
    ['a long name', { query, operationName: 'x'.repeat(257) }],
  ])('is refused for %s', async (_what, parameters) => {
    expectRefusal(await get(parameters));
  });

  test.each([
    'mutation { deleteWebhook(input: {id: "1"}) { deletedWebhookId } }',
    'subscription { webhookUpdated { webhook { id } } }',
  ])('is a query, and not %s', async (query) => {
    const answer = await get({ query });
    expectRefusal(answer, 405);
    expect(answer.headers['allow']).toBe('POST');
  });

  test.each<[string, Record<string, string>, number]>([
    ['none of these', {}, 400],
    ['a type that a form has', { 'content-type': 'text/plain' }, 400],
    ['the type of JSON', { 'content-type': 'application/json' }, 200],
    ['the name of an operation', { 'x-apollo-operation-name': 'A' }, 200],
    ['apollo-require-preflight', { 'apollo-require-preflight': '1' }, 200],
    ['nothing in it', { 'apollo-require-preflight': '' }, 400],
    ['a bearer key', { authorization: `Bearer ${api.tenant.key}` }, 200],
    ['no bearer key', { authorization: 'Bearer ' }, 400],
  ])('needs a header that a page of another site cannot send: %s', async (_what, headers, expected) => {
    const answer = await api.ask('GET //graphql?query={__typename}', { headers, key: null });
    expect(answer.status).toBe(expected);
    if (expected === 400) {
      expectRefusal(answer);
    }
  });

  test('may have question marks as they are: only the first one begins the query', async () => {
    const { status, body } = await api.ask('GET //graphql?query={__typename}&variables={"who":"me?"}', {
      headers: preflighted,
    });
    expect({ status, body }).toEqual({ status: 200, body: { data: { __typename: 'Query' } } });
  });

  test('is not asked by HEAD', async () => {
    const { status, headers } = await api.ask(`HEAD //graphql?query=${encodeURIComponent(query)}`);
    expect(status).toBe(405);
    expect(headers['allow']).toBe('GET, POST');
  });

  test('in a browser is an answer and no page with scripts from elsewhere', async () => {
    const { status, headers } = await get({ query }, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });
});

describe('the form of a body', () => {
  test.each<[string, unknown]>([
    ['a list', [{ query }]],
    ['a text', 'x'],
    ['null', null],
    ['nothing', undefined],
    ['no query', { variables: {} }],
    ['a query that is a number', { query: 5 }],
    ['a query that is a parsed document', { query: { kind: 'Document' } }],
    ['variables that are a text', { query, variables: '{}' }],
    ['variables that are a list', { query, variables: [] }],
    ['a name that is a number', { query, operationName: 5 }],
    ['extensions that are a list', { query, extensions: [] }],
  ])('%s is refused', async (_what, json) => {
    expectRefusal(await post(json));
  });

  test('null stands for what is not there', async () => {
    const { status } = await post({ query, variables: null, operationName: null, extensions: null });
    expect(status).toBe(200);
  });
});

describe('what is refused before it is read as GraphQL', () => {
  test.each<[string, () => ReturnType<typeof post>, string]>([
    ['its type', () => post({ query }, { accept: 'text/html' }), 'BAD_REQUEST'],
    ['its form', () => post([]), 'BAD_REQUEST'],
    ['its length', () => post({ query: `${query}${' '.repeat(65_536)}` }), 'GRAPHQL_PARSE_FAILED'],
    ['its method', () => get({ query: 'mutation { __typename }' }), 'BAD_REQUEST'],
  ])('for %s is counted once, as an operation and as an error', async (_what, ask, code) => {
    const counted = vi.spyOn(api.services.metrics.graphqlErrors, 'count');
    const { headers } = await ask();
    expect(headers['ratelimit']).toMatch(/^"management"/);
    expect(counted.mock.calls).toEqual([[code]]);
    counted.mockRestore();
  });
});

test('a fault within Apollo Server shows nothing of itself, and is logged with the request id', async () => {
  const fault = vi.spyOn(KnownTexts.prototype, 'get').mockRejectedValue(new TypeError('secret detail'));
  const log = vi.spyOn(api.services.log, 'error');
  const extensions = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } };
  const { status, text, body } = await post({ extensions }, { 'x-request-id': 'mine' });
  expect(status).toBe(500);
  expect(body.errors[0].extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR', reason: 'internal' });
  expect(text).not.toContain('secret detail');
  expect(log).toHaveBeenCalledWith(expect.objectContaining({ requestId: 'mine' }), expect.any(String));
  fault.mockRestore();
  log.mockRestore();
});

test.each([
  ['a query', '{ viewer { scopes } }', 200],
  ['a secret', 'mutation { createApiKey(input: {name: "x", scopes: ["events:read"]}) { key } }', 200],
  ['a broken document', '{', 400],
])('the answer to %s is kept by no cache', async (_what, query, status) => {
  const answer = await post({ query });
  expect([answer.status, answer.headers['cache-control']]).toEqual([status, 'no-store']);
});

describe('an emit whose document is known', () => {
  const mutation = 'mutation Known($input: EmitEventInput!) { emitEvent(input: $input) { deliveryCount } }';
  const coupon = { event: 'coupon.applied', payload: { code: 'A', discount_type: 'B' } };
  const emit = (input: unknown, { key }: { key: string } = api.tenant, query = mutation) =>
    post({ query, variables: input === undefined ? {} : { input } }, {}, { key });

  test.each<[string, unknown, (string | number)[]]>([
    ['a number for a text', { ...coupon, event: 5 }, ['input', 'event']],
    ['a missing field', { event: 'coupon.applied', payload: null, body: 5 }, ['input', 'body']],
    ['a field that is not known', { ...coupon, secret: 'hunter2' }, ['input', 'secret']],
    ['no input', undefined, ['input']],
    ['null', null, ['input']],
  ])('is refused for %s as it was when it was new, and counted as broken', async (what, input, path) => {
    await emit(coupon);
    const known = await emit(input);
    expect(known.status).toBe(400);
    expect(known.body.errors).toHaveLength(1);
    expect(known.body.errors[0].extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      reason: 'invalid_input',
      errors: [{ path }],
    });
    expect(known.headers['ratelimit']).toMatch(/^"management"/);
    expect(known.text).not.toContain('hunter2');
    const { status, body } = await emit(input, undefined, `${mutation} # ${what}`);
    expect({ status, body }).toEqual({ status: known.status, body: known.body });
  });

  test('counts no management operation when it runs', async () => {
    for (const { status, headers } of [await emit(coupon), await emit(coupon)]) {
      expect([status, headers['ratelimit']]).toEqual([200, undefined]);
    }
  });

  test('is refused to a key that may not emit', async () => {
    await emit(coupon);
    const { body } = await emit(coupon, await makeKey(api.services, api.tenant.id, ['events:read']));
    expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
  });

  test('is refused each time when it is too dear', async () => {
    await using strict = await RestApi.open({ GRAPHQL_COST_MAX: '100' });
    const json = {
      query: `mutation ($input: EmitEventInput!) { emitEvent(input: $input) { event {
        deliveries(first: 100) { edges { node { id } } } } } }`,
      variables: { input: coupon },
    };
    for (let time = 0; time < 3; time++) {
      const { status, body } = await strict.ask('POST //graphql', { json });
      expect(status).toBe(400);
      expect(body.errors[0].message).toMatch(/could read too much/);
    }
  });
});
