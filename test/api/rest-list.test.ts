import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeTenant, type TestTenant } from '../support/factories.js';
import { contractFields, expectRefusedAt, RestApi } from '../support/rest-api.js';

const valid = { url: 'https://example.com/hooks', events: ['booking.created', 'coupon.applied'] };

let api: RestApi;
beforeAll(async () => {
  api = await RestApi.open({ WEBHOOKS_PER_TENANT_MAX: '40' });
});
afterAll(() => api[Symbol.asyncDispose]());

describe('GET /webhooks: "List of the tenant\'s subscriptions"', () => {
  let tenant: TestTenant;
  const ids: number[] = [];
  const list = (query = '') => api.ask(`GET /webhooks${query}`, { key: tenant.key });
  const idsOf = ({ body }: { body: { data: { id: number }[] } }) => body.data.map(({ id }) => id);

  beforeAll(async () => {
    tenant = await makeTenant(api.services);
    for (const events of [['*'], ['booking.created'], ['coupon.applied', 'booking.created'], ['voucher.emitted']]) {
      ids.unshift((await api.webhook({ url: valid.url, events }, tenant.key)).id);
    }
    await api.ask(`PATCH /webhooks/${ids[0]}`, { json: { active: false }, key: tenant.key });
  });

  test('newest first, each with the contract’s fields', async () => {
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual(['data', 'meta']);
    expect(answer.body.meta).toEqual({ next_cursor: null });
    expect(idsOf(answer)).toEqual(ids);
    for (const webhook of answer.body.data) {
      expect(Object.keys(webhook)).toEqual(contractFields);
    }
  });

  test('a tenant without webhooks has an empty list', async () => {
    const { key } = await makeTenant(api.services);
    expect((await api.ask('GET /webhooks', { key })).body).toEqual({ data: [], meta: { next_cursor: null } });
  });

  test.each([1, 2, 3])(
    'pages of %i lead through the whole list, and the last one has no next_cursor',
    async (limit) => {
      const seen: number[][] = [];
      let cursor = '';
      do {
        const page = await list(`?limit=${limit}${cursor}`);
        seen.push(idsOf(page));
        const next = page.body.meta.next_cursor;
        expect(next === null || /^[\w-]+$/.test(next)).toBe(true);
        cursor = next === null ? '' : `&cursor=${next}`;
      } while (cursor !== '');
      expect(seen.flat()).toEqual(ids);
      expect(seen).toHaveLength(Math.ceil(ids.length / limit));
    },
  );

  test('a cursor stays good when its webhook is deleted', async () => {
    const { key } = await makeTenant(api.services);
    const made = [await api.webhook(valid, key), await api.webhook(valid, key)];
    const first = await api.ask('GET /webhooks?limit=1', { key });
    await api.ask(`DELETE /webhooks/${made[1]?.id}`, { key });
    const rest = await api.ask(`GET /webhooks?cursor=${first.body.meta.next_cursor}`, { key });
    expect(idsOf(rest)).toEqual([made[0]?.id]);
  });

  test('limit is 1 to 100, both included', async () => {
    expect((await list('?limit=1')).body.data).toHaveLength(1);
    expect((await list('?limit=100')).status).toBe(200);
  });

  test('active and event filter, the wildcard included, also together', async () => {
    expect(idsOf(await list('?active=false'))).toEqual([ids[0]]);
    expect(idsOf(await list('?active=true'))).toEqual(ids.slice(1));
    expect(idsOf(await list('?event=booking.created'))).toEqual([ids[1], ids[2], ids[3]]);
    expect(idsOf(await list('?event=voucher.emitted&active=true'))).toEqual([ids[3]]);
  });

  test.each([
    ['limit=0', '?limit'],
    ['limit=101', '?limit'],
    ['limit=-1', '?limit'],
    ['limit=1.5', '?limit'],
    ['limit=1e1', '?limit'],
    ['limit=', '?limit'],
    ['limit=abc', '?limit'],
    ['limit=5&limit=6', '?limit'],
    ['cursor=', '?cursor'],
    ['cursor=bad', '?cursor'],
    ['cursor=!!!', '?cursor'],
    [`cursor=${Buffer.from('webhooks:0').toString('base64url')}`, '?cursor'],
    [`cursor=${Buffer.from('webhooks:99999999999999999').toString('base64url')}`, '?cursor'],
    ['active=yes', '?active'],
    ['active=TRUE', '?active'],
    ['active=', '?active'],
    ['active=1', '?active'],
    ['event=', '?event'],
    ['event=nothing.such', '?event'],
    ['event=*', '?event'],
    ['event=a.b&event=c.d', '?event'],
    ['page=2', '?page'],
    ['__proto__=1', '?__proto__'],
    ['limit=0&active=2&page=3', '?limit', '?active', '?page'],
  ])('?%s is 422 and names the parameter', async (query, ...places) => {
    expectRefusedAt(await list(`?${query}`), ...places);
  });
});
