import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { issueCertificate } from '../support/issue-certificate.js';
import { RestApi } from '../support/rest-api.js';

const api = await RestApi.open();
afterAll(() => api[Symbol.asyncDispose]());

const { certificate, key } = issueCertificate();
const options = {
  name: 'Booking system',
  metadata: { team: 'payments' },
  delivery: {
    retry_delays_seconds: [5, 60],
    headers: { 'X-Api-Key': { value: 'k-3f8c1e-long' }, 'X-Env': { value: 'prod', secret: false } },
    auth: { basic: { username: 'hooks', password: 'p-b6c2f1-long' } },
    tls: { ca_pem: certificate, client_certificate_pem: certificate, client_key_pem: key },
  },
  content: {
    filter: { field: { path: 'code', op: 'EQ', value: 'SUMMER' } },
    format: 'TEMPLATE',
    template: { a: '{{code}}' },
  },
  ordering: { by: 'KEY', key_path: 'code' },
};
let id: number;
beforeEach(async () => {
  id = (await api.webhook({ url: 'https://example.com/hooks', events: ['coupon.applied'], options })).id;
});

const read = async (path: string) => {
  const { status, body, headers } = await api.ask(`GET ${path}`);
  expect(status).toBe(200);
  return { data: body.data, etag: headers['etag'] };
};
const patch = (path: string, json: object, headers = {}) => api.ask(`PATCH ${path}`, { json, headers });
const changesSeen = async () =>
  (await api.owner.query(`select count(*)::int as n from hookwright.audit_log where target_id = $1::text`, [id]))
    .rows[0].n;

/** A resource with everything set, one with nothing set, and one whose tenant sets defaults. */
describe.each(['everything', 'nothing', 'what its tenant sets'])('a webhook that has %s', (what) => {
  beforeEach(async () => {
    if (what !== 'everything') {
      id = (await api.webhook()).id;
    }
    const timeout = what === 'what its tenant sets' ? 7_000 : null;
    await api.owner.query('update hookwright.tenants set timeout_ms = $1 where id = $2', [timeout, api.tenant.id]);
  });

  test.each(['', '/options'])('is changed by nothing of GET /webhooks/{id}%s that is sent back', async (part) => {
    const path = `/webhooks/${id}${part}`;
    const before = await read(path);
    const entries = await changesSeen();
    const { status, body, headers } = await patch(path, before.data, { 'if-match': before.etag });
    expect({ status, data: body.data, etag: headers['etag'] }).toEqual({ status: 200, ...before });
    expect(await read(path)).toEqual(before);
    expect(await changesSeen()).toBe(entries);
  });

  test('takes its own options beside its own fields', async () => {
    const before = await read(`/webhooks/${id}/options`);
    const { data } = await read(`/webhooks/${id}`);
    expect((await patch(`/webhooks/${id}`, { ...data, options: before.data })).status).toBe(200);
    expect(await read(`/webhooks/${id}/options`)).toEqual(before);
  });

  test('changes by what was changed of it, and by that alone', async () => {
    const path = `/webhooks/${id}/options`;
    const { data } = await read(path);
    const changed = { ...data, name: 'Another', delivery: { ...data.delivery, timeout_ms: 3_000 } };
    expect((await patch(path, changed)).status).toBe(200);
    const own = [...new Set([...data.delivery.own, 'timeout_ms'])];
    const after = (await read(path)).data;
    expect({ ...after, delivery: { ...after.delivery, own: after.delivery.own.toSorted() } }).toEqual({
      ...changed,
      delivery: { ...changed.delivery, own: own.toSorted() },
    });
  });
});

test('a value that is inherited becomes its own when it is sent without `own`', async () => {
  const { data } = await read(`/webhooks/${id}/options`);
  await patch(`/webhooks/${id}/options`, { delivery: { timeout_ms: data.delivery.timeout_ms } });
  expect((await read(`/webhooks/${id}/options`)).data.delivery.own).toContain('timeout_ms');
});

test('a webhook that is made of the options of another one inherits what that one inherits', async () => {
  const { data } = await read(`/webhooks/${id}/options`);
  const { headers: _headers, auth: _auth, tls: _tls, ...delivery } = data.delivery;
  const made = await api.webhook({ url: 'https://example.com/', events: ['*'], options: { ...data, delivery } });
  expect((await read(`/webhooks/${made.id}/options`)).data.delivery.own).toEqual(['retry_delays_seconds']);
});

test.each([{}, { kind: 'BASIC' }, { kind: 'BASIC', username: 'hooks' }])(
  'an auth without its secret, given in part as %j, stays',
  async (auth) => {
    const before = await read(`/webhooks/${id}/options`);
    expect((await patch(`/webhooks/${id}/options`, { name: 'Another', delivery: { auth } })).status).toBe(200);
    expect((await read(`/webhooks/${id}/options`)).data).toEqual({ ...before.data, name: 'Another' });
  },
);

describe('what belongs to a secret does not change without it', () => {
  const refused = async (path: string, json: object) => {
    const before = await read(`/webhooks/${id}/options`);
    const { status, body } = await patch(path, json);
    expect(await read(`/webhooks/${id}/options`)).toEqual(before);
    return { status, code: body.code, errors: body.errors };
  };
  const bound = { status: 409, code: 'secrets_bound_to_origin', errors: undefined };

  test('neither by another origin of the url', async () => {
    const [webhook, ofIt] = [await read(`/webhooks/${id}`), await read(`/webhooks/${id}/options`)];
    const moved = { ...webhook.data, url: 'https://thief.example.com/x', options: ofIt.data };
    expect(await refused(`/webhooks/${id}`, moved)).toEqual(bound);
  });

  test.each([
    { auth: { kind: 'BASIC', username: 'other', header: null } },
    { auth: { kind: 'BEARER' } },
    { headers: { 'X-Api-Key': { secret: false } } },
  ])('nor by %j', async (delivery) => {
    expect(await refused(`/webhooks/${id}/options`, { delivery })).toEqual(bound);
  });

  test('and a readable header becomes secret by its value alone', async () => {
    const header = { delivery: { headers: { 'X-Env': { secret: true } } } };
    expect(await refused(`/webhooks/${id}/options`, header)).toMatchObject({
      status: 422,
      errors: [{ pointer: '/delivery/headers/X-Env/value', code: 'required' }],
    });
  });

  test('and there is none to keep for a header or an auth that the webhook does not have', async () => {
    const header = { delivery: { headers: { 'X-New': { secret: true } } } };
    expect(await refused(`/webhooks/${id}/options`, header)).toMatchObject({
      status: 422,
      errors: [{ pointer: '/delivery/headers/X-New/value', code: 'required' }],
    });
    const { id: plain } = await api.webhook();
    const auth = { delivery: { auth: { kind: 'BASIC', username: 'hooks' } } };
    expect((await patch(`/webhooks/${plain}/options`, auth)).body).toMatchObject({
      errors: [{ pointer: '/delivery/auth', code: 'required' }],
    });
    const copied = { url: 'https://example.com/', events: ['*'], options: auth };
    const { body } = await api.ask('POST /webhooks', { json: copied });
    expect(body.errors).toMatchObject([{ pointer: '/options/delivery/auth', code: 'required' }]);
  });
});

test('fields that only answers have change nothing by themselves', async () => {
  const { status, body } = await patch(`/webhooks/${id}`, { consecutive_failures: 0 });
  expect({ status, code: body.errors[0].code }).toEqual({ status: 422, code: 'nothing_to_change' });
});
