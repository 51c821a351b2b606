import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { countEvents, makeKey } from '../support/factories.js';
import { coupon, emitOne, emitSeveral, expectLimited, LimitedApi, many } from '../support/limited-api.js';
import { expectProblem, type RestAnswer, type RestRequest } from '../support/rest-api.js';

describe('management operations', () => {
  const limited = new LimitedApi({
    MANAGEMENT_RATE_MAX: '10',
    MANAGEMENT_BURST_MAX: '5',
    GRAPHQL_BODY_BYTES_MAX: '65536',
    GRAPHQL_DOCUMENT_CHARS_MAX: '2048',
  });
  const list = (key: string) => limited.api.ask('GET /webhooks', { key });
  const left = ({ headers }: RestAnswer) =>
    Number(/^"management";r=(\d+);t=\d+$/.exec(String(headers['ratelimit']))?.[1]);

  test('are limited for each key: a burst, and then the rate', async () => {
    const { id, key } = await limited.newTenant();
    for (let i = 0; i < 5; i++) {
      expect((await list(key)).status).toBe(200);
    }
    expectLimited(await list(key), 1);
    limited.nowMs += 99;
    expectLimited(await list(key), 1);
    limited.nowMs += 1;
    expect((await list(key)).status).toBe(200);
    expectLimited(await list(key), 1);
    const other = await makeKey(limited.api.services, id, ['webhooks:read']);
    expect((await list(other.key)).status).toBe(200);
  });

  test('tell their limit with every answer, refused ones included', async () => {
    const { key } = await limited.newTenant();
    const first = await list(key);
    expect(first.headers).toMatchObject({
      'ratelimit-policy': '"management";q=5;w=1',
      ratelimit: '"management";r=4;t=1',
    });
    const bad = await limited.api.ask('POST /webhooks', { key, json: {} });
    expectProblem(bad, 'invalid_input');
    expect(left(bad)).toBe(3);
    expect(left(await limited.api.ask('GET /webhooks/999999', { key }))).toBe(2);
    expect(left(await limited.graphql('{ viewer { scopes } }', {}, { key }))).toBe(1);
    expect(left(await limited.graphql('{ __type(name: "Event") { name } }', {}, { key }))).toBe(0);
    const refused = await list(key);
    expectLimited(refused, 1);
    expect(left(refused)).toBe(0);
    expectLimited(await limited.graphql('{ viewer { scopes } }', {}, { key }), 1);
  });

  test('are counted also for a tenant that the key may not name, or that is not there', async () => {
    const { key } = await limited.newTenant();
    const platform = await makeKey(limited.api.services, null, ['platform:admin']);
    const headers = { 'hookwright-tenant': '999999' };
    for (const [by, reason] of [
      [key, 'scope_missing'],
      [platform.key, 'not_found'],
    ] as const) {
      const ask = () => limited.api.ask('GET /webhooks', { key: by, headers });
      for (let used = 1; used <= 5; used++) {
        const answer = await ask();
        expectProblem(answer, reason);
        expect(left(answer)).toBe(5 - used);
      }
      expectProblem(await ask(), reason);
      const refused = await ask(); // in debt now
      expectLimited(refused, 1);
      expect(left(refused)).toBe(0);
      expectLimited(await limited.graphql('{ viewer { scopes } }', {}, { key: by, headers }), 1);
    }
  });

  test('of a key in debt look up no external id of a tenant', async () => {
    const { key } = await limited.newTenant();
    const platform = await makeKey(limited.api.services, null, ['platform:admin']);
    const lookedUp = vi.spyOn(limited.api.services.authenticator, 'tenantOf');
    onTestFinished(() => lookedUp.mockRestore());
    for (const by of [key, platform.key]) {
      lookedUp.mockClear();
      const ask = (id: number) =>
        limited.api.ask('GET /webhooks', { key: by, headers: { 'hookwright-tenant': `ext:${id}` } });
      for (let id = 1; id <= 6; id++) {
        expect((await ask(id)).status).not.toBe(429);
      }
      expectLimited(await ask(7), 1);
      expect(lookedUp).toHaveBeenCalledTimes(6);
    }
  });

  test('that are refused have done nothing', async () => {
    const { key } = await limited.newTenant();
    const json = { url: 'https://example.com/hooks', events: ['*'] };
    const create = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }';
    const input = { url: json.url, eventTypes: json.events };
    for (let i = 0; i < 5; i++) {
      expect((await limited.api.ask('POST /webhooks', { key, json })).status).toBe(201);
    }
    expectLimited(await limited.api.ask('POST /webhooks', { key, json }), 1);
    expectLimited(await limited.graphql(create, { input }, { key }), 1);
    limited.nowMs += 500;
    expect((await list(key)).body.data).toHaveLength(5);
  });

  test('of one mutation count each, and are done together or not at all', async () => {
    const { key } = await limited.newTenant();
    const create = (alias: string) => `${alias}: createWebhook(input: $input) { secret }`;
    const header = 'mutation ($input: CreateWebhookInput!)';
    const variables = { input: { url: 'https://example.com/hooks', eventTypes: ['*'] } };
    const three = `${header} { ...Some ... on Mutation { ${create('c')} } }
      fragment Some on Mutation { ${create('a')} ...More }
      fragment More on Mutation { ${create('a')} ${create('b')} }`;
    const first = await limited.graphql(three, variables, { key });
    expect(Object.keys(first.body.data)).toEqual(['a', 'b', 'c']);
    expect(left(first)).toBe(2);
    const second = await limited.graphql(three, variables, { key });
    expectLimited(second, 1);
    expect(left(second)).toBe(2); // nothing was counted
    expect((await list(key)).body.data).toHaveLength(3);
  });

  test('larger than the burst are done when nothing else was, and paid off afterwards', async () => {
    const { key } = await limited.newTenant();
    const revokes = [...'abcdefgh'].map((alias) => `${alias}: revokeApiKey(input: {id: "0"}) { apiKey { id } }`);
    const eight = `mutation { ${revokes.join(' ')} }`;
    expect((await limited.graphql(eight, {}, { key })).status).toBe(200);
    limited.nowMs += 399; // 3 beyond the burst, and 1 to go on with
    expectLimited(await list(key), 1);
    limited.nowMs += 1;
    expect((await list(key)).status).toBe(200);
    expectLimited(await limited.graphql(eight, {}, { key }), 1);
  });

  test('of queries count more by what they may read', async () => {
    const { key } = await limited.newTenant();
    // 1 + 10 × (2 + 100): between 1,000 and 2,000.
    const dear = '{ deliveries(first: 10) { edges { node { id attempts { number } } } } }';
    expect(left(await limited.graphql(dear, {}, { key }))).toBe(3);
    const cheap = '{ deliveries(first: 9) { edges { node { id attempts { number } } } } }';
    expect(left(await limited.graphql(cheap, {}, { key }))).toBe(2);
  });

  test('do not include emits, which carry no header and pass when all else is used up', async () => {
    const { id, key } = await limited.newTenant();
    for (let i = 0; i < 5; i++) {
      await list(key);
    }
    for (const [query, variables] of [
      [emitOne, { input: coupon }],
      [emitSeveral, many(100)],
    ] as const) {
      const answer = await limited.graphql(query, variables, { key });
      expect(answer.body.errors).toBeUndefined();
      expect(answer.headers['ratelimit']).toBeUndefined();
      expect(answer.headers['ratelimit-policy']).toBeUndefined();
    }
    const mixed = emitOne.replace(/}$/, 'revokeApiKey(input: {id: "0"}) { apiKey { id } } }');
    expectLimited(await limited.graphql(mixed, { input: coupon }, { key }), 1);
    expect(await countEvents(limited.api.services, id)).toBe(101);
  });

  test('include what an emit reads beyond what became of its events', async () => {
    const { key } = await limited.newTenant();
    const input = { events: Array<object>(3).fill({ ...coupon, idempotencyKey: 'k' }) };
    const ask = (selection: string) => {
      const query = `mutation ($input: EmitEventsInput!) { emitEvents(input: $input) { results { ${selection} } } }`;
      return limited.graphql(query, { input }, { key });
    };
    const page = (n: number) => `event { id deliveries(first: ${n}) { edges { node { id webhook { url } } } } }`;
    for (const selection of [
      'event { id eventType createdAt } deliveryCount duplicate error { code detail issues { path code detail } }',
      'event { id payload } duplicate error { code }',
      page(5),
    ]) {
      const answer = await ask(selection);
      expect(answer.body.errors).toBeUndefined();
      expect(answer.headers['ratelimit']).toBeUndefined();
    }
    // 1 + 100 × (3 + 20 × 3): more than 3,000 beyond the usual 2,500.
    const dear = await ask(page(20));
    expect(dear.body.errors).toBeUndefined();
    expect(left(dear)).toBe(1);
    const refused = await ask(page(100));
    expect(refused.status).toBe(400);
    expect(refused.body.errors[0].message).toMatch(/could read too much/);
    const one = `mutation ($input: EmitEventInput!) { emitEvent(input: $input) { ${page(100)} } }`;
    expectLimited(await limited.graphql(one, { input: coupon }, { key }), 1);
    expect((await limited.graphql(emitOne, { input: coupon }, { key })).status).toBe(200);
  });

  test('count a list by the most that it may hold', async () => {
    const { key } = await limited.newTenant();
    // 2 × 500, and 100 attempts of each of 11 deliveries.
    expect(left(await limited.graphql('{ eventTypes { name } a: eventTypes { name } }', {}, { key }))).toBe(3);
    const attempts = '{ deliveries(first: 11) { edges { node { id attempts { number } } } } }';
    expect(left(await limited.graphql(attempts, {}, { key }))).toBe(1);
  });

  test('documents that are refused before they run count, and in the end nothing passes', async () => {
    const { key } = await limited.newTenant();
    const broken = ['{', '{ nothing }', 'query A { viewer { scopes } } query B { viewer { scopes } }'];
    for (const [index, query] of broken.entries()) {
      const answer = await limited.graphql(query, {}, { key });
      expect(answer.status).toBe(400);
      expect(left(answer)).toBe(4 - index);
    }
    for (let i = 0; i < 3; i++) {
      expect((await limited.graphql('{', {}, { key })).status).toBe(400);
    }
    expectLimited(await limited.graphql(emitOne, { input: coupon }, { key }), 1);
    limited.nowMs += 100;
    expect((await limited.graphql(emitOne, { input: coupon }, { key })).status).toBe(200);
  });

  const json = { 'content-type': 'application/json' };
  const asking = { 'apollo-require-preflight': 'true' };
  const lists = `[${Array(1000).fill('[]').join()}]`;
  const malformed: [string, string, number, RestRequest][] = [
    ['a list', 'POST //graphql', 400, { headers: json, payload: lists }],
    ['a document that is too long', 'POST //graphql', 400, { json: { query: ' '.repeat(2_049) } }],
    ['a body without a query', 'POST //graphql', 400, { json: {} }],
    ['variables in a URL that are not JSON', 'GET //graphql?query={__typename}&variables=x', 400, { headers: asking }],
    ['no JSON', 'POST //graphql', 400, { headers: json, payload: '[[],' }],
    ['a body that is too long', 'POST //graphql', 413, { headers: json, payload: ' '.repeat(65_537) }],
    ['another type', 'POST //graphql', 415, { headers: { 'content-type': 'text/plain' }, payload: 'x' }],
    ['a type that it does not take', 'POST //graphql', 406, { json: {}, headers: { accept: 'text/html' } }],
    ['no JSON, for a stream', 'POST //graphql/stream', 400, { headers: json, payload: '[[],' }],
  ];
  test.each(malformed)('%s counts like a broken document', async (_name, line, status, request) => {
    const { key } = await limited.newTenant();
    const ask = () => limited.api.ask(line, { ...request, key });
    for (const rest of [4, 3, 2, 1, 0, 0]) {
      const answer = await ask();
      expect(answer.status).toBe(status);
      expect(left(answer)).toBe(rest);
    }
    expectLimited(await ask(), 1);
    expectLimited(await limited.graphql(emitOne, { input: coupon }, { key }), 1);
  });
});

describe('subscriptions that are refused', () => {
  const limited = new LimitedApi({ MANAGEMENT_RATE_MAX: '10', MANAGEMENT_BURST_MAX: '2' });

  test('tell their limit as all management operations do', async () => {
    const { key } = await limited.newTenant();
    const subscribe = async (query: string) => {
      const { status, headers } = await limited.api.ask('POST //graphql/stream', { key, json: { query } });
      return { status, limit: headers['ratelimit'] };
    };
    expect(await subscribe('{')).toEqual({ status: 400, limit: '"management";r=1;t=1' });
    expect(await subscribe('{ viewer { scopes } }')).toEqual({ status: 400, limit: '"management";r=0;t=1' });
    const good = 'subscription { webhookUpdated { cursor } }';
    expect(await subscribe(good)).toEqual({ status: 429, limit: '"management";r=0;t=1' });
  });
});

describe('the whole schema', () => {
  const limited = new LimitedApi({ MANAGEMENT_RATE_MAX: '10', MANAGEMENT_BURST_MAX: '15' });

  test('counts as ten queries, wherever in the query it is asked for', async () => {
    const { key } = await limited.newTenant();
    const ask = (query: string) => limited.graphql(query, {}, { key });
    expect((await ask('{ ...F } fragment F on Query { __schema { queryType { name } } }')).status).toBe(200);
    expectLimited(await ask('{ viewer { scopes } __schema { queryType { name } } }'), 1);
    for (let i = 0; i < 5; i++) {
      expect((await ask('{ viewer { scopes } }')).status).toBe(200);
    }
    expectLimited(await ask('{ viewer { scopes } }'), 1);
  });
});

describe('the shipped limits', () => {
  const limited = new LimitedApi({
    MANAGEMENT_RATE_MAX: '',
    MANAGEMENT_BURST_MAX: '',
    CORS_ORIGINS: 'https://app.example.com',
  });

  test('are 100 management operations a second, with bursts of 200', async () => {
    const answer = await limited.api.ask('GET /webhooks', { headers: { origin: 'https://app.example.com' } });
    expect(answer.headers).toMatchObject({
      'ratelimit-policy': '"management";q=200;w=2',
      ratelimit: '"management";r=199;t=1',
    });
    const exposed = String(answer.headers['access-control-expose-headers']).split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy', 'Retry-After']));
  });
});
