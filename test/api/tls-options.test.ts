import { createPrivateKey } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { makeKey } from '../support/factories.js';
import { gid } from '../support/ids.js';
import { ecKey, ed25519Key, issueCertificate } from '../support/issue-certificate.js';
import { watchPlaintext } from '../support/plaintext.js';
import { expectProblem, RestApi, type RestRequest, timestamp } from '../support/rest-api.js';

/** The TLS of connections to an endpoint: `delivery.tls`. */

const api = await RestApi.open({ ALLOW_HTTP_URLS: 'true', ALLOW_LOOPBACK_TARGETS: 'true' });
afterAll(() => api[Symbol.asyncDispose]());

const until = new Date('2030-01-01T00:00:00Z');
const authority = issueCertificate({ subject: 'Acme CA', isAuthority: true, until: new Date('2031-01-01T00:00:00Z') });
const key = ecKey();
const client = issueCertificate({ subject: 'hooks', issuer: authority, key, until });
const renewed = issueCertificate({ subject: 'hooks', issuer: authority, key, until: new Date('2029-01-01T00:00:00Z') });
const other = issueCertificate({ subject: 'other', issuer: authority, until });

const otherPair = { clientCertificatePem: other.certificate, clientKeyPem: other.key };
const pair = { clientCertificatePem: client.certificate, clientKeyPem: client.key };
const restPair = { client_certificate_pem: client.certificate, client_key_pem: client.key };
const { key: platformKey } = await makeKey(api.services, null, ['platform:admin']);
const platform = { key: platformKey, headers: { 'hookwright-tenant': String(api.tenant.id) } };

const TLS = 'tls { ca { subjects endsAt } clientCertificate { subject issuer serial fingerprint endsAt } }';
const graphql = async (id: number, change: object) => {
  const query = `mutation ($input: UpdateWebhookInput!) {
    updateWebhook(input: $input) { webhook { version delivery { ${TLS} own } } } }`;
  const { body, text } = await api.ask('POST //graphql', {
    json: { query, variables: { input: { id: gid.webhook(id), ...change } } },
  });
  watchPlaintext('answer of GraphQL', text);
  return body;
};
const set = async (id: number, tls: object | null) =>
  (await graphql(id, { delivery: { tls } })).data.updateWebhook.webhook.delivery;
const refused = async (id: number, change: object) => {
  const { extensions } = (await graphql(id, change)).errors[0];
  const issues = extensions.errors?.map(({ path, code }: { path: string[]; code: string }) => [path.join('.'), code]);
  return issues ?? extensions.reason;
};
const patch = (id: number, delivery: object | null, as: RestRequest = {}) =>
  api.ask(`PATCH /webhooks/${id}/options`, { json: { delivery }, ...as });
const optionsOf = async (id: number) => {
  const { body, text } = await api.ask(`GET /webhooks/${id}/options`);
  watchPlaintext('options', text);
  return body.data.delivery;
};
const rowOf = async (id: number) => {
  const text = 'select tls, certificate_ends_at from hookwright.webhook_options where webhook_id = $1';
  return (await api.owner.query(text, [id])).rows[0];
};
const auditOf = async (id: number) => {
  const text = `select before::jsonb, after::jsonb from hookwright.audit_log where target_id = $1 order by id`;
  return (await api.owner.query(text, [String(id)])).rows;
};

const shownCertificate = {
  subject: 'CN=hooks',
  issuer: 'CN=Acme CA',
  serial: expect.stringMatching(/^[0-9A-F]+$/),
  fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
};

describe('a webhook', () => {
  test('has its authorities and its certificate, and readers get names and ends', async () => {
    const { id } = await api.webhook();
    expect(await optionsOf(id)).toMatchObject({ tls: null, own: [] });
    expect(await set(id, { caPem: authority.certificate, ...pair })).toEqual({
      tls: {
        ca: { subjects: ['CN=Acme CA'], endsAt: '2031-01-01T00:00:00+00:00' },
        clientCertificate: { ...shownCertificate, endsAt: '2030-01-01T00:00:00+00:00' },
      },
      own: ['TLS'],
    });
    expect(await optionsOf(id)).toMatchObject({
      tls: {
        ca: { subjects: ['CN=Acme CA'], ends_at: expect.stringMatching(timestamp) },
        client_certificate: { ...shownCertificate, ends_at: '2030-01-01T00:00:00+00:00' },
      },
      own: ['tls'],
    });
    expect((await rowOf(id)).certificate_ends_at).toEqual(until);
  });

  test('keeps of them what a change leaves out, and null removes', async () => {
    const { id } = await api.webhook();
    const { tls: before } = await set(id, { caPem: authority.certificate, ...pair });
    const { tls: renewed } = await set(id, otherPair);
    expect(renewed).toMatchObject({ ca: before.ca, clientCertificate: { subject: 'CN=other' } });
    expect((await set(id, {})).tls).toEqual(renewed);
    expect((await set(id, { caPem: null })).tls).toEqual({ ...renewed, ca: null });
    expect((await set(id, { caPem: authority.certificate })).tls).toEqual(renewed);
    expect((await set(id, { clientCertificatePem: null })).tls).toEqual({ ...renewed, clientCertificate: null });
    expect((await rowOf(id)).tls.client).toBeNull();
    expect((await rowOf(id)).certificate_ends_at).toEqual(new Date('2031-01-01T00:00:00Z'));
  });

  test('has none after its last part, by `reset`, and by null', async () => {
    const { id } = await api.webhook();
    const removals = [
      { tls: null },
      { tls: { caPem: null, clientCertificatePem: null, clientKeyPem: null } },
      { reset: ['TLS'] },
    ];
    for (const delivery of removals) {
      await set(id, { caPem: authority.certificate, ...pair });
      const { webhook } = (await graphql(id, { delivery })).data.updateWebhook;
      expect(webhook.delivery).toEqual({ tls: null, own: [] });
      expect(await rowOf(id)).toEqual({ tls: null, certificate_ends_at: null });
    }
    expect(await set(id, {})).toEqual({ tls: null, own: [] });
  });

  test('is made with them, in REST too', async () => {
    const delivery = { tls: { ca_pem: authority.certificate, ...restPair } };
    const json = { url: 'https://a.example.com/', events: ['*'], options: { delivery } };
    const { status, body } = await api.ask('POST /webhooks', { json });
    expect(status).toBe(201);
    expect((await optionsOf(body.data.id)).tls).toMatchObject({ client_certificate: shownCertificate });
    const again = await api.ask('POST /webhooks', { json: { ...json, options: { delivery: { tls: null } } } });
    expect((await optionsOf(again.body.data.id)).tls).toBeNull();
    const none = await api.ask('POST /webhooks', {
      json: { ...json, options: { delivery: { tls: { ca_pem: null } } } },
    });
    expect((await optionsOf(none.body.data.id)).tls).toBeNull();
  });

  test('that is deleted has none', async () => {
    const { id } = await api.webhook();
    await set(id, { caPem: authority.certificate, ...pair });
    expect((await api.ask(`DELETE /webhooks/${id}`)).status).toBe(204);
    expect(await rowOf(id)).toEqual({ tls: null, certificate_ends_at: null });
  });
});

describe('a certificate without a key', () => {
  test('is a renewal, which keeps the key that the webhook has', async () => {
    const { id } = await api.webhook();
    await set(id, { caPem: authority.certificate, ...pair });
    const { sealed } = (await rowOf(id)).tls.client;
    const clientCertificatePem = renewed.certificate;
    const { tls } = await set(id, { clientCertificatePem });
    expect(tls).toMatchObject({
      ca: { subjects: ['CN=Acme CA'] },
      clientCertificate: { endsAt: '2029-01-01T00:00:00+00:00' },
    });
    expect((await rowOf(id)).tls.client.sealed).toBe(sealed);
    const { webhook } = (await graphql(id, { delivery: { tls: { clientCertificatePem } } })).data.updateWebhook;
    const same = (await graphql(id, { delivery: { tls: { clientCertificatePem } } })).data.updateWebhook.webhook;
    expect(same.version).toBe(webhook.version);
  });

  test('of another key needs that key, and so does one of a webhook that has none', async () => {
    const { id } = await api.webhook();
    const change = { delivery: { tls: { clientCertificatePem: other.certificate } } };
    const required = [['input.delivery.tls.clientKeyPem', 'required']];
    expect(await refused(id, change)).toEqual(required);
    await set(id, pair);
    expect(await refused(id, change)).toEqual(required);
    const { body } = await patch(id, { tls: { client_certificate_pem: other.certificate } });
    expect(body.errors).toMatchObject([{ pointer: '/delivery/tls/client_key_pem', code: 'required' }]);
    expect((await optionsOf(id)).tls.client_certificate.subject).toBe('CN=hooks');
  });

  test('loses its key only with itself', async () => {
    const { id } = await api.webhook();
    await set(id, { caPem: authority.certificate, ...pair });
    const required = [['input.delivery.tls.clientKeyPem', 'required']];
    expect(await refused(id, { delivery: { tls: { clientKeyPem: null } } })).toEqual(required);
    const clientCertificatePem = renewed.certificate;
    expect(await refused(id, { delivery: { tls: { clientCertificatePem, clientKeyPem: null } } })).toEqual(required);
    const { tls } = await set(id, { clientCertificatePem: null, clientKeyPem: null });
    expect(tls).toMatchObject({ ca: { subjects: ['CN=Acme CA'] }, clientCertificate: null });
  });

  test('keeps the key for the origin that it was set for', async () => {
    const { id } = await api.webhook();
    await set(id, pair);
    const url = 'https://thief.example.com/';
    const kept = { delivery: { tls: { clientCertificatePem: renewed.certificate } } };
    expect(await refused(id, { url })).toBe('secrets_bound_to_origin');
    expect(await refused(id, { url, ...kept })).toBe('secrets_bound_to_origin');
    expect((await graphql(id, { url, delivery: { tls: pair } })).errors).toBeUndefined();
    const authorities = { delivery: { tls: { caPem: authority.certificate } } };
    expect(await refused(id, { url: 'https://b.example.com/', ...authorities })).toBe('secrets_bound_to_origin');
    const keyAlone = { delivery: { tls: { clientKeyPem: client.key } } };
    expect((await graphql(id, { url: 'https://b.example.com/', ...keyAlone })).errors).toBeUndefined();
    const removal = { delivery: { tls: { clientCertificatePem: null, caPem: authority.certificate } } };
    expect((await graphql(id, { url: 'https://c.example.com/', ...removal })).errors).toBeUndefined();
    expect((await graphql(id, { url })).errors).toBeUndefined(); // authorities are no secret
  });
});

test('a key without a certificate is that of the certificate that the webhook has', async () => {
  const { id } = await api.webhook();
  const change = (key: string) => ({ delivery: { tls: { clientKeyPem: key } } });
  const required = [['input.delivery.tls.clientCertificatePem', 'required']];
  expect(await refused(id, change(client.key))).toEqual(required);
  await set(id, { caPem: authority.certificate });
  expect(await refused(id, change(client.key))).toEqual(required);
  await set(id, pair);
  const before = await rowOf(id);
  expect(await refused(id, change(other.key))).toEqual([
    ['input.delivery.tls.clientKeyPem', 'certificate_key_mismatch'],
  ]);
  expect(await rowOf(id)).toEqual(before);
  expect((await graphql(id, change(client.key))).errors).toBeUndefined();
  const { tls } = await rowOf(id);
  expect(tls).toEqual({ ...before.tls, client: { ...before.tls.client, sealed: expect.any(String) } });
});

describe('in REST', () => {
  test('a renewal keeps the authorities, and null removes a part or all', async () => {
    const { id } = await api.webhook();
    await patch(id, { tls: { ca_pem: authority.certificate, ...restPair } });
    const { tls: before } = await optionsOf(id);
    const json = { client_certificate_pem: other.certificate, client_key_pem: other.key };
    const { tls: renewed } = (await patch(id, { tls: json })).body.data.delivery;
    expect(renewed).toMatchObject({ ca: before.ca, client_certificate: { subject: 'CN=other' } });
    const changes = [
      [{ ca_pem: null }, { ...renewed, ca: null }],
      [{ ca_pem: authority.certificate }, renewed],
      [{ client_certificate_pem: null }, { ...renewed, client_certificate: null }],
      [{ ca_pem: null }, null],
    ];
    for (const [tls, after] of changes) {
      expect((await patch(id, { tls })).body.data.delivery.tls).toEqual(after);
    }
    await patch(id, { tls: restPair });
    expect((await patch(id, { tls: null })).body.data.delivery.tls).toBeNull();
  });

  test('what GET shows of them changes nothing, also beside texts', async () => {
    const { id } = await api.webhook();
    await set(id, { caPem: authority.certificate, ...pair });
    const before = await optionsOf(id);
    const { ca, client_certificate: shown } = before.tls;
    const other = { ...shown, subject: 'CN=other' };
    const changes = [
      {},
      before.tls,
      { ca },
      { ca: null },
      { client_certificate: shown },
      { client_certificate: other },
    ];
    for (const tls of changes) {
      expect((await patch(id, { tls })).body.data.delivery).toEqual(before);
    }
    const renewal = { ...before.tls, client_certificate_pem: renewed.certificate };
    expect((await patch(id, { tls: renewal })).body.data.delivery.tls).toMatchObject({
      ca,
      client_certificate: { ends_at: '2029-01-01T00:00:00+00:00' },
    });
    const half = { ...before.tls, ca_pem: null };
    expect((await patch(id, { tls: half })).body.data.delivery.tls).toMatchObject({ ca: null, client_certificate: {} });
    const { id: plain } = await api.webhook();
    const { status, body } = await patch(plain, { tls: before.tls });
    expect({ status, tls: body.data.delivery.tls }).toEqual({ status: 200, tls: null });
  });

  test('refusals name the text in the body', async () => {
    const { id } = await api.webhook();
    const wrong = { ca_pem: 'garbage', client_certificate_pem: client.certificate, client_key_pem: other.key };
    const { status, body } = await patch(id, { tls: wrong });
    expect({ status, errors: body.errors }).toMatchObject({
      status: 422,
      errors: [{ pointer: '/delivery/tls/ca_pem', code: 'ca_malformed' }],
    });
    const mismatch = await patch(id, { tls: { ...wrong, ca_pem: null } });
    expect(mismatch.body.errors).toMatchObject([
      { pointer: '/delivery/tls/client_key_pem', code: 'certificate_key_mismatch' },
    ]);
    expect((await patch(id, { tls: { ca_pem: 1 } })).body.errors).toMatchObject([{ code: 'invalid_type' }]);
    expect((await patch(id, { tls: { verify: false } })).body.errors).toMatchObject([{ code: 'unknown_property' }]);
  });
});

test.each(['http://example.com/', 'http://127.0.0.1:8080/'])('has no meaning for %s', async (url) => {
  const { id } = await api.webhook({ url, events: ['*'] });
  const needed = 'tls_needs_https';
  expect(await refused(id, { delivery: { tls: pair } })).toEqual([['input.delivery.tls', needed]]);
  expect(await refused(id, { delivery: { tls: { caPem: authority.certificate } } })).toEqual([
    ['input.delivery.tls', needed],
  ]);
  const options = { delivery: { tls: restPair } };
  const made = await api.ask('POST /webhooks', { json: { url, events: ['*'], options } });
  expect(made.body.errors).toMatchObject([{ pointer: '/url', code: needed }]);
  const { id: encrypted } = await api.webhook();
  await set(encrypted, { caPem: authority.certificate });
  expect(await refused(encrypted, { url })).toEqual([['input.url', needed]]);
});

test('the audit log has names and ends, and neither PEM nor key', async () => {
  const { id } = await api.webhook();
  await set(id, { caPem: authority.certificate, ...pair });
  await set(id, null);
  const [, setNow, removed] = await auditOf(id);
  const facts = {
    tls: {
      ca: { subjects: ['CN=Acme CA'], endsAt: '2031-01-01T00:00:00+00:00' },
      clientCertificate: { ...shownCertificate, endsAt: '2030-01-01T00:00:00+00:00' },
    },
  };
  expect(setNow).toEqual({ before: { tls: null }, after: facts });
  expect(removed).toEqual({ before: facts, after: { tls: null } });
});

test('a tenant without the part tls of ENDPOINT_OPTIONS cannot write it', async () => {
  await using narrow = await RestApi.open({ ENDPOINT_OPTIONS: 'auth,headers' });
  const { id } = await narrow.webhook();
  const json = { delivery: { tls: restPair } };
  expectProblem(await narrow.ask(`PATCH /webhooks/${id}/options`, { json }), 'option_not_allowed');
});

test('while a daemon of a version before is alive, it is not set, and is removed', async () => {
  const { id } = await api.webhook();
  await set(id, pair);
  await api.owner.query(`
    insert into hookwright.daemons (id, host, pid, version, slots, in_flight, started_at, last_seen_at, knows)
    values ('00000000-0000-0000-0000-000000000001', 'host-7', 1, '0.1.0', 1, 0, now(), now(), '{compat}')`);
  const answer = await patch(id, { tls: restPair }, platform);
  expectProblem(answer, 'older_daemons');
  expect(answer.body.detail).toContain('on host-7 does not know tls (from 0.2.0 on)');
  expect(await refused(id, { delivery: { tls: { caPem: authority.certificate } } })).toBe('older_daemons');
  expect((await patch(id, { tls: null })).status).toBe(200);
  await api.owner.query('delete from hookwright.daemons');
});

test('a private key is in nothing that anybody can read', async () => {
  const marked = issueCertificate({ subject: 'marked', key: ed25519Key() });
  const { id } = await api.webhook();
  // The base64 of the key alone, and of the end of its PEM.
  const forms = [createPrivateKey(marked.key).export({ format: 'jwk' }).d!, marked.key.split('\n')[1]!.slice(-40)];
  const texts: string[] = [];
  const ask = async (line: string, json?: object) => {
    const { text } = await api.ask(line, json === undefined ? {} : { json });
    texts.push(text);
  };
  const tls = { client_certificate_pem: marked.certificate, client_key_pem: marked.key };
  await ask(`PATCH /webhooks/${id}/options`, { delivery: { tls } });
  expect((await rowOf(id)).tls.client.sealed).toMatch(/^[A-Za-z0-9+/=]{100,}$/);
  await ask(`PATCH /webhooks/${id}/options`, { delivery: { tls: { ...tls, ca_pem: 'garbage' } } });
  await ask(`PATCH /webhooks/${id}/options`, { delivery: { tls: { ...tls, ca_pem: marked.key } } });
  await ask(`PATCH /webhooks/${id}/options`, {
    delivery: { tls: { ...tls, client_certificate_pem: client.certificate } },
  });
  await ask(`PATCH /webhooks/${id}`, { url: 'https://thief.example.com/' });
  await ask(`GET /webhooks/${id}/options`);
  await ask('POST //graphql', {
    query: `{ webhook(id: "${gid.webhook(id)}") { delivery { ${TLS} } } auditLog { edges { node { before after } } } }`,
  });
  const { rows: tables } = await api.owner.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('hookwright', 'hookwright_jobs') and c.relkind = 'r'`,
  );
  for (const { name } of tables) {
    const { rows } = await api.owner.query<{ row: string }>(`select t::text as row from ${name} t`);
    texts.push(...rows.map(({ row }) => row));
  }
  const text = texts.join('\n');
  expect(text).toContain('CN=marked');
  for (const piece of forms) {
    expect(text.includes(piece)).toBe(false);
    expect(text.includes(Buffer.from(piece).toString('hex'))).toBe(false);
  }
});
