import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { makeKey } from '../support/factories.js';
import { gid } from '../support/ids.js';
import { expectProblem, RestApi, type RestRequest } from '../support/rest-api.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** The form in which requests are signed as by a former system too: `delivery.compat`. */

const file = join(temporaryFolder(), 'forms.json');
writeFileSync(file, JSON.stringify({ acme: { header: 'X-Acme-Hmac', content: '{timestamp}.{body}' } }));
const api = await RestApi.open({ SIGNATURE_FORMS: file });
afterAll(() => api[Symbol.asyncDispose]());

const { key: platformKey } = await makeKey(api.services, null, ['platform:admin']);
const platform = { key: platformKey, headers: { 'hookwright-tenant': String(api.tenant.id) } };

const patch = (id: number, delivery: object | null, as: RestRequest = platform) =>
  api.ask(`PATCH /webhooks/${id}/options`, { ...as, json: { delivery } });
const optionsOf = async (id: number) => (await api.ask(`GET /webhooks/${id}/options`)).body.data.delivery;
const graphql = async (query: string, variables: object = {}, as: RestRequest = platform) =>
  (await api.ask('POST //graphql', { ...as, json: { query, variables } })).body;
const setBy = (id: number, delivery: object, as: RestRequest = platform) =>
  graphql(
    'mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { delivery { compat own } } } }',
    { input: { id: gid.webhook(id), delivery } },
    as,
  );
const reasonOf = (body: { errors: [{ extensions: { reason: string } }] }) => body.errors[0].extensions.reason;
const asTenant = {};

describe('who may set it', () => {
  test('platform keys set it, at creation too; keys of the tenant see it and may remove it, and nothing else', async () => {
    const json = { url: 'https://a.example.com/', events: ['*'], options: { delivery: { compat: 'svix' } } };
    expectProblem(await api.ask('POST /webhooks', { json }), 'option_not_allowed');
    const made = await api.ask('POST /webhooks', { json, ...platform });
    expect(made.status).toBe(201);
    const { id } = made.body.data;
    expect(await optionsOf(id)).toMatchObject({ compat: 'svix', own: ['compat'] });
    for (const compat of ['convoy', 'acme']) {
      expectProblem(await patch(id, { compat }, asTenant), 'option_not_allowed');
      expect(reasonOf(await setBy(id, { compat }, asTenant))).toBe('option_not_allowed');
    }
    expect((await setBy(id, { timeoutMs: 2_000 }, asTenant)).data.updateWebhook.webhook.delivery.compat).toBe('svix');
    // What GET shows may be sent back.
    expect((await patch(id, await optionsOf(id), asTenant)).status).toBe(200);
    expect((await patch(id, { compat: null }, asTenant)).body.data.delivery).toMatchObject({ compat: null });
    await setBy(id, { compat: 'convoy' });
    expect((await setBy(id, { compat: null }, asTenant)).data.updateWebhook.webhook.delivery.compat).toBeNull();
    await setBy(id, { compat: 'acme' });
    expect((await setBy(id, { reset: ['COMPAT'] }, asTenant)).data.updateWebhook.webhook.delivery.compat).toBeNull();
    await setBy(id, { compat: 'outpost' });
    expect((await patch(id, null, asTenant)).body.data.delivery).toMatchObject({ compat: null, own: [] });
  });

  test('a tenant without the part signatures of ENDPOINT_OPTIONS does not even remove it', async () => {
    await using narrow = await RestApi.open({ ENDPOINT_OPTIONS: 'headers' });
    const { id } = await narrow.webhook();
    const change = (compat: string | null, as: RestRequest = {}) =>
      narrow.ask(`PATCH /webhooks/${id}/options`, { ...as, json: { delivery: { compat } } });
    const { key } = await makeKey(narrow.services, null, ['platform:admin']);
    const headers = { 'hookwright-tenant': String(narrow.tenant.id) };
    expect((await change('svix', { key, headers })).status).toBe(200);
    expectProblem(await change(null), 'option_not_allowed');
  });

  test('the audit log has who set and who removed it', async () => {
    const { id } = await api.webhook();
    await setBy(id, { compat: 'acme' });
    await setBy(id, { compat: null }, asTenant);
    const text = `select before::jsonb, after::jsonb from hookwright.audit_log
                  where target_id = $1 and action = 'WEBHOOK_UPDATED' order by id`;
    expect((await api.owner.query(text, [String(id)])).rows).toEqual([
      { before: { compat: null }, after: { compat: 'acme' } },
      { before: { compat: 'acme' }, after: { compat: null } },
    ]);
  });
});

test('a name that is no form of this installation is refused with those that are', async () => {
  const { id } = await api.webhook();
  for (const compat of ['Svix', 'none', '__proto__', 'constructor', 'svix acme', 'x'.repeat(41)]) {
    const { status, body } = await patch(id, { compat });
    expect(status).toBe(422);
    expect(body.errors[0]).toMatchObject({ pointer: '/delivery/compat' });
  }
  const { body } = await patch(id, { compat: 'none' });
  expect(body.errors).toEqual([
    {
      pointer: '/delivery/compat',
      code: 'compat_unknown',
      detail: 'is not one that this installation has: svix, convoy, convoy-simple, outpost, acme',
    },
  ]);
  const { errors } = await setBy(id, { compat: 'none' });
  expect(errors[0].extensions.errors).toMatchObject([
    { path: ['input', 'delivery', 'compat'], code: 'compat_unknown' },
  ]);
});

describe('the signatures of a webhook', () => {
  const signatures = async (id: number) => {
    const query = `{ webhook(id: "${gid.webhook(id)}") { signatures { scheme form headers overlap } } }`;
    return (await graphql(query)).data.webhook.signatures;
  };
  const contract = {
    scheme: 'CONTRACT',
    form: null,
    headers: ['X-Service-Signature', 'X-Service-Timestamp'],
    overlap: 'PREVIOUS',
  };
  const standard = {
    scheme: 'STANDARD_WEBHOOKS',
    form: null,
    headers: ['webhook-signature', 'webhook-id', 'webhook-timestamp'],
    overlap: 'BOTH',
  };

  test('are named with their headers, also one of a form that this process does not know', async () => {
    const { id } = await api.webhook();
    expect(await signatures(id)).toEqual([contract, standard]);
    await setBy(id, { compat: 'svix' });
    const svix = ['svix-signature', 'svix-id', 'svix-timestamp'];
    expect(await signatures(id)).toEqual([
      contract,
      standard,
      { scheme: 'COMPAT', form: 'svix', headers: svix, overlap: 'BOTH' },
    ]);
    await setBy(id, { compat: 'convoy-simple' });
    expect((await signatures(id))[2].overlap).toBe('PREVIOUS');
    await api.owner.query(`update hookwright.webhook_options set compat = 'gone' where webhook_id = $1`, [id]);
    expect(await signatures(id)).toEqual([
      contract,
      standard,
      { scheme: 'COMPAT', form: 'gone', headers: [], overlap: null },
    ]);
  });

  test('lack headers that the webhook sets itself, and a warning says so', async () => {
    const { id } = await api.webhook();
    await setBy(id, {
      compat: 'outpost',
      setHeaders: [{ name: 'X-Outpost_Topic', value: 'mine' }],
      auth: { apiKey: { header: 'X-Outpost-Signature', value: 'a' } },
    });
    expect((await signatures(id))[2]).toMatchObject({
      headers: ['x-outpost-event-id', 'x-outpost-timestamp'],
      overlap: null,
    });
    const { warnings } = await optionsOf(id);
    expect(warnings).toEqual(
      ['x-outpost-signature', 'x-outpost-topic'].map((path) => ({
        code: 'signature_header_replaced',
        message: `The header ${path} that is set here is sent instead of the one of the signature form outpost.`,
        path,
        event: null,
        types: null,
      })),
    );
    await setBy(id, { compat: 'svix' });
    expect((await optionsOf(id)).warnings).toEqual([]);
  });
});

describe('while a daemon of a version before is alive', () => {
  const daemon = (id: string, knows: string | null, seen = 'now()') =>
    api.owner.query(`
      insert into hookwright.daemons (id, host, pid, version, slots, in_flight, started_at, last_seen_at, knows)
      values ('${id}', 'host-7', 1, '0.1.0', 1, 0, now(), ${seen}, ${knows})`);
  const [older, dead, knowing] = ['1', '2', '3'].map((digit) => `00000000-0000-0000-0000-00000000000${digit}`);

  test('it is not set, and the refusal names its host to platform keys; what is set stays, and is removed', async () => {
    const { id } = await api.webhook();
    await setBy(id, { compat: 'svix' });
    await daemon(dead!, 'null', `now() - interval '16 seconds'`);
    await daemon(knowing!, `array['compat', 'another']`);
    expect((await patch(id, { compat: 'convoy' })).status).toBe(200);
    await daemon(older!, 'null');
    const refused = await patch(id, { compat: 'acme' });
    expectProblem(refused, 'older_daemons');
    expect(refused.body.detail).toBe(
      'A daemon of version 0.1.0 on host-7 does not know compat (from 0.2.0 on). Upgrade it, and try again when it has ended.',
    );
    const json = { url: 'https://a.example.com/', events: ['*'], options: { delivery: { compat: 'svix' } } };
    expectProblem(await api.ask('POST /webhooks', { json, ...platform }), 'older_daemons');
    expect(reasonOf(await setBy(id, { compat: 'svix' }))).toBe('older_daemons');
    expect((await patch(id, { timeout_ms: 2_000 })).status).toBe(200);
    expect((await optionsOf(id)).compat).toBe('convoy');
    expect((await patch(id, { compat: null })).status).toBe(200);
    await api.owner.query(`update hookwright.daemons set knows = '{another}' where id = '${older}'`);
    expectProblem(await patch(id, { compat: 'acme' }), 'older_daemons');
    await api.owner.query(`delete from hookwright.daemons where id = '${older}'`);
    expect((await patch(id, { compat: 'acme' })).status).toBe(200);
    await api.owner.query('delete from hookwright.daemons');
  });

  test('nor does a key pair sign, whether a webhook or its tenant wants it', async () => {
    const { id } = await api.webhook();
    await daemon(older!, `array['compat']`);
    const signing = { delivery: { signing: 'SECRET_AND_KEY' } };
    expectProblem(await patch(id, signing.delivery), 'older_daemons');
    const json = { url: 'https://a.example.com/', events: ['*'], options: signing };
    expectProblem(await api.ask('POST /webhooks', { json, ...platform }), 'older_daemons');
    const ofTenant = `mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { tenant { id } } }`;
    const input = { id: gid.tenant(api.tenant.id), deliveryDefaults: { signing: 'SECRET_AND_KEY' } };
    expect(reasonOf(await graphql(ofTenant, { input }))).toBe('older_daemons');
    await api.owner.query('delete from hookwright.daemons');
    expect((await patch(id, signing.delivery)).status).toBe(200);
  });
});

test('deleting a webhook forgets its form', async () => {
  const { id } = await api.webhook();
  await setBy(id, { compat: 'svix' });
  expect((await api.ask(`DELETE /webhooks/${id}`)).status).toBe(204);
  const text = 'select compat from hookwright.webhook_options where webhook_id = $1';
  expect((await api.owner.query(text, [id])).rows).toEqual([{ compat: null }]);
});
