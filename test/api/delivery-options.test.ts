import { afterAll, describe, expect, test } from 'vitest';
import type { TenantScope } from '../../src/domain/keys/scopes.js';
import { makeKey } from '../support/factories.js';
import { gid } from '../support/ids.js';
import { expectProblem, RestApi } from '../support/rest-api.js';

/** How an endpoint is called: the group `delivery` of a webhook's options. */

const api = await RestApi.open();
afterAll(() => api[Symbol.asyncDispose]());

const shown = 'delivery { headers { name value secret } auth { kind username header } own } version';
const updateAny = async (id: number, change: object, key = api.tenant.key, headers = {}) => {
  const query = `mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { ${shown} } } }`;
  const json = { query, variables: { input: { id: gid.webhook(id), ...change } } };
  return (await api.ask('POST //graphql', { json, key, headers })).body;
};
const update = (id: number, delivery: object) => updateAny(id, { delivery });
const changed = async (id: number, delivery: object) => (await update(id, delivery)).data.updateWebhook.webhook;
const refused = async (id: number, delivery: object) => {
  const { errors } = (await update(id, delivery)).errors[0].extensions;
  return errors.map(({ path, code }: { path: string[]; code: string }) => `${path.slice(2).join('.')} ${code}`);
};
const patch = (id: number, delivery: object | null) => api.ask(`PATCH /webhooks/${id}/options`, { json: { delivery } });
const optionsOf = async (id: number) => (await api.ask(`GET /webhooks/${id}/options`)).body.data.delivery;
const auditOf = async (id: number) => {
  const text = `select coalesce(before::text, '') || ' > ' || coalesce(after::text, '') as entry
                from hookwright.audit_log where target_id = $1 order by id`;
  return (await api.owner.query(text, [String(id)])).rows.map(({ entry }) => entry as string);
};

describe('headers', () => {
  test('are set and removed by their names, whatever their case; a secret value is never shown again', async () => {
    const { id } = await api.webhook();
    expect(await optionsOf(id)).toMatchObject({ headers: {}, auth: null, own: [] });
    const first = [
      { name: 'X-Api-Key', value: 'marker-1' },
      { name: 'X-Env', value: 'prod', secret: false },
    ];
    const key = { name: 'X-Api-Key', value: null, secret: true };
    const env = { name: 'X-Env', value: 'prod', secret: false };
    const { delivery, version } = await changed(id, { setHeaders: first });
    expect(delivery).toEqual({ headers: [key, env], auth: null, own: ['HEADERS'] });
    const second = await changed(id, { setHeaders: [{ name: 'x-env', value: 'test', secret: false }] });
    expect(second.delivery.headers).toEqual([key, { ...env, name: 'x-env', value: 'test' }]);
    expect(second.version).toBe(version + 1);
    const same = await changed(id, { setHeaders: [{ name: 'x-env', value: 'test', secret: false }] });
    expect(same.version).toBe(version + 1);
    const respelled = await changed(id, { setHeaders: [{ name: 'X_Env', value: 'test', secret: false }] });
    expect(respelled.delivery.headers).toEqual([key, { ...env, name: 'X_Env', value: 'test' }]);
    expect((await changed(id, { removeHeaders: ['X-API_KEY'] })).delivery.headers).toHaveLength(1);
    expect((await changed(id, { reset: ['HEADERS'] })).delivery).toEqual({ headers: [], auth: null, own: [] });
    const entries = (await auditOf(id)).join('\n');
    expect(entries).toContain('{"headers":{"X-Api-Key":"[secret]","X-Env":"[value]"}}');
    expect(entries).not.toContain('marker-1');
    expect(entries).not.toContain('prod');
  });

  test('are a map in REST, of which a patch changes one', async () => {
    const { id } = await api.webhook();
    const set = { 'X-Api-Key': { value: 'marker-2' }, 'X-Env': { value: 'prod', secret: false } };
    const kept = { 'X-Api-Key': { secret: true }, 'X-Env': { value: 'prod', secret: false } };
    expect((await patch(id, { headers: set })).body.data.delivery).toMatchObject({ headers: kept, own: ['headers'] });
    expect((await patch(id, { headers: kept })).body.data.delivery.headers).toEqual(kept);
    const { 'X-Env': env, ...key } = kept;
    await patch(id, { headers: { 'X-Api-Key': null } });
    expect(await optionsOf(id)).toMatchObject({ headers: { 'X-Env': env }, own: ['headers'] });
    await patch(id, { headers: set });
    await patch(id, { headers: { 'X-Env': null } });
    expect((await optionsOf(id)).headers).toEqual(key);
    await patch(id, null);
    expect(await optionsOf(id)).toMatchObject({ headers: {}, auth: null, own: [] });
    const json = { url: 'https://a.example.com/', events: ['*'], options: { delivery: { headers: set } } };
    const made = await api.ask('POST /webhooks', { json });
    expect((await optionsOf(made.body.data.id)).headers).toEqual(kept);
    expect((await auditOf(made.body.data.id)).join()).not.toContain('marker-2');
  });

  test('that would change the request, or another header of it, are refused by name', async () => {
    const { id } = await api.webhook();
    const name = async (text: string) => refused(id, { setHeaders: [{ name: text, value: 'a' }] });
    const reserved = [
      ...['Authorization', 'HOST', 'Content-Type', 'content-length', 'Connection', 'Keep-Alive', 'TE', 'Trailer'],
      ...['Transfer-Encoding', 'Upgrade', 'Proxy-Authorization', 'Expect', 'Accept-Encoding', 'Date', 'Forwarded'],
      ...['X-Forwarded-For', 'X-Real-IP', 'Sec-Fetch-Mode', 'traceparent', 'tracestate', 'ce-id', 'webhook-id'],
      ...['svix-id', 'X-Service-Signature', 'x-service-anything'],
    ];
    const spelled = ['X_Service_Signature', 'X.Service_Signature', 'Content_Length', 'webhook_id', 'ACCEPT_ENCODING'];
    for (const one of [...reserved, ...spelled]) {
      expect(await name(one)).toEqual(['setHeaders.0.name header_not_allowed']);
    }
    for (const one of ['', 'a b', 'a:', 'a\r\nb', 'ä', 'a\0', ' a', 'x'.repeat(65), '__proto__', '__PROTO__']) {
      expect(await name(one)).toEqual(['setHeaders.0.name header_name_malformed']);
    }
    const values = [
      '',
      ' a',
      'a ',
      'a\tb',
      'a\r\nX-Evil: 1',
      'a\r\n b',
      'a\nb',
      'a\0b',
      'ä',
      '\u{1f600}',
      'x'.repeat(4_097),
    ];
    for (const value of values) {
      const setHeaders = [{ name: 'X-A', value }];
      expect(await refused(id, { setHeaders })).toEqual(['setHeaders.0.value header_value_malformed']);
    }
    const answer = await patch(id, { headers: { 'X-A': { value: ' a' }, Host: { value: 'b' } } });
    const errors = answer.body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`);
    expect(errors).toEqual([
      '/delivery/headers/X-A/value header_value_malformed',
      '/delivery/headers/Host header_not_allowed',
    ]);
    expect(await optionsOf(id)).toMatchObject({ headers: {}, auth: null, own: [] });
  });

  test('are limited in number and length, with those that are set already', async () => {
    const { id } = await api.webhook();
    const list = (count: number, from = 0, value = 'a') =>
      Array.from({ length: count }, (_, index) => ({ name: `X-${from + index}`, value }));
    expect(await refused(id, { setHeaders: list(21) })).toEqual(['setHeaders headers_too_many']);
    expect((await changed(id, { setHeaders: list(20) })).delivery.headers).toHaveLength(20);
    expect(await refused(id, { setHeaders: list(1, 20) })).toEqual(['setHeaders headers_too_many']);
    expect((await changed(id, { setHeaders: list(1, 20), removeHeaders: ['X-0'] })).delivery.headers).toHaveLength(20);
    await changed(id, { reset: ['HEADERS'] });
    expect((await changed(id, { setHeaders: list(1, 0, 'x'.repeat(4_096)) })).delivery.headers).toHaveLength(1);
    expect(await refused(id, { setHeaders: list(1, 1, 'x'.repeat(4_096)) })).toEqual(['setHeaders headers_too_long']);
    for (const name of ['x-a', 'X_A', 'x.a']) {
      const twice = [
        { name: 'X-A', value: 'a' },
        { name, value: 'b' },
      ];
      expect(await refused(id, { setHeaders: twice })).toEqual(['setHeaders.1.name header_repeated']);
    }
    const both = { setHeaders: list(1), reset: ['HEADERS'] };
    expect(await refused(id, both)).toEqual(['headers contradiction']);
  });
});

test('placeholders in values are sent as they stand: a warning says so, also of secrets', async () => {
  const { id } = await api.webhook();
  const warnings = 'delivery { warnings { code message path eventType types } }';
  const query = `{ webhook(id: "${gid.webhook(id)}") { ${warnings} } }`;
  const read = async () => (await api.ask('POST //graphql', { json: { query } })).body.data.webhook.delivery.warnings;
  expect(await read()).toEqual([]);
  const setHeaders = [
    { name: 'X-Code', value: 'a {{code}} b', secret: false },
    { name: 'X-Hidden', value: '{{ marker.a }}' },
    { name: 'X-Json', value: '{"a":{"b":1}}', secret: false },
    { name: 'X-Braces', value: '{{ }}}{{}}{{', secret: false },
  ];
  await changed(id, { setHeaders: setHeaders.slice(0, 3), auth: { bearer: 'marker.{{token}}' } });
  const shown = await read();
  const about = { code: 'placeholder_in_header', eventType: null, types: null };
  expect(shown).toMatchObject(['X-Code', 'X-Hidden', 'Authorization'].map((path) => ({ ...about, path })));
  expect(JSON.stringify(shown)).not.toContain('marker');
  expect((await optionsOf(id)).warnings.map((one: { path: string }) => one.path)).toEqual([
    ...['X-Code', 'X-Hidden', 'Authorization'],
  ]);
  const plain = setHeaders.map((one) => ({ ...one, value: one.value.replaceAll(/[{}]/g, '').trim() }));
  await changed(id, { setHeaders: plain.slice(0, 2), auth: { apiKey: { header: 'X-Key', value: '{{a}}' } } });
  expect((await read()).map((one: { path: string }) => one.path)).toEqual(['X-Key']);
});

describe('the method', () => {
  const methodOf = async (id: number, delivery: object) => {
    const query = `mutation ($input: UpdateWebhookInput!) {
      updateWebhook(input: $input) { webhook { delivery { method own } } } }`;
    const json = { query, variables: { input: { id: gid.webhook(id), delivery } } };
    return (await api.ask('POST //graphql', { json })).body.data?.updateWebhook.webhook.delivery;
  };

  test('is POST until PUT or PATCH is set, and again after a reset', async () => {
    const { id } = await api.webhook();
    expect(await optionsOf(id)).toMatchObject({ method: 'POST', own: [] });
    expect(await methodOf(id, { method: 'PUT' })).toEqual({ method: 'PUT', own: ['METHOD'] });
    expect(await methodOf(id, { timeoutMs: 5_000 })).toEqual({ method: 'PUT', own: ['TIMEOUT_MS', 'METHOD'] });
    expect(await methodOf(id, { reset: ['METHOD', 'TIMEOUT_MS'] })).toEqual({ method: 'POST', own: [] });
    expect((await patch(id, { method: 'PATCH' })).body.data.delivery).toMatchObject({
      method: 'PATCH',
      own: ['method'],
    });
    expect((await patch(id, { method: null })).body.data.delivery).toMatchObject({ method: 'POST', own: [] });
    expect(await methodOf(id, { method: 'POST' })).toEqual({ method: 'POST', own: ['METHOD'] });
    expect(await methodOf(id, { method: null })).toEqual({ method: 'POST', own: [] });
    expect(await auditOf(id)).toContain('{"method":null} > {"method":"PUT"}');
    const json = { url: 'https://a.example.com/', events: ['*'], options: { delivery: { method: 'PUT' } } };
    const made = await api.ask('POST /webhooks', { json });
    expect(await optionsOf(made.body.data.id)).toMatchObject({ method: 'PUT' });
  });

  test('that is another one is refused', async () => {
    const { id } = await api.webhook();
    for (const method of ['GET', 'DELETE', 'put', '']) {
      expect((await patch(id, { method })).body.errors[0]).toMatchObject({ pointer: '/delivery/method' });
    }
    expect(await methodOf(id, { method: 'GET' })).toBeUndefined();
    expect(await optionsOf(id)).toMatchObject({ method: 'POST' });
  });
});

/** The parts of an auth that other kinds have. */
const UNSET = {
  ...{ username: null, header: null, token_url: null, client_id: null },
  ...{ scope: null, audience: null, client_auth: null, last_failure: null },
};

describe('auth', () => {
  test('is one of several kinds, set as a whole, and never shown', async () => {
    const { id } = await api.webhook();
    const basic = await changed(id, { auth: { basic: { username: 'hooks', password: 'marker-3' } } });
    expect(basic.delivery.auth).toEqual({ kind: 'BASIC', username: 'hooks', header: null });
    expect(basic.delivery.own).toEqual(['AUTH']);
    const bearer = await changed(id, { auth: { bearer: 'marker-3b' } });
    expect(bearer.delivery.auth).toEqual({ kind: 'BEARER', username: null, header: null });
    await patch(id, { auth: { api_key: { header: 'X-Key', value: 'marker-3c' } } });
    const shownKey = { ...UNSET, kind: 'API_KEY', header: 'X-Key' };
    expect((await optionsOf(id)).auth).toEqual(shownKey);
    expect((await patch(id, { auth: shownKey })).body.data.delivery.auth).toEqual(shownKey);
    expect((await changed(id, { auth: null })).delivery.auth).toBeNull();
    await changed(id, { auth: { bearer: 'marker-3d' } });
    expect((await changed(id, { reset: ['AUTH'] })).delivery.auth).toBeNull();
    const entries = (await auditOf(id)).join();
    expect(entries).toContain('{"auth":"[secret]"}');
    expect(entries).not.toContain('marker-3');
  });

  test('has a password or a user name or both; a user name without a password is secret', async () => {
    const { id } = await api.webhook();
    const basic = async (username: string, password: string) =>
      (await changed(id, { auth: { basic: { username, password } } })).delivery.auth;
    expect(await basic('', 'marker-6')).toEqual({ kind: 'BASIC', username: '', header: null });
    expect(await basic('marker-6b', '')).toEqual({ kind: 'BASIC', username: null, header: null });
    const inRest = await patch(id, { auth: { basic: { username: 'marker-6c', password: '' } } });
    expect(inRest.body.data.delivery.auth).toEqual({ ...UNSET, kind: 'BASIC' });
    expect((await patch(id, { auth: inRest.body.data.delivery.auth })).status).toBe(200);
    expect((await optionsOf(id)).auth).toEqual({ ...UNSET, kind: 'BASIC' });
    const { rows } = await api.owner.query('select auth from hookwright.webhook_options where webhook_id = $1', [id]);
    expect(JSON.stringify([rows, await auditOf(id)])).not.toContain('marker-6');
  });

  test('that is not a kind, several kinds or malformed is refused', async () => {
    const { id } = await api.webhook();
    const auth = async (one: object) => (await refused(id, { auth: one })).join();
    expect(await auth({})).toBe('auth exactly_one');
    expect(await auth({ bearer: 'a', apiKey: { header: 'X-A', value: 'a' } })).toBe('auth exactly_one');
    expect(await auth({ basic: { username: 'a:b', password: 'a' } })).toBe('auth.basic.username username_malformed');
    expect(await auth({ basic: { username: 'a', password: 'a\n' } })).toBe('auth.basic.password password_malformed');
    for (const token of ['', 'a b', 'a\r\nX-Evil: 1', 'ä']) {
      expect(await auth({ bearer: token })).toBe('auth.bearer token_malformed');
    }
    expect(await auth({ apiKey: { header: 'Host', value: 'a' } })).toBe('auth.apiKey.header header_not_allowed');
    expect(await auth({ apiKey: { header: 'X-A', value: 'a\r\nb: c' } })).toBe(
      'auth.apiKey.value header_value_malformed',
    );
    const longest = 'x'.repeat(4_096);
    const tooLong = `${longest}x`;
    for (const allowed of [
      { bearer: longest },
      { apiKey: { header: 'X-A', value: longest } },
      { basic: { username: longest, password: '' } },
      { basic: { username: '', password: longest } },
      { basic: { username: 'ä'.repeat(1_024), password: 'ä'.repeat(1_024) } },
    ]) {
      expect((await changed(id, { auth: allowed })).delivery.own).toEqual(['AUTH']);
    }
    expect(await auth({ bearer: tooLong })).toBe('auth.bearer token_malformed');
    expect(await auth({ apiKey: { header: 'X-A', value: tooLong } })).toBe('auth.apiKey.value header_value_malformed');
    expect(await auth({ basic: { username: 'a', password: longest } })).toBe('auth.basic.password password_malformed');
    expect(await auth({ basic: { username: tooLong, password: '' } })).toBe('auth.basic.username username_malformed');
    expect(await auth({ basic: { username: '', password: '' } })).toBe('auth.basic.username username_malformed');
    const twice = { auth: { apiKey: { header: 'x-a', value: 'a' } }, setHeaders: [{ name: 'X-A', value: 'b' }] };
    expect(await refused(id, twice)).toEqual([' header_repeated']);
    const spelled = { ...twice, auth: { apiKey: { header: 'x_a', value: 'a' } } };
    expect(await refused(id, spelled)).toEqual([' header_repeated']);
    expect(await auth({ apiKey: { header: 'X_Service_Event', value: 'a' } })).toBe(
      'auth.apiKey.header header_not_allowed',
    );
    const inRest = await patch(id, { auth: { api_key: { header: 'Host', value: 'a' } } });
    expect(inRest.body.errors[0]).toMatchObject({
      pointer: '/delivery/auth/api_key/header',
      code: 'header_not_allowed',
    });
  });
});

describe('secrets', () => {
  const secret = { auth: { bearer: 'marker-4' }, setHeaders: [{ name: 'X-Key', value: 'marker-4b' }] };
  const reasonOf = (body: { errors?: { extensions: { reason: string } }[] }) => body.errors?.[0]?.extensions.reason;

  test('stay with the origin that they were set for', async () => {
    const { id } = await api.webhook();
    await changed(id, secret);
    const moved = 'https://other.example.com/';
    const refusedMove = await updateAny(id, { url: moved });
    expect(reasonOf(refusedMove)).toBe('secrets_bound_to_origin');
    expect(JSON.stringify(refusedMove)).not.toContain('marker-4');
    expect(refusedMove.errors[0].message).toContain('X-Key, auth');
    const half = { url: moved, delivery: { auth: { bearer: 'again' } } };
    expect(reasonOf(await updateAny(id, half))).toBe('secrets_bound_to_origin');
    expect(reasonOf(await updateAny(id, { url: 'https://example.com/other' }))).toBeUndefined();
    expect((await api.ask(`PATCH /webhooks/${id}`, { json: { url: moved } })).status).toBe(409);
    expect(
      (await updateAny(id, { url: moved, delivery: secret })).data.updateWebhook.webhook.delivery.own,
    ).toHaveLength(2);
    const again = { headers: { 'X-Key': { value: 'marker-4c' } }, auth: { bearer: 'marker-4d' } };
    const back = { url: 'https://example.com/hooks', options: { metadata: { a: 'b' }, delivery: again } };
    const inRest = await api.ask(`PATCH /webhooks/${id}`, { json: back });
    expect([inRest.status, inRest.body.data.url]).toEqual([200, back.url]);
    const wrong = { options: { delivery: { auth: { bearer: 'a b' } } } };
    const refusedOption = await api.ask(`PATCH /webhooks/${id}`, { json: wrong });
    expect(refusedOption.body.errors[0].pointer).toBe('/options/delivery/auth/bearer');
    await api.ask(`PATCH /webhooks/${id}`, { json: { options: { metadata: { c: 'd' } } } });
    expect((await api.ask(`GET /webhooks/${id}/options`)).body.data.metadata).toEqual({ a: 'b', c: 'd' });
    const away = { url: 'https://third.example.com/', delivery: { reset: ['AUTH', 'HEADERS'] } };
    expect((await updateAny(id, away)).data.updateWebhook.webhook.delivery.own).toEqual([]);
  });

  test('need https, except on loopback', async () => {
    await using open = await RestApi.open({ ALLOW_HTTP_URLS: 'true', ALLOW_LOOPBACK_TARGETS: 'true' });
    const made = async (url: string) => {
      const json = { url, events: ['*'], options: { delivery: { auth: { bearer: 'marker-5' } } } };
      return await open.ask('POST /webhooks', { json });
    };
    expect((await made('http://plain.example.com/')).body.errors[0]).toMatchObject({ code: 'auth_needs_https' });
    expect((await made('http://127.0.0.1:8080/')).status).toBe(201);
    expect((await made('https://plain.example.com/')).status).toBe(201);
  });
});

describe('the right to change options', () => {
  test('is a part of webhooks:write of its own', async () => {
    const { id } = await api.webhook();
    const keyWith = async (...scopes: TenantScope[]) => (await makeKey(api.services, api.tenant.id, scopes)).key;
    const [editor, chooser] = [await keyWith('webhooks:edit'), await keyWith('webhooks:options', 'webhooks:read')];
    const outcome = async (change: object, key: string) => {
      const { errors } = await updateAny(id, change, key);
      return errors?.[0].extensions.reason ?? 'changed';
    };
    const options = { delivery: { auth: { bearer: 'a' } } };
    expect(await outcome({ name: 'A' }, editor)).toBe('changed');
    expect(await outcome(options, editor)).toBe('scope_missing');
    expect(await outcome({ name: 'A', ...options }, chooser)).toBe('scope_missing');
    expect(await outcome({ active: false }, chooser)).toBe('scope_missing');
    expect(await outcome(options, chooser)).toBe('changed');
    const three = await keyWith('webhooks:edit', 'webhooks:secrets', 'webhooks:test');
    expect(await outcome(options, three)).toBe('scope_missing');
  });

  test('is narrowed for tenants by ENDPOINT_OPTIONS; what is set stays', async () => {
    await using narrow = await RestApi.open({ ENDPOINT_OPTIONS: 'headers' });
    const { id } = await narrow.webhook();
    const change = (json: object, key?: string, headers = {}) =>
      narrow.ask(`PATCH /webhooks/${id}/options`, { json, headers, ...(key ? { key } : {}) });
    expect((await change({ delivery: { headers: { 'X-A': { value: 'a', secret: false } } } })).status).toBe(200);
    const wanted = { delivery: { auth: { bearer: 'a' } } };
    expectProblem(await change(wanted), 'option_not_allowed');
    expectProblem(await change({ name: 'A' }), 'option_not_allowed');
    const { key: platform } = await makeKey(narrow.services, null, ['platform:admin']);
    expect((await change(wanted, platform, { 'hookwright-tenant': String(narrow.tenant.id) })).status).toBe(200);
    expect((await narrow.ask(`GET /webhooks/${id}/options`)).body.data.delivery.own).toEqual(['headers', 'auth']);
  });
});

test('REST finds webhooks by their metadata', async () => {
  const { id } = await api.webhook();
  await api.ask(`PATCH /webhooks/${id}/options`, { json: { metadata: { team: 'payments 7' } } });
  const found = async (query: string) => (await api.ask(`GET /webhooks?${query}`)).body;
  expect((await found('metadata[team]=payments%207')).data.map((one: { id: number }) => one.id)).toEqual([id]);
  expect((await found('metadata[team]=payments')).data).toEqual([]);
  expect((await found('metadata[team]=a&metadata[tier]=b')).code).toBe('invalid_input');
  expect((await found('meta[team]=a')).code).toBe('invalid_input');
});
