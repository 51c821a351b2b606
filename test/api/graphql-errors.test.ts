import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
const { ask, read } = api.by(tenant);
afterAll(() => api.close());
afterEach(() => vi.restoreAllMocks());

const createWebhook = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }';
const byStatus = 'query ($status: DeliveryStatus) { deliveries(filter: {status: $status}) { edges { cursor } } }';
const manyEvents = `webhooks(first: 100) { edges { node {
  deliveries(first: 100) { edges { node { event { id } } } } } } }`;

describe('requests that are refused before they run', () => {
  test.each([
    ['GRAPHQL_PARSE_FAILED', '{ webhooks('],
    ['GRAPHQL_VALIDATION_FAILED', '{ nothing }'],
    ['GRAPHQL_VALIDATION_FAILED', '{ event { id } }'],
    ['GRAPHQL_VALIDATION_FAILED', '{ webhook(id: {a: 1}) { id } }'],
    ['GRAPHQL_VALIDATION_FAILED', '{ deliveries(filter: {status: LOST}) { edges { cursor } } }'],
  ])('%s with status 400', async (code, query) => {
    const answer = await ask(query);
    expect(answer).toMatchObject({ status: 400, data: undefined });
    expect(new Set(codesOf(answer))).toEqual(new Set([code]));
    expect(answer.errors[0].extensions).not.toHaveProperty('stacktrace');
  });

  test('null in place of a default is refused, also once the document has run', async () => {
    const sent = '{event: "coupon.applied", payload: {code: "A", discount_type: "x"}}';
    const query = `mutation ($input: EmitEventInput = ${sent}) { emitEvent(input: $input) { duplicate } }`;
    const refused = await ask(query, { input: null });
    expect(codesOf(refused)).toEqual(['BAD_USER_INPUT']);
    await read(query);
    const { status, errors } = await ask(query, { input: null });
    expect({ status, errors }).toEqual({ status: refused.status, errors: refused.errors });
  });

  test('the deepest operation is allowed, and one that is a level deeper is not', async () => {
    const cycle = ['deliveries(first: 1)', 'edges', 'node', 'webhook'];
    const ofDepth = (depth: number) =>
      `{ ${Array.from({ length: depth - 1 }, (_, n) => `${cycle[n % 4]} {`).join(' ')} __typename ${'}'.repeat(depth)}`;
    await read(ofDepth(12));
    expect(codesOf(await ask(ofDepth(13)))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  });

  test.each([
    [
      'page sizes in variables',
      `query ($x: Int) { webhooks(first: $x) { edges { node { deliveries(first: $x) { edges { node { id } } } } } } }`,
      { cheap: 20, dear: 100 },
    ],
    [
      'what a variable of @include lets in',
      `query ($x: Boolean!) { viewer { scopes } ... @include(if: $x) { ${manyEvents} } }`,
      { cheap: false, dear: true },
    ],
  ])('the cost counts %s', async (_what, query, { cheap, dear }) => {
    await read(query, { x: cheap });
    expect((await ask(query, { x: dear })).status).toBe(400);
    await read(query, { x: cheap });
  });

  test('variables that do not fit do not make a document free for those that do', async () => {
    const query = `query ($id: ID!) { webhook(id: $id) { id } ${manyEvents} }`;
    expect((await ask(query, {})).status).toBe(400);
    expect(codesOf(await ask(query, { id: '1' }))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  });
});

test('introspection can be turned off, and then names are not suggested either', async () => {
  const closed = await GraphqlApi.open({ INTROSPECTION: 'false' });
  try {
    const { ask, mutate, read } = closed.by(await makeTenant(closed.services));
    const answer = await ask('{ __schema { types { name } } }');
    expect(answer.status).toBe(400);
    expect(new Set(codesOf(answer))).toEqual(new Set(['GRAPHQL_VALIDATION_FAILED']));
    expect((await ask('{ webhoks { edges { cursor } } }')).errors[0].message).not.toContain('webhooks');
    const input = { url: 'https://example.com/', eventTypes: ['*'], secrets: 1 };
    const unknown = await mutate('createWebhook', input, 'secret');
    expect(unknown.errors[0].message).toBe('input.secrets: is not a field of this input.');
    await read('{ viewer { scopes } }');
  } finally {
    await closed.close();
  }
});

describe('variables of the wrong kind', () => {
  // Numbers for texts, missing and unknown fields and no input: graphql-http.test.ts, "an emit whose document is known".
  test('null in a list is refused at its path with status 400', async () => {
    const { status, errors } = await ask(createWebhook, { input: { url: 'u', eventTypes: [null] } });
    expect(status).toBe(400);
    expect(errors.map(({ extensions }) => extensions)).toMatchObject([
      { code: 'BAD_USER_INPUT', reason: 'invalid_input', errors: [{ path: ['input', 'eventTypes', 0] }] },
    ]);
  });

  const unknown = {
    path: ['input', 'event_types'],
    code: 'unknown_property',
    detail:
      'is not a field of this input, which may have idempotencyKey, active, secret, previousSecret, previousSecretExpiresAt, scope, url, name, description, eventTypes, metadata, externalId, delivery, content, ordering; did you mean eventTypes?',
  };
  test.each([
    ['a missing field', { url: 'u' }, { path: ['input', 'eventTypes'], code: 'required', detail: 'is required' }],
    ['an unknown field', { url: 'u', eventTypes: [], event_types: [] }, unknown],
    ['the first of several: a misspelt field before the one that is missing', { event_types: [], url: 5 }, unknown],
    [
      'the first of several: the first wrong item of a list',
      { url: 'u', eventTypes: ['*', {}, null] },
      {
        path: ['input', 'eventTypes', 1],
        code: 'invalid_type',
        detail: 'must be a string, not an object',
      },
    ],
  ])('the error names %s', async (_name, input, issue) => {
    const { errors } = await ask(createWebhook, { input });
    expect(errors).toHaveLength(1);
    expect(errors[0].message).toBe(`${issue.path.join('.')}: ${issue.detail}`);
    expect(errors[0].extensions.errors).toEqual([issue]);
  });

  // GraphQL itself refuses a variable that is not used; one way or the other the value stays out.
  test.each<[string, unknown, string?]>([
    ['Int', 'hunter2'],
    ['Boolean', 'hunter2'],
    ['DateTime', 'hunter2'],
    ['DeliveryStatus', 'hunter2'],
    ['JSONObject', 'hunter2'],
    ['ID', { a: 'hunter2' }],
    ['String', ['hunter2']],
    ['DeliveryFilter', 'hunter2'],
    ['DeliveryFilter', { status: 'hunter2' }, '{ deliveries(filter: $x) { edges { cursor } } }'],
  ])('the value of a %s, %j, is not repeated', async (type, x, selection = '{ __typename }') => {
    const { status, errors } = await ask(`query ($x: ${type}) ${selection}`, { x });
    expect(status).toBe(400);
    expect(JSON.stringify(errors)).not.toContain('hunter2');
  });
});

describe('the error for a value that an enum does not have lists those that it has', () => {
  const values = 'must be one of PENDING, WAITING, HELD, SUCCEEDED, FAILED, CANCELED';

  test.each([
    ['LOST', '.'],
    ['pending', '; did you mean PENDING?'],
    ['"PENDING"', '; did you mean PENDING? Enum values have no quotes.'],
    ['5', '.'],
  ])('%s in the document', async (value, hint) => {
    const { errors } = await ask(`{ deliveries(filter: {status: ${value}}) { edges { cursor } } }`);
    expect(errors.map(({ message }) => message)).toEqual([`A DeliveryStatus ${values}${hint}`]);
  });

  test.each([
    ['LOST', ''],
    ['FAILD', '; did you mean FAILED?'],
    [5, ''],
    [{ a: 1 }, ''],
  ])('%j in a variable', async (status, hint) => {
    const { errors } = await ask(byStatus, { status });
    expect(errors[0].extensions.errors).toEqual([
      { path: ['status'], code: 'invalid_type', detail: `${values}${hint}` },
    ]);
  });
});

test.each([
  ['a DateTime', '{ deliveries(filter: {since: "yesterday"}) { edges { cursor } } }', 'DateTime'],
  ['a JSONObject', 'mutation { emitEvent(input: {event: "a.b", payload: "x"}) { duplicate } }', 'JSONObject'],
])('%s of the wrong form in the document is refused at its location', async (_name, query, word) => {
  const { errors } = await ask(query);
  expect(errors.map(({ message, locations }) => [message.includes(word), locations?.[0]?.line])).toEqual([[true, 1]]);
});

test('a field of a query that fails leaves its neighbours their answers', async () => {
  await makeWebhook(api.services, tenant.id);
  const answer = await api.by(await makeKey(api.services, tenant.id, ['webhooks:read'])).ask(
    `{ webhooks(first: 1) { edges { node { active deliveries(first: 1) { edges { cursor } } } } }
       stats(since: "2026-01-31T00:00:00+00:00") { total { attempts } } }`,
  );
  expect(answer.status).toBe(200);
  expect(answer.data).toEqual({ webhooks: { edges: [{ node: { active: true, deliveries: null } }] }, stats: null });
  expect(codesOf(answer)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
});

describe('trouble on our side', () => {
  const em = () => api.services.db.orm.em.constructor.prototype;
  const away = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), { code: 'ECONNREFUSED' });
  const remove = 'mutation { deleteWebhook(input: {id: "1"}) { deletedWebhookId } }';

  test('a mutation without the database is 503 with Retry-After', async () => {
    await read('{ viewer { scopes } }'); // the key is known
    vi.spyOn(em(), 'transactional').mockRejectedValue(away);
    const { status, headers, errors } = await ask(remove);
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toMatch(/^[15]$/);
    expect(errors[0].extensions).toEqual({
      code: 'UNAVAILABLE',
      reason: 'unavailable',
      retryAfterSeconds: Number(headers.get('retry-after')),
    });
    expect(JSON.stringify(errors)).not.toContain('10.1.2.3');
  });

  test('a request of which a part has an answer is 200', async () => {
    await read('{ eventTypes { name } }');
    vi.spyOn(em(), 'find').mockRejectedValue(away);
    const answer = await ask('{ webhook(id: "1") { id } eventTypes { name } }');
    expect(answer.status).toBe(200);
    expect(answer.data.webhook).toBeNull();
    expect(answer.data.eventTypes.length).toBeGreaterThan(4);
    expect(codesOf(answer)).toEqual(['UNAVAILABLE']);
  });

  test('a bug shows nothing of itself, and is logged with the request id', async () => {
    vi.spyOn(em(), 'transactional').mockRejectedValue(new TypeError('secret detail of the code'));
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
