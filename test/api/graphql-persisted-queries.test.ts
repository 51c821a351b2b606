import { createHash } from 'node:crypto';
import { ApolloClient, gql, HttpLink, InMemoryCache, type TypedDocumentNode } from '@apollo/client';
import { createPersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Client, fetchExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { KnownTexts } from '../../src/api/graphql/execution/stores.js';
import { couponPayload, makeKey, makeTenant } from '../support/factories.js';
import { gid } from '../support/ids.js';
import { serve } from '../support/loopback.js';
import { RestApi } from '../support/rest-api.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const api = await RestApi.open();
const url = `http://127.0.0.1:${await serve(api.server)}/graphql`;
afterAll(() => api[Symbol.asyncDispose]());

/** The requests that a client sent over its socket. */
let sent: { method: string; hasText: boolean; hasHash: boolean; status: number }[] = [];
beforeEach(() => {
  sent = [];
});

const watchedFetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
  const { method = 'GET' } = init;
  const asked = new URL(String(input));
  const { query, extensions } =
    method === 'GET'
      ? Object.fromEntries(asked.searchParams)
      : (JSON.parse(String(init.body)) as Record<string, unknown>);
  const response = await fetch(asked, init);
  sent.push({
    method,
    hasText: typeof query === 'string',
    hasHash: JSON.stringify(extensions ?? {}).includes('sha256Hash'),
    status: response.status,
  });
  return response;
};

const headers = { authorization: `Bearer ${api.tenant.key}` };
const withPreflight = { ...headers, 'apollo-require-preflight': 'true' };

/** A client of Apollo. @param usesGet for queries by their hash */
function apolloClient(usesGet: boolean) {
  const persisted = createPersistedQueryLink({ sha256, useGETForHashedQueries: usesGet });
  const link = persisted.concat(new HttpLink({ uri: url, fetch: watchedFetch, headers }));
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  return {
    query: (query: TypedDocumentNode) => client.query({ query, fetchPolicy: 'no-cache' }),
    mutate: (mutation: TypedDocumentNode, variables: object) => client.mutate({ mutation, variables }),
    stop: () => client.stop(),
  };
}

/** A client of urql, which also sends the text by GET. */
function urqlClient(usesGet: boolean) {
  const persisted = persistedExchange({ preferGetForPersistedQueries: usesGet, enableForMutation: true });
  const fetcher = { fetch: watchedFetch as typeof fetch, fetchOptions: { headers: withPreflight } };
  const client = new Client({ url, ...fetcher, exchanges: [persisted, fetchExchange] });
  return {
    query: (query: TypedDocumentNode) => client.query(query, {}),
    mutate: (mutation: TypedDocumentNode, variables: object) => client.mutation(mutation, variables),
    stop: () => {},
  };
}

describe('automatic persisted queries', () => {
  test.each([
    ['Apollo', false, apolloClient, 'POST', 'POST'],
    ['Apollo', true, apolloClient, 'GET', 'POST'],
    ['Urql', false, urqlClient, 'POST', 'POST'],
    ['Urql', true, urqlClient, 'GET', 'GET'],
  ])('of %s, with GET: %s', async (name, usesGet, open, method, methodWithText) => {
    const client = open(usesGet);
    const byHash = { method, hasText: false, hasHash: true, status: 200 };
    const withText = { ...byHash, method: methodWithText, hasText: true };
    const query = gql(`query ${name}${usesGet}Who { viewer { tenant { id } } }`);
    for (let time = 0; time < 2; time++) {
      const { data } = await client.query(query);
      expect(data).toMatchObject({ viewer: { tenant: { id: gid.tenant(api.tenant.id) } } });
    }
    expect(sent).toEqual([byHash, withText, byHash]);
    sent = [];
    const mutation = gql(
      `mutation ${name}${usesGet}Emit($input: EmitEventInput!) { emitEvent(input: $input) { duplicate } }`,
    );
    for (let time = 0; time < 2; time++) {
      const { data } = await client.mutate(mutation, { input: { event: 'coupon.applied', payload: couponPayload } });
      expect(data).toMatchObject({ emitEvent: { duplicate: false } });
    }
    const posted = { ...byHash, method: 'POST' };
    expect(sent).toEqual([posted, { ...posted, hasText: true }, posted]);
    client.stop();
  });
});

describe('a persisted query', () => {
  const persisted = (hash: unknown, version: unknown = 1) => ({
    extensions: { persistedQuery: { version, sha256Hash: hash } },
  });
  const post = (json: unknown, key: string | null = api.tenant.key) => api.ask('POST //graphql', { json, key });
  const keep = async (query: string) => {
    const hash = sha256(query);
    expect((await post({ query, ...persisted(hash) })).status).toBe(200);
    return hash;
  };
  const notFound = {
    errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
  };

  test('that is not known is answered so that clients send its text, and counts like a broken document', async () => {
    for (const hash of [sha256('never sent'), '', 5, null, { a: 1 }, 'x'.repeat(1_000_000)]) {
      const { status, headers, body } = await post(persisted(hash));
      expect({ status, body }).toEqual({ status: 200, body: notFound });
      expect(headers['cache-control']).toBe('private, no-cache, must-revalidate');
      expect(headers['ratelimit']).toMatch(/^"management"/);
    }
  });

  test.each<[string, object]>([
    ['the hash of another text', { query: '{ __typename }', ...persisted(sha256('{ viewer { scopes } }')) }],
    ['another version', persisted(sha256('{ __typename }'), 2)],
    ['a text for the extension', { extensions: { persistedQuery: 'x' } }],
  ])('is refused for %s', async (_what, json) => {
    const { status, body } = await post(json);
    expect(status).toBe(400);
    expect(body).toEqual({ errors: [{ message: expect.any(String), extensions: { code: 'BAD_REQUEST' } }] });
  });

  test('that is a mutation is not run from a URL', async () => {
    const mutation = 'mutation Once { deleteWebhook(input: {id: "1"}) { deletedWebhookId } }';
    const extensions = JSON.stringify(persisted(await keep(mutation)).extensions);
    const line = `GET //graphql?${new URLSearchParams({ extensions })}`;
    const { status, headers, body } = await api.ask(line, { headers: { 'apollo-require-preflight': 'true' } });
    expect(status).toBe(405);
    expect(headers['allow']).toBe('POST');
    expect(body.errors[0].extensions.code).toBe('BAD_REQUEST');
  });

  test('gives whoever knows its hash no right to run it, and no answer of another tenant', async () => {
    const hash = await keep('query Mine { viewer { tenant { id } } }');
    expect((await post(persisted(hash), null)).status).toBe(401);
    const other = await makeTenant(api.services);
    const { body } = await post(persisted(hash), other.key);
    expect(body.data.viewer.tenant.id).toBe(gid.tenant(other.id));
    const { key } = await makeKey(api.services, other.id, ['events:read']);
    const mutation = 'mutation Kept { deleteWebhook(input: {id: "1"}) { deletedWebhookId } }';
    const refused = await post(persisted(await keep(mutation)), key);
    expect(refused.body.errors[0].extensions.code).toBe('FORBIDDEN');
  });

  test.each([
    ['does not fit the schema', '{ nothing }', 400],
    [
      'is too dear',
      '{ webhooks(first: 100) { edges { node { deliveries(first: 100) { edges { node { event { deliveries { edges { cursor } } } } } } } } } }',
      400,
    ],
  ])('that %s is not kept', async (_what, query, expected) => {
    const hash = sha256(query);
    expect((await post({ query, ...persisted(hash) })).status).toBe(expected);
    expect((await post(persisted(hash))).body).toEqual(notFound);
  });

  test('makes room for others, in bytes, however short they are', async () => {
    const texts = new KnownTexts();
    const count = 50_000;
    for (let n = 0; n < count; n++) {
      await texts.set(sha256(`${n}`), `{ a${n}: __typename }`);
    }
    expect(await texts.get(sha256('0'))).toBeUndefined();
    expect(await texts.get(sha256(`${count - 1}`))).toBeDefined();
  });
});

describe('a text that was sent before', () => {
  const query = '{ viewer { scopes } }';
  const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(query) } };

  test('is not hashed again, as long as it is kept', async () => {
    const texts = new KnownTexts(2_000);
    expect(texts.byHash({ query, variables: { a: 1 } })).toEqual({ query, variables: { a: 1 }, extensions });
    await texts.set(`prefix:${sha256(query)}`, query);
    expect(texts.byHash({ query, variables: { a: 1 } })).toEqual({ variables: { a: 1 }, extensions });
    await texts.set(sha256('{ a }'), '{ a }');
    await texts.set(sha256('{ b }'), '{ b }');
    expect(texts.byHash({ query })).toEqual({ query, extensions });
  });

  test('is found by Apollo whatever is kept after it was looked for', async () => {
    const texts = new KnownTexts(3_000);
    await texts.set(sha256(query), query);
    await texts.set(sha256('{ a }'), '{ a }');
    texts.byHash({ query });
    await texts.set(sha256('{ b }'), '{ b }');
    await texts.set(sha256('{ c }'), '{ c }');
    expect(await texts.get(sha256(query))).toBe(query);
  });

  test('and is longer than all that is kept is hashed each time', async () => {
    const texts = new KnownTexts(500);
    await texts.set(sha256(query), query);
    expect(texts.byHash({ query })).toEqual({ query, extensions });
  });

  test.each([null, 5, [], '', { query: 5 }, { query: '' }, { query, extensions: { a: 1 } }, { query, extensions: [] }])(
    'the body %j is left as it is',
    (body) => {
      expect(new KnownTexts().byHash(body)).toBe(body);
    },
  );
});
