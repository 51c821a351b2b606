import { afterAll, describe, expect, test } from 'vitest';
import { makeKey, makeTenant } from '../support/factories.js';
import { gid } from '../support/ids.js';
import { expectProblem, RestApi } from '../support/rest-api.js';

/** Client credentials of OAuth 2: how they are set, shown, bound and written down. */

const api = await RestApi.open();
afterAll(() => api[Symbol.asyncDispose]());

const PARTS = 'kind username header tokenUrl clientId scope audience clientAuth lastFailure { at code detail }';
const client = { tokenUrl: 'https://id.acme.com/token', clientId: 'hooks' };
const withSecret = { ...client, clientSecret: 'marker-oauth-1' };
const NONE = { username: null, header: null };
const shown = {
  kind: 'OAUTH2',
  ...NONE,
  ...client,
  scope: null,
  audience: null,
  clientAuth: 'BASIC',
  lastFailure: null,
};

const update = async (id: number, change: object, key = api.tenant.key) => {
  const query = `mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { version delivery { auth { ${PARTS} } own } } } }`;
  const json = { query, variables: { input: { id: gid.webhook(id), ...change } } };
  return (await api.ask('POST //graphql', { json, key })).body;
};
const set = (id: number, oauth2: object) => update(id, { delivery: { auth: { oauth2 } } });
const changed = async (id: number, oauth2: object) => (await set(id, oauth2)).data.updateWebhook.webhook.delivery.auth;
const codesOf = ({ errors }: Awaited<ReturnType<typeof update>>) =>
  errors?.[0].extensions.errors?.map(
    ({ path, code }: { path: string[]; code: string }) => `${path.join('.')} ${code}`,
  ) ?? errors?.[0].extensions.reason;
const patch = (id: number, auth: object | null) =>
  api.ask(`PATCH /webhooks/${id}/options`, { json: { delivery: { auth } } });
const authOf = async (id: number) => (await api.ask(`GET /webhooks/${id}/options`)).body.data.delivery.auth;
const storedOf = async (id: number) =>
  (await api.owner.query('select auth from hookwright.webhook_options where webhook_id = $1', [id])).rows[0].auth;
const made = async (oauth2: object = withSecret) => {
  const { id } = await api.webhook({ url: 'https://example.com/hooks', events: ['*'] });
  expect(await changed(id, oauth2)).toMatchObject({ kind: 'OAUTH2' });
  return id;
};

describe('client credentials', () => {
  test('are set as a whole, and shown without the secret', async () => {
    const id = await made();
    const full = { scope: 'a b', audience: 'https://hooks.acme.com', clientAuth: 'BODY' };
    expect(await changed(id, withSecret)).toEqual(shown);
    expect(await changed(id, { ...withSecret, ...full })).toEqual({ ...shown, ...full });
    expect(await authOf(id)).toEqual({
      ...{ kind: 'OAUTH2', ...NONE, token_url: client.tokenUrl, client_id: 'hooks' },
      ...{ scope: 'a b', audience: 'https://hooks.acme.com', client_auth: 'BODY', last_failure: null },
    });
    const stored = await storedOf(id);
    expect(stored).toEqual({ kind: 'OAUTH2', ...client, ...full, sealed: expect.any(String) });
    expect(JSON.stringify(stored)).not.toContain('marker-oauth');
    expect((await update(id, { delivery: { auth: null } })).data.updateWebhook.webhook.delivery.auth).toBeNull();
  });

  test('are set and shown by REST, also of a new webhook', async () => {
    const oauth2 = { token_url: client.tokenUrl, client_id: 'hooks', client_secret: 'marker-oauth-2', scope: 'a' };
    const json = { url: 'https://example.com/', events: ['*'], options: { delivery: { auth: { oauth2 } } } };
    const { body, status } = await api.ask('POST /webhooks', { json });
    expect(status).toBe(201);
    expect(await authOf(body.data.id)).toMatchObject({ kind: 'OAUTH2', client_id: 'hooks', scope: 'a', header: null });
    const refused = await patch(body.data.id, { oauth2: { ...oauth2, token_url: 'https://10.0.0.1/' } });
    expect(refused.body.errors).toMatchObject([{ pointer: '/delivery/auth/oauth2/token_url', code: 'url_host' }]);
    const alone = await api.ask('POST /webhooks', {
      json: { ...json, options: { delivery: { auth: { oauth2: { ...oauth2, client_secret: null } } } } },
    });
    expect(alone.body.errors).toMatchObject([
      { pointer: '/options/delivery/auth/oauth2/client_secret', code: 'required' },
    ]);
  });

  test('are refused with several kinds, or malformed', async () => {
    const id = await made();
    const both = await update(id, { delivery: { auth: { bearer: 'a', oauth2: withSecret } } });
    expect(codesOf(both)).toEqual(['input.delivery.auth exactly_one']);
    const wrong = await set(id, { ...withSecret, tokenUrl: 'https://localhost/', clientId: '', scope: '"' });
    expect(codesOf(wrong)).toEqual([
      'input.delivery.auth.oauth2.tokenUrl url_host',
      'input.delivery.auth.oauth2.clientId client_id_malformed',
      'input.delivery.auth.oauth2.scope scope_malformed',
    ]);
  });

  test('are in the audit log without the secret', async () => {
    const id = await made();
    await changed(id, { ...client, scope: 'a' });
    const text = 'select before, after from hookwright.audit_log where target_id = $1 order by id desc limit 1';
    const [{ before, after }] = (await api.owner.query(text, [String(id)])).rows;
    const auth = { kind: 'OAUTH2', ...client, audience: null, clientAuth: 'BASIC', clientSecret: '[secret]' };
    expect(JSON.parse(before)).toEqual({ auth: { ...auth, scope: null } });
    expect(JSON.parse(after)).toEqual({ auth: { ...auth, scope: 'a' } });
  });

  test('are removed for good with the webhook', async () => {
    const id = await made();
    expect((await api.ask(`DELETE /webhooks/${id}`)).status).toBe(204);
    expect(await storedOf(id)).toBeNull();
  });
});

describe('a client secret that is left out', () => {
  test('stays for another scope, audience or path', async () => {
    const id = await made();
    const { sealed } = await storedOf(id);
    const other = { ...client, tokenUrl: 'https://id.acme.com/other', scope: 'a', audience: 'b' };
    expect(await changed(id, other)).toEqual({ ...shown, ...other });
    expect((await storedOf(id)).sealed).toBe(sealed);
    expect(await changed(id, withSecret)).toEqual(shown);
    expect((await storedOf(id)).sealed).not.toBe(sealed);
  });

  test('makes no change where nothing else changes', async () => {
    const id = await made();
    const version = async () => (await update(id, { name: null })).data?.updateWebhook.webhook.version;
    const before = await version();
    await changed(id, client);
    expect(await version()).toBe(before);
  });

  test.each([
    ['another origin of the token server', { ...client, tokenUrl: 'https://thief.example.com/token' }],
    ['the origin of the webhook', { ...client, tokenUrl: 'https://example.com/token' }],
    ['another client', { ...client, clientId: 'other' }],
    ['another way to prove who it is', { ...client, clientAuth: 'BODY' }],
  ])('does not go to %s', async (_, oauth2) => {
    const id = await made();
    const before = await storedOf(id);
    const refused = await set(id, oauth2);
    expect(codesOf(refused)).toBe('secrets_bound_to_origin');
    expect(JSON.stringify(refused)).not.toContain('marker-oauth');
    expect(await storedOf(id)).toEqual(before);
    expect(await changed(id, { ...oauth2, clientSecret: 'marker-oauth-3' })).toMatchObject(oauth2);
  });

  test('does not stay with a webhook that moves, neither elsewhere nor to the origin of the token server', async () => {
    const id = await made();
    for (const url of ['https://thief.example.com/', 'https://id.acme.com/hooks']) {
      expect(codesOf(await update(id, { url }))).toBe('secrets_bound_to_origin');
      expect(codesOf(await update(id, { url, delivery: { auth: { oauth2: client } } }))).toBe(
        'secrets_bound_to_origin',
      );
    }
    const swapped = {
      url: 'https://id.acme.com/',
      delivery: { auth: { oauth2: { ...client, tokenUrl: 'https://example.com/' } } },
    };
    expect(codesOf(await update(id, swapped))).toBe('secrets_bound_to_origin');
    expect(codesOf(await update(id, { url: 'https://example.com/other' }))).toBeUndefined();
    const again = { url: 'https://third.example.com/', delivery: { auth: { oauth2: withSecret } } };
    expect(codesOf(await update(id, again))).toBeUndefined();
  });

  test('is required where there is none', async () => {
    const { id } = await api.webhook();
    const required = ['input.delivery.auth.oauth2.clientSecret required'];
    expect(codesOf(await set(id, client))).toEqual(required);
    await update(id, { delivery: { auth: { bearer: 'a' } } });
    expect(codesOf(await set(id, client))).toEqual(required);
  });
});

describe('what GET shows of them, sent back', () => {
  test('changes nothing as it is, and the scope and the audience where these are changed', async () => {
    const id = await made();
    const before = await authOf(id);
    const { sealed } = await storedOf(id);
    expect((await patch(id, before)).body.data.delivery.auth).toEqual(before);
    expect((await patch(id, { ...before, scope: 'a', audience: 'b' })).status).toBe(200);
    expect(await authOf(id)).toEqual({ ...before, scope: 'a', audience: 'b' });
    expect((await patch(id, { scope: null })).status).toBe(200);
    expect(await authOf(id)).toEqual({ ...before, audience: 'b' });
    expect((await storedOf(id)).sealed).toBe(sealed);
  });

  test.each([
    { token_url: 'https://thief.example.com/token' },
    { token_url: null },
    { client_id: 'other' },
    { client_auth: 'BODY' },
    { kind: 'BEARER' },
    { username: 'hooks' },
    { header: 'X-Key' },
  ])('is refused with %j: the secret does not go with it', async (change) => {
    const id = await made();
    const [before, stored] = [await authOf(id), await storedOf(id)];
    expectProblem(await patch(id, { ...before, ...change }), 'secrets_bound_to_origin');
    expectProblem(await patch(id, change), 'secrets_bound_to_origin');
    expect(await storedOf(id)).toEqual(stored);
  });

  test('is ignored where it is the latest failure', async () => {
    const id = await made();
    const failure = { at: '2026-01-31T09:30:00+00:00', code: 'TIMEOUT', detail: 'a' };
    expect((await patch(id, { ...(await authOf(id)), last_failure: failure })).status).toBe(200);
    expect((await authOf(id)).last_failure).toBeNull();
  });
});

describe('the latest failure', () => {
  const note = (id: number, version: string, code = 'INVALID_CLIENT') =>
    api.owner.query(
      `insert into hookwright.endpoint_tokens (webhook_id, tenant_id, options_version, failed_at, failure)
       select id, tenant_id, ${version}, '2026-01-31T09:30:00Z', $2 from hookwright.webhooks where id = $1
       on conflict (webhook_id) do update set options_version = excluded.options_version, failed_at = excluded.failed_at`,
      [id, code],
    );

  test('is shown until the options change, to its own tenant alone', async () => {
    const id = await made();
    await note(id, 'options_version');
    const failure = { code: 'INVALID_CLIENT', detail: expect.stringMatching(/^No token came from the token server: /) };
    expect((await authOf(id)).last_failure).toEqual({ at: '2026-01-31T09:30:00+00:00', ...failure });
    const query = `{ webhook(id: "${gid.webhook(id)}") { delivery { auth { lastFailure { at code detail } } } } }`;
    const read = async (key: string) => (await api.ask('POST //graphql', { json: { query }, key })).body;
    expect((await read(api.tenant.key)).data.webhook.delivery.auth.lastFailure).toMatchObject(failure);
    const other = await makeTenant(api.services);
    expect((await read(other.key)).data).toEqual({ webhook: null });
    await changed(id, { ...client, scope: 'a' });
    expect((await authOf(id)).last_failure).toBeNull();
    await note(id, 'options_version - 1');
    expect((await authOf(id)).last_failure).toBeNull();
  });

  test('is none of another kind', async () => {
    const { id } = await api.webhook();
    await update(id, { delivery: { auth: { bearer: 'a' } } });
    await note(id, 'options_version');
    expect(await authOf(id)).toMatchObject({ kind: 'BEARER', token_url: null, client_auth: null, last_failure: null });
  });
});

describe('who may set them', () => {
  const older = '00000000-0000-4000-8000-0000000000a2';
  const daemon = (knows: string | null) =>
    api.owner.query(
      `insert into hookwright.daemons (id, host, pid, version, slots, in_flight, started_at, last_seen_at, knows)
       values ('${older}', 'old-host', 1, '0.1.0', 10, 0, now(), now(), $1::text[])
       on conflict (id) do update set knows = excluded.knows, last_seen_at = now()`,
      [knows],
    );

  test('nobody while a daemon is alive that does not know them; other kinds are for all', async () => {
    const id = await made();
    await daemon(null);
    expect(codesOf(await set(id, withSecret))).toBe('older_daemons');
    expectProblem(await patch(id, { scope: 'a' }), 'older_daemons');
    const auth = { oauth2: { token_url: client.tokenUrl, client_id: 'a', client_secret: 'b' } };
    const json = { url: 'https://example.com/', events: ['*'], options: { delivery: { auth } } };
    expectProblem(await api.ask('POST /webhooks', { json }), 'older_daemons');
    await daemon('{signing,compat}');
    expect(codesOf(await set(id, withSecret))).toBe('older_daemons');
    expect(codesOf(await update(id, { delivery: { auth: { bearer: 'a' } } }))).toBeUndefined();
    expect(codesOf(await update(id, { delivery: { auth: null } }))).toBeUndefined();
    await daemon('{oauth2}');
    expect(codesOf(await set(id, withSecret))).toBeUndefined();
    await api.owner.query('delete from hookwright.daemons');
  });

  test('keys of tenants only where ENDPOINT_OPTIONS has auth', async () => {
    await using narrow = await RestApi.open({ ENDPOINT_OPTIONS: 'headers' });
    const { id } = await narrow.webhook();
    const oauth2 = { token_url: client.tokenUrl, client_id: 'a', client_secret: 'b' };
    const json = { delivery: { auth: { oauth2 } } };
    expectProblem(await narrow.ask(`PATCH /webhooks/${id}/options`, { json }), 'option_not_allowed');
    const { key } = await makeKey(narrow.services, null, ['platform:admin']);
    const headers = { 'hookwright-tenant': String(narrow.tenant.id) };
    expect((await narrow.ask(`PATCH /webhooks/${id}/options`, { json, key, headers })).status).toBe(200);
  });
});
