import { afterAll, describe, expect, test } from 'vitest';
import { errorCatalogue } from '../../src/errors.js';
import { gid } from '../support/ids.js';
import { expectProblem, RestApi } from '../support/rest-api.js';

const GRAPHQL_BODY_BYTES_MAX = 4_194_304;
const api = await RestApi.open({ CORS_ORIGINS: 'https://app.example.com' });
afterAll(() => api[Symbol.asyncDispose]());

const json = { 'content-type': 'application/json' };
const graphql = (payload: string | Buffer | object, headers: Record<string, string> = json) =>
  api.ask('POST //graphql', { headers, payload: payload as string });

describe('/graphql', () => {
  test('answers', async () => {
    const { status, body } = await graphql({ query: '{ viewer { tenant { id } } }' });
    expect(status).toBe(200);
    expect(body).toEqual({ data: { viewer: { tenant: { id: gid.tenant(api.tenant.id) } } } });
  });

  test('the tenant header and the request id reach the resolvers', async () => {
    const headers = { ...json, 'hookwright-tenant': '999999', 'x-request-id': 'mine' };
    const answer = await graphql({ query: '{ viewer { scopes } }' }, headers);
    expect(answer.body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect(answer.headers['x-request-id']).toBe('mine');
  });

  test.each([
    ['malformed JSON', '{', json, 'malformed_json'],
    ['an empty body', '', json, 'malformed_json'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), json, 'malformed_json'],
    ['another type', '{ viewer { id } }', { 'content-type': 'application/graphql' }, 'unsupported_media_type'],
    ['a form', 'query=x', { 'content-type': 'application/x-www-form-urlencoded' }, 'unsupported_media_type'],
    ['a body above 4 MiB', 'x'.repeat(GRAPHQL_BODY_BYTES_MAX + 1), json, 'payload_too_large'],
  ] as const)('%s is refused in the form of a GraphQL error', async (_name, payload, headers, reason) => {
    const { status, body } = await graphql(payload, headers);
    expect(status).toBe(errorCatalogue[reason].status);
    expect(body).toEqual({
      errors: [{ message: expect.any(String), extensions: { code: errorCatalogue[reason].code, reason } }],
    });
  });

  test('a body of 4 MiB is read', async () => {
    const query = '{ viewer { scopes } }';
    const text = JSON.stringify({ query, extensions: {} });
    expect((await graphql(text + ' '.repeat(GRAPHQL_BODY_BYTES_MAX - text.length))).status).toBe(200);
  });

  /** The body of a request that emits this payload. */
  const emitting = (payload: string) => {
    const input = '{event: \\"coupon.applied\\", payload: $payload}';
    const query = `mutation ($payload: JSONObject!) { emitEvent(input: ${input}) { duplicate } }`;
    return `{"query": "${query}", "variables": {"payload": ${payload}}}`;
  };

  test('a body nested as deep as fits is refused and nothing worse', async () => {
    const half = GRAPHQL_BODY_BYTES_MAX / 2 - 200;
    const { status, body } = await graphql(emitting(`{"code": ${'['.repeat(half)}${']'.repeat(half)}}`));
    expect([200, 400]).toContain(status);
    expect(body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });

  test('__proto__ in a payload is a name like any other, which the schema of the event judges', async () => {
    const { body } = await graphql(emitting('{"code": "A", "discount_type": "B", "__proto__": 1}'));
    expect(body.errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', reason: 'invalid_input' });
  });

  test('a key that is missing, empty or only announced may ask for the schema, and nothing else', async () => {
    for (const authorization of [undefined, '', 'Bearer ', 'Bearer']) {
      const headers = { ...json, ...(authorization === undefined ? {} : { authorization }) };
      const ask = (query: string) => api.ask('POST //graphql', { key: null, headers, json: { query } });
      expect((await ask('{ __typename __schema { queryType { name } } }')).status).toBe(200);
      expect((await ask('{ viewer { scopes } }')).status).toBe(401);
    }
    const bad = await graphql({ query: '{ __typename }' }, { ...json, authorization: 'Bearer hw_1_nonsense' });
    expect(bad.status).toBe(401);
    expect(bad.headers['www-authenticate']).toBe('Bearer');
  });

  test('a Host header that is none does not break it', async () => {
    const { status } = await graphql({ query: '{ viewer { scopes } }' }, { ...json, host: '[' });
    expect(status).toBe(200);
  });
});

describe('/graphiql', () => {
  const page = async () => (await api.ask('GET //graphiql', { key: null })).text;

  test('is where a browser is led that opens /graphql, and no other client', async () => {
    const visit = (accept: string, url = '/graphql') =>
      api.server.inject({ url, headers: { accept, host: 'localhost' } });
    const led = await visit('text/html,application/xhtml+xml,*/*;q=0.8');
    expect([led.statusCode, led.headers['location']]).toEqual([303, '/graphiql']);
    expect((await visit('*/*')).statusCode).toBe(400);
    expect((await visit('text/html', '/graphql?query={__typename}')).statusCode).not.toBe(303);
  });

  test('is a page that loads nothing from anywhere, and that could not', async () => {
    const { status, text, headers } = await api.ask('GET //graphiql', { key: null });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const markup = text.replace(/<script>[\s\S]*?<\/script>/g, '').replace(/<style>[\s\S]*?<\/style>/g, '');
    expect(markup).not.toMatch(/<script[^>]+src|<link[^>]+href="(?!data:)|https?:/);
    const styles = [...text.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, css]) => css).join('');
    expect(styles.length).toBeGreaterThan(10_000);
    expect(styles).not.toMatch(/@import|url\(\s*["']?(?!data:|["'])/);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/https?:|\*/);
    expect(policy).toMatch(/script-src(?: 'sha256-[^']+'){3} blob:;/); // no 'unsafe-inline'
  });

  test('asks /graphql, has a header for the key, and keeps no key in the browser', async () => {
    const text = await page();
    expect(text).toContain('"endpoint":"/graphql"');
    expect(text).toContain('"isHeadersEditorEnabled":true');
    expect(text).toContain('"shouldPersistHeaders":false');
    expect(text).toMatch(/"headers":"\{[^}]*Authorization[^}]*Bearer/);
  });

  test('greets with lines that fit into its editor at 1280 pixels, and opens the tab of before after a reload', async () => {
    const text = await page();
    const [, welcome = ''] = /"defaultQuery":("(?:[^"\\]|\\.)*")/.exec(text) ?? [];
    const lines = (JSON.parse(welcome) as string).split('\n');
    expect(lines[0]).toBe('# Welcome to Hookwright.');
    expect(lines.filter((line) => line.length > 50)).toEqual([]);
    const [before = '', after = ''] = text.split('<div id="root"></div>');
    expect(after).toMatch(/^\s*<script>[^<]*localStorage\.setItem\('graphiql:query', query/);
    expect(before + after).toContain('renderYogaGraphiQL');
  });

  test('has no scroll bars around its panes, which scroll themselves', async () => {
    expect(await page()).toMatch(/<style>\s*body \{ overflow: hidden; \}\s*<\/style>/);
  });

  test('comes gzipped to those who can read it, and once', async () => {
    const first = await api.server.inject({ url: '/graphiql', headers: { 'accept-encoding': 'gzip, br' } });
    expect(first.headers['content-encoding']).toBe('gzip');
    expect(first.rawPayload.length).toBeLessThan(4_000_000);
    const headers = { 'if-none-match': String(first.headers['etag']) };
    expect((await api.server.inject({ url: '/graphiql', headers })).statusCode).toBe(304);
  });

  test('GRAPHIQL=false turns it off', async () => {
    await using closed = await RestApi.open({ GRAPHIQL: 'false' });
    expectProblem(await closed.ask('GET //graphiql'), 'not_found');
    expect((await closed.ask('GET //')).body).not.toHaveProperty('graphiql');
  });
});
