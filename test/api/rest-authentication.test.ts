import { afterAll, describe, expect, test } from 'vitest';
import { makeKey, makeTenant } from '../support/factories.js';
import { expectProblem, RestApi } from '../support/rest-api.js';

const REST_BODY_BYTES_MAX = 65_536;

const valid = { url: 'https://example.com/hooks', events: ['booking.created', 'coupon.applied'] };

const api = await RestApi.open({ WEBHOOKS_PER_TENANT_MAX: '40' });
afterAll(() => api[Symbol.asyncDispose]());

describe('authentication (contract part 5)', () => {
  const routes = [
    'GET /webhooks',
    'POST /webhooks',
    'GET /webhooks/1',
    'PATCH /webhooks/1',
    'DELETE /webhooks/1',
    'POST /webhooks/1/test',
  ];

  test.each(routes)('%s requires the Authorization header', async (line) => {
    for (const key of [null, 'nonsense', `${api.tenant.key.slice(0, -1)}?`, '']) {
      const answer = await api.ask(line, { key });
      expectProblem(answer, 'unauthenticated');
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  });

  test.each([
    ['', 'has no API key'],
    ['Bearer', 'has no API key'],
    ['Bearer  ', 'has no API key'],
    ['Bearer hw_1_x', 'is malformed'],
    ['Basic aHc6eA==', 'must be Bearer'],
    ['hw_1_x', 'must be Bearer'],
  ])('an Authorization of "%s" is refused with its fault', async (authorization, fault) => {
    const answer = await api.ask('GET /webhooks', { key: null, headers: { authorization } });
    expectProblem(answer, 'unauthenticated');
    expect(answer.body.detail).toContain(fault);
  });

  test('a bad key is refused before the body is looked at', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const payload of ['{', 'x'.repeat(REST_BODY_BYTES_MAX + 1)]) {
      expectProblem(await api.ask('POST /webhooks', { key: 'x', headers, payload }), 'unauthenticated');
    }
  });

  test.each(routes)('%s needs its scope, before what is sent is judged', async (line) => {
    const isRead = line.startsWith('GET');
    const { id } = await api.webhook(valid);
    const { key } = await makeKey(api.services, api.tenant.id, [isRead ? 'webhooks:write' : 'webhooks:read']);
    const route = line.replace('/1', `/${id}`);
    const json = line.startsWith('PATCH') ? { active: true } : valid;
    const answer = await api.ask(route, isRead ? { key } : { key, json });
    expectProblem(answer, 'scope_missing');
    expect(answer.body.detail).toContain(isRead ? 'webhooks:read' : 'webhooks:write');
    const headers = { 'content-type': 'application/json' };
    const bodies = ['{}', '{', 'x'.repeat(REST_BODY_BYTES_MAX + 1)].map((payload) => ({ headers, payload }));
    for (const body of isRead ? [{}] : bodies) {
      expectProblem(await api.ask(`${route}?unknown=1`, { key, ...body }), 'scope_missing');
    }
  });

  test('the body of a PATCH is judged after the question whether there is such a webhook', async () => {
    const { id } = await api.webhook(valid);
    const { key } = await makeTenant(api.services);
    for (const path of [id, 999_999, 'x', 0]) {
      for (const json of [{}, { url: 1 }, []]) {
        expectProblem(await api.ask(`PATCH /webhooks/${path}`, { key, json }), 'not_found');
      }
    }
    const { key: writer } = await makeKey(api.services, api.tenant.id, ['webhooks:write']);
    expectProblem(await api.ask(`PATCH /webhooks/${id}`, { key: writer, json: {} }), 'invalid_input');
  });

  test('"the credential identifies the tenant": a foreign webhook is 404, never 403, and stays untouched', async () => {
    const { secret: _, ...mine } = await api.webhook(valid);
    const { key } = await makeTenant(api.services);
    for (const [line, json] of [
      [`GET /webhooks/${mine.id}`],
      [`PATCH /webhooks/${mine.id}`, { active: false }],
      [`DELETE /webhooks/${mine.id}`],
      [`POST /webhooks/${mine.id}/test`],
    ] as [string, object?][]) {
      const foreign = await api.ask(line, { key, json });
      const unknown = await api.ask(line.replace(String(mine.id), '999999'), { key, json });
      expectProblem(foreign, 'not_found');
      expect(foreign.body.detail.replace(String(mine.id), '999999')).toBe(unknown.body.detail);
    }
    expect((await api.ask('GET /webhooks', { key })).body.data).toEqual([]);
    expect((await api.ask(`GET /webhooks/${mine.id}`)).body.data).toEqual(mine);
  });

  test('a platform key names the tenant that it acts for', async () => {
    const { key } = await makeKey(api.services, null, ['platform:admin']);
    const { id } = await api.webhook(valid);
    expectProblem(await api.ask(`GET /webhooks/${id}`, { key }), 'tenant_required');
    const named = (tenant: string | number) => ({ key, headers: { 'hookwright-tenant': String(tenant) } });
    expect((await api.ask(`GET /webhooks/${id}`, named(api.tenant.id))).body.data.id).toBe(id);
    expectProblem(await api.ask(`GET /webhooks/${id}`, named(999_999)), 'not_found');
    expectProblem(await api.ask(`GET /webhooks/${id}`, named('x')), 'not_found');
  });

  test("a tenant's key cannot name another tenant", async () => {
    const other = await makeTenant(api.services);
    const headers = { 'hookwright-tenant': String(other.id) };
    const answer = await api.ask('GET /webhooks', { headers });
    expectProblem(answer, 'scope_missing');
    expect(answer.body.detail).toContain('the header Hookwright-Tenant names another one');
  });
});
