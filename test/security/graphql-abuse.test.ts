import { getIntrospectionQuery } from 'graphql';
import pg from 'pg';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { type Abuse, abuses } from '../support/graphql-abuse.js';
import { RestApi } from '../support/rest-api.js';
import { makesDatabases } from '../support/statements.js';

const api = await RestApi.open();
afterAll(() => api[Symbol.asyncDispose]());
afterEach(() => vi.restoreAllMocks());

const post = (json: unknown) => api.ask('POST //graphql', { json });
await post({ query: '{ eventTypes { name } viewer { scopes } }' }); // the key and the registry are known

/** The statements that a request made, but for those that find out whose key it carries. */
function watchStatements(): () => unknown[] {
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  return () =>
    spy.mock.calls
      .filter((_, index) => !makesDatabases(spy.mock.contexts[index] as pg.Client))
      .map(([statement]) => statement as { name?: string })
      .filter(({ name }) => !/^(read|write)_api_key/.test(name ?? ''));
}

/** The query of GraphiQL, Apollo's tools and code generators. */
const options = ['specifiedByUrl', 'directiveIsRepeatable', 'schemaDescription', 'inputValueDeprecation', 'oneOf'];
const usualIntrospection = getIntrospectionQuery(Object.fromEntries(options.map((option) => [option, true])));

/** How cheaply: test/timing/graphql-abuse.test.ts. */
describe('abuse is refused before anything runs', () => {
  test('there are at least 60 kinds of it', () => {
    expect(new Set(abuses.map(({ name }) => name)).size).toBe(abuses.length);
    expect(abuses.length).toBeGreaterThan(60);
  });

  test.each(abuses)('$name', async ({ body, codes, status = 400 }: Abuse) => {
    const statements = watchStatements();
    const answer = await post(body);
    expect(answer.status).toBe(status);
    expect(answer.body).not.toHaveProperty('data'); // which an execution, however short, always has
    expect(statements()).toEqual([]);
    const found = answer.body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((code: string) => !codes.includes(code))).toEqual([]);
    expect(found.length).toBeLessThanOrEqual(11);
    expect(answer.text.length).toBeLessThan(10_000); // nothing huge is repeated
  });

  test('what is refused has a neighbour that is not: each limit itself', async () => {
    const many = (count: number, text: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => text(n)).join(' ');
    const allowed = [
      `{ ${many(15, (n) => `a${n}: viewer { scopes }`)} viewer { scopes } webhooks { edges { cursor } }
         events { edges { cursor } } deliveries { edges { cursor } } __typename }`,
      `{ viewer { scopes ${many(15, () => 'scopes')} } }`,
      `{ ...F0 } ${many(48, (n) => `fragment F${n} on Query { ...F${n + 1} }`)} fragment F48 on Query { viewer { scopes } }`,
      `{ viewer { scopes } ${many(14, () => '... @include(if: true) @skip(if: false) { eventTypes { name } }')} }`,
      `{ __typename }${' '.repeat(65_536 - 14)}`,
      '{ events(first: 100) { edges { node { id payload } } } }',
      '{ events { edges { node { id payload body } } } }',
      '{ deliveries(first: 100) { edges { node { id attemptCount event { id payload } webhook { url } } } } }',
      '{ deliveries(first: 100) { edges { node { id attempts { number statusCode } event { id } webhook { url } } } } }',
      '{ deliveries { edges { node { id attempts { number responseBody } } } } }',
      '{ eventTypes { name schema samplePayload versions { version schema } } }',
      usualIntrospection,
      usualIntrospection.replace('{', '{ __typename'),
      `{ ${many(10, (n) => `a${n}: __type(name: "Query") { fields { name type { ofType { fields { name } } } } }`)} }`,
    ];
    for (const query of allowed) {
      const { status, body } = await post({ query });
      expect({ status, errors: body.errors }, query.slice(0, 200)).toEqual({ status: 200, errors: undefined });
    }
  });

  test.each([
    ['GRAPHQL_TOKENS_MAX', '500', `{ viewer { scopes } ${'__typename '.repeat(500)} }`, '{ viewer { scopes } }'],
    ['GRAPHQL_DOCUMENT_CHARS_MAX', '2048', `{ __typename }${' '.repeat(2048)}`, '{ __typename }'],
    [
      'GRAPHQL_DEPTH_MAX',
      '6',
      '{ webhooks { edges { node { deliveries { edges { node { id } } } } } } }',
      '{ webhooks { edges { node { deliveries { edges { cursor } } } } } }',
    ],
    ['GRAPHQL_ALIASES_MAX', '1', '{ a: viewer { scopes } b: viewer { scopes } }', '{ a: viewer { scopes } }'],
    ['GRAPHQL_ALIASES_MAX', '1', '{ viewer { scopes scopes scopes } }', '{ viewer { scopes scopes } }'],
    [
      'GRAPHQL_ROOT_FIELDS_MAX',
      '1',
      '{ ...F __typename } fragment F on Query { viewer { scopes } }',
      '{ viewer { scopes } }',
    ],
    [
      'GRAPHQL_FRAGMENTS_MAX',
      '3',
      '{ ...A ...B ...C } fragment A on Query { __typename } fragment B on Query { __typename } fragment C on Query { __typename }',
      '{ ...A ... { __typename } } fragment A on Query { __typename }',
    ],
    [
      'GRAPHQL_DIRECTIVES_MAX',
      '1',
      '{ __typename @skip(if: false) @include(if: true) }',
      '{ __typename @skip(if: false) }',
    ],
    [
      'GRAPHQL_COST_MAX',
      '100',
      '{ webhooks(first: 100) { edges { node { id } } } }',
      '{ webhooks(first: 10) { edges { node { id } } } }',
    ],
  ])('%s=%s moves that limit', async (name, value, beyond, within) => {
    await using strict = await RestApi.open({ [name]: value });
    const ask = (query: string) => strict.ask('POST //graphql', { json: { query } });
    expect((await ask(beyond)).status).toBe(400);
    expect((await ask(within)).body).not.toHaveProperty('errors');
  });

  test('fragments within fragments cannot hide what an operation costs', async () => {
    // Each spread twice: 2^11 selections of a page, too many to be counted one by one.
    const levels = Array.from({ length: 11 }, (_, n) => `fragment F${n} on Webhook { ...F${n + 1} ...F${n + 1} }`);
    const query = `{ webhooks(first: 1) { edges { node { ...F0 } } } } ${levels.join(' ')}
      fragment F11 on Webhook { deliveries(first: 1) { edges { node { id } } } }`;
    const { status, body } = await post({ query });
    expect(status).toBe(400);
    expect(body.errors[0].message).toMatch(/could read too much/);
  });
});

describe('tricks of the transport', () => {
  test.each(['multipart/form-data; boundary=x', 'text/plain', 'application/x-www-form-urlencoded', ''])(
    'a body of type %j, as a foreign page could send it, is refused',
    async (type) => {
      const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
      const payload = '{"query": "mutation { createTenant(input: {name: \\"x\\"}) { tenant { id } } }"}';
      const statements = watchStatements();
      const { status, body } = await api.ask('POST //graphql', { headers, payload });
      expect(status).toBe(415);
      expect(body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
      expect(statements()).toEqual([]);
    },
  );

  test('a URL, which a foreign page can make a browser ask for, changes nothing and reads nothing', async () => {
    const get = (query: string, key?: null, headers = { 'apollo-require-preflight': '1' }) =>
      api.ask(`GET //graphql?query=${encodeURIComponent(query)}`, { headers, ...(key === undefined ? {} : { key }) });
    const mutation = 'mutation{createWebhook(input:{url:"https://a.example.com/",eventTypes:["*"]}){secret}}';
    const statements = watchStatements();
    const refused = await get(mutation); // even with the key, which no browser adds by itself
    expect(refused.status).toBe(405);
    expect(refused.headers['allow']).toBe('POST');
    expect((await get('{viewer{scopes}}', null)).status).toBe(401);
    expect(statements()).toEqual([]);
    expect((await get('{viewer{scopes}}')).status).toBe(200);
  });

  test('with INTROSPECTION=false neither the schema nor names like the misspelt one are told', async () => {
    await using closed = await RestApi.open({ INTROSPECTION: 'false' });
    for (const query of [
      '{ __schema { types { name } } }',
      '{ __type(name: "Query") { name } }',
      '{ webhoks { edges { cursor } } }',
      '{ webhooks(frist: 1) { edges { cursor } } }',
      '{ webhooks(filter: {activ: true}) { edges { cursor } } }',
      '{ deliveries(filter: {status: FAILD}) { edges { cursor } } }',
      'query ($f: DeliveryFiltr) { deliveries(filter: $f) { edges { cursor } } }',
    ]) {
      const { status, text } = await closed.ask('POST //graphql', { json: { query } });
      expect(status).toBe(400);
      expect(text, query).not.toMatch(/Did you mean|SUCCEEDED/);
    }
    const query = 'query ($f: DeliveryFilter) { deliveries(filter: $f) { edges { cursor } } }';
    for (const f of [{ statu: 'FAILED' }, { status: 'FAILD' }]) {
      const { text } = await closed.ask('POST //graphql', { json: { query, variables: { f } } });
      expect(text).not.toMatch(/Did you mean|SUCCEEDED/);
    }
  });
});
