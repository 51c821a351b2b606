import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { makeKey, makeTenant, type TestTenant } from '../support/factories.js';
import { contractFields, expectProblem, expectRefusedAt, RestApi } from '../support/rest-api.js';

/** External ids over REST: among the options of a webhook, in its list, and for a tenant in the header. */

const api = await RestApi.open();
const platform = await makeKey(api.services, null, ['platform:admin']);
afterAll(() => api[Symbol.asyncDispose]());

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await makeTenant(api.services);
});

const wanted = { url: 'https://example.com/hooks', events: ['*'] };
const post = (json: object, key = tenant.key) => api.ask('POST /webhooks', { json: { ...wanted, ...json }, key });
const optionsOf = async (id: number) => (await api.ask(`GET /webhooks/${id}/options`, { key: tenant.key })).body.data;
const patch = (id: number, json: object, key = tenant.key, headers: Record<string, string> = {}) =>
  api.ask(`PATCH /webhooks/${id}/options`, { json, key, headers });
const asOperator = () => ({ 'hookwright-tenant': String(tenant.id) });

describe('a new webhook', () => {
  test.each([
    ['beside its options', { external_id: 'crm-1' }],
    ['among its options', { options: { external_id: 'crm-1' } }],
    ['in both', { external_id: 'crm-1', options: { external_id: 'crm-1', name: 'Shop' } }],
    [
      'beside others, where a client sends back what another webhook has',
      { external_id: 'crm-1', options: { external_id: null } },
    ],
  ])('takes an external id %s, and answers with the fields of the contract alone', async (_, json) => {
    const { status, body } = await post(json);
    expect(status).toBe(201);
    expect(Object.keys(body.data)).toEqual([...contractFields, 'secret']);
    expect(await optionsOf(body.data.id)).toMatchObject({ external_id: 'crm-1' });
  });

  test('without one has none', async () => {
    const { body } = await post({ external_id: null });
    expect(await optionsOf(body.data.id)).toMatchObject({ external_id: null });
  });

  test('with a wrong one is refused where it stands', async () => {
    expectRefusedAt(await post({ external_id: ' a' }), '/external_id');
    expectRefusedAt(await post({ external_id: 7 }), '/external_id');
    expectRefusedAt(await post({ options: { external_id: '' } }), '/options/external_id');
    expectRefusedAt(await post({ external_id: 'a', options: { external_id: 'b' } }), '/external_id');
  });

  test('that another one has is refused, and the detail names that one', async () => {
    const { body } = await post({ external_id: 'crm-1' });
    const again = await post({ external_id: 'crm-1' });
    expectProblem(again, 'external_id_taken');
    expect(again.body.detail).toBe(`Webhook ${body.data.id} has this external id.`);
  });
});

test('the list finds a webhook by its external id', async () => {
  const { body } = await post({ external_id: 'crm 1/a' });
  await post({ external_id: 'crm-2' });
  const found = async (query: string) =>
    (await api.ask(`GET /webhooks?${query}`, { key: tenant.key })).body.data.map(({ id }: { id: number }) => id);
  expect(await found('external_id=crm%201/a')).toEqual([body.data.id]);
  expect(await found('external_id=CRM-2')).toEqual([]);
  expect(await found('search=CRM%201')).toEqual([body.data.id]);
  expectRefusedAt(await api.ask('GET /webhooks?external_id=%20', { key: tenant.key }), '?external_id');
});

test('an external id is set once by the tenant, and changed by a platform key', async () => {
  const { body } = await post({});
  const { id } = body.data;
  expect((await patch(id, { external_id: 'crm-1' })).body.data).toMatchObject({ external_id: 'crm-1' });
  expect((await patch(id, { ...(await optionsOf(id)), name: 'Shop' })).status).toBe(200);
  expectProblem(await patch(id, { external_id: 'crm-2' }), 'option_not_allowed');
  expectProblem(await patch(id, { external_id: null }), 'option_not_allowed');
  const changed = await patch(id, { external_id: 'crm-2' }, platform.key, asOperator());
  expect(changed.body.data).toMatchObject({ external_id: 'crm-2', name: 'Shop' });
  await post({ external_id: 'crm-1' });
  expectProblem(await patch(id, { external_id: 'crm-1' }, platform.key, asOperator()), 'external_id_taken');
});

test('the header Hookwright-Tenant takes the external id of a tenant', async () => {
  await api.owner.query('update hookwright.tenants set external_id = $1 where id = $2', [`t${tenant.id}`, tenant.id]);
  const { body } = await post({});
  const list = (named: string) =>
    api.ask('GET /webhooks', { key: platform.key, headers: { 'hookwright-tenant': named } });
  expect((await list(`ext:t${tenant.id}`)).body.data).toMatchObject([{ id: body.data.id }]);
  expectProblem(await list('ext:nobody'), 'not_found');
  const answer = await api.ask('GET /webhooks', { headers: { 'hookwright-tenant': `ext:t${tenant.id}` } });
  expectProblem(answer, 'scope_missing');
});

test('tenants that may not write labels may not write external ids', async () => {
  await using limited = await RestApi.open({ ENDPOINT_OPTIONS: 'pace' });
  const json = { ...wanted, external_id: 'crm-1' };
  expectProblem(await limited.ask('POST /webhooks', { json }), 'option_not_allowed');
});
