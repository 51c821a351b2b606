import { createPublicKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SCOPES, type Scope } from '../../src/domain/keys/scopes.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { deleteTenant } from '../../src/operations/tenants/delete-tenant.js';
import { makeKey, makeTenant, type TestTenant } from '../support/factories.js';
import { dataOf, GraphqlApi, openGraphql } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';

/** Key pairs of tenants: made, published, rotated. */

const { api } = await openGraphql();
const KEYS = '{ viewer { tenant { signingKeys { kid publicKey jwksUrl usedFrom endsAt } } } }';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const keysOf = async ({ key }: Pick<TestTenant, 'key'>) => (await api.by({ key }).read(KEYS)).viewer.tenant.signingKeys;
const create = (tenant: TestTenant, delivery: object) =>
  api
    .by(tenant)
    .mutate(
      'createWebhook',
      { url: 'https://example.com/hooks', eventTypes: ['*'], delivery },
      'webhook { id delivery { signing own } }',
    );
const rotate = (tenant: TestTenant, input: object = {}) =>
  api.by(tenant).mutate('rotateSigningKey', input, 'tenant { signingKeys { kid usedFrom endsAt jwksUrl } }');
const get = async (path: string) => {
  const { statusCode, headers, payload } = await api.server.inject({ method: 'GET', url: path });
  return { status: statusCode, headers, body: JSON.parse(payload) };
};
const pathOf = ({ jwksUrl }: { jwksUrl: string }) => new URL(jwksUrl).pathname;
const away = (time: string | null) => Date.parse(time!) - Date.now();

/** A tenant with a webhook that is signed by its key pair. */
async function signedTenant(): Promise<TestTenant> {
  const tenant = await makeTenant(api.services);
  dataOf(await create(tenant, { signing: 'SECRET_AND_KEY' }));
  return tenant;
}

describe('a key pair', () => {
  test('is made when a webhook is first signed by one, and used at once', async () => {
    const tenant = await makeTenant(api.services);
    const { webhook } = dataOf(await create(tenant, {})).createWebhook;
    expect(webhook.delivery).toEqual({ signing: 'SECRET', own: [] });
    expect(await keysOf(tenant)).toEqual([]);
    const change = { id: webhook.id, delivery: { signing: 'SECRET_AND_KEY' } };
    const changed = await api.by(tenant).mutate('updateWebhook', change, 'webhook { delivery { signing own } }');
    expect(dataOf(changed).updateWebhook.webhook.delivery).toEqual({ signing: 'SECRET_AND_KEY', own: ['SIGNING'] });
    const [key] = await keysOf(tenant);
    expect(key).toMatchObject({
      kid: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      publicKey: expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/),
      jwksUrl: expect.stringMatching(/^http:\/\/[^/]+\/keys\/[A-Za-z0-9_-]{22}\.json$/),
      endsAt: null,
    });
    expect(Math.abs(away(key.usedFrom))).toBeLessThan(60_000);
  });

  test('is one for all webhooks of the tenant, also when they are made at once', async () => {
    const tenant = await makeTenant(api.services);
    const made = await Promise.all(Array.from({ length: 5 }, () => create(tenant, { signing: 'SECRET_AND_KEY' })));
    made.map(dataOf);
    expect(await keysOf(tenant)).toHaveLength(1);
    const [{ rows }] = [
      await api.owner.query('select count(*)::int as n from hookwright.signing_keys where tenant_id = $1', [tenant.id]),
    ];
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('is made with the defaults of a tenant, new or changed', async () => {
    const { key } = await makeKey(api.services, null, ['platform:admin']);
    const admin = api.by({ key });
    const selection = 'tenant { id deliveryDefaults { signing own } signingKeys { kid } }';
    const input = { name: 'a signed tenant', deliveryDefaults: { signing: 'SECRET_AND_KEY' } };
    const made = dataOf(await admin.mutate('createTenant', input, selection)).createTenant.tenant;
    expect(made).toMatchObject({ deliveryDefaults: { signing: 'SECRET_AND_KEY', own: ['SIGNING'] } });
    expect(made.signingKeys).toHaveLength(1);
    const tenant = await makeTenant(api.services);
    const change = { id: gid.tenant(tenant.id), deliveryDefaults: { signing: 'SECRET_AND_KEY' } };
    expect(dataOf(await admin.mutate('updateTenant', change, selection)).updateTenant.tenant.signingKeys).toHaveLength(
      1,
    );
    const { webhook } = dataOf(await create(tenant, {})).createWebhook;
    expect(webhook.delivery).toEqual({ signing: 'SECRET_AND_KEY', own: [] });
  });

  test('is set and shown over REST', async () => {
    const tenant = await makeTenant(api.services);
    const headers = { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' };
    const payload = JSON.stringify({
      url: 'https://example.com/hooks',
      events: ['*'],
      options: { delivery: { signing: 'SECRET_AND_KEY' } },
    });
    const made = await api.server.inject({ method: 'POST', url: '/api/v1/webhooks', headers, payload });
    expect(made.statusCode).toBe(201);
    const url = `/api/v1/webhooks/${made.json().data.id}/options`;
    const shown = await api.server.inject({ method: 'GET', url, headers });
    expect(shown.json().data.delivery).toMatchObject({ signing: 'SECRET_AND_KEY', own: ['signing'] });
    expect(await keysOf(tenant)).toHaveLength(1);
  });

  test('has a private half that is only sealed, and that no query shows', async () => {
    const tenant = await signedTenant();
    const { rows } = await api.owner.query('select * from hookwright.signing_keys where tenant_id = $1', [tenant.id]);
    const { kid, sealed, public: publicKey } = rows[0];
    expect(sealed).toHaveLength(1 + 12 + 32 + 16);
    const opened = await api.services.vault.openSigningKey(tenant.id, kid, sealed);
    expect(createPublicKey(opened).export({ format: 'jwk' }).x).toBe(publicKey.toString('base64url'));
    await expect(api.services.vault.openSigningKey(tenant.id, 'another', sealed)).rejects.toThrow('cannot be opened');
    const { d } = opened.export({ format: 'jwk' }) as { d: string };
    const seed = Buffer.from(d, 'base64url');
    const text = JSON.stringify([await keysOf(tenant), (await get(pathOf((await keysOf(tenant))[0]))).body]);
    expect([d, seed.toString('base64'), seed.toString('hex')].some((form) => text.includes(form))).toBe(false);
  });
});

describe('the address of public keys', () => {
  test('needs no key, and may be kept for five minutes', async () => {
    const tenant = await signedTenant();
    const [key] = await keysOf(tenant);
    const { status, headers, body } = await get(pathOf(key));
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=300',
      'content-type': expect.stringMatching(/^application\/jwk-set\+json/),
    });
    const x = Buffer.from(key.publicKey.slice('whpk_'.length), 'base64').toString('base64url');
    expect(body).toEqual({ keys: [{ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: key.kid, x }] });
  });

  test.each(['/keys/AAAAAAAAAAAAAAAAAAAAAA.json', '/keys/x.json', '/keys/', "/keys/'or'1'='1.json", '/keys/%00.json'])(
    '%s is not there',
    async (path) => {
      const { status, body } = await get(path);
      expect([status, body.code]).toEqual([404, 'not_found']);
    },
  );

  test('of a deleted tenant is not there at once, and its private halves are erased', async () => {
    const tenant = await signedTenant();
    const [key] = await keysOf(tenant);
    const { rows } = await api.owner.query('select name from hookwright.tenants where id = $1', [tenant.id]);
    await deleteTenant(api.services.db, { tenantId: tenant.id, name: rows[0].name }, commandLine);
    expect((await get(pathOf(key))).status).toBe(404);
    const left = await api.owner.query(
      'select length(sealed) as bytes from hookwright.signing_keys where tenant_id = $1',
      [tenant.id],
    );
    expect(left.rows).toEqual([{ bytes: 0 }]);
  });

  test('begins with PUBLIC_URL where there is one', async () => {
    await using other = await GraphqlApi.open({ PUBLIC_URL: 'https://hooks.example.com/at' });
    const tenant = await makeTenant(other.services);
    const input = { url: 'https://example.com/', eventTypes: ['*'], delivery: { signing: 'SECRET_AND_KEY' } };
    dataOf(await other.by(tenant).mutate('createWebhook', input, 'webhook { id }'));
    const [key] = (await other.by(tenant).read(KEYS)).viewer.tenant.signingKeys;
    expect(key.jwksUrl).toMatch(/^https:\/\/hooks\.example\.com\/at\/keys\//);
    const path = new URL(key.jwksUrl).pathname;
    expect((await other.server.inject({ method: 'GET', url: path })).statusCode).toBe(200);
  });
});

describe('a rotation', () => {
  test('publishes the new key at once, uses it later, and keeps the one before for a week after that', async () => {
    const tenant = await signedTenant();
    const [old] = await keysOf(tenant);
    const { signingKeys } = dataOf(await rotate(tenant, { inHours: 48 })).rotateSigningKey.tenant;
    expect(signingKeys).toHaveLength(2);
    const [young, former] = signingKeys;
    expect(former.kid).toBe(old.kid);
    expect(young).toMatchObject({ endsAt: null, jwksUrl: old.jwksUrl });
    expect(Math.abs(away(young.usedFrom) - 48 * HOUR_MS)).toBeLessThan(60_000);
    expect(Math.abs(away(former.endsAt) - 48 * HOUR_MS - 7 * DAY_MS)).toBeLessThan(60_000);
    expect((await get(pathOf(old))).body.keys.map(({ kid }: { kid: string }) => kid)).toEqual([young.kid, old.kid]);
    expect(await keysOf(tenant)).toMatchObject([{ kid: young.kid }, { kid: old.kid }]);
  });

  test('is refused while a new key waits, unless the one before has leaked', async () => {
    const tenant = await signedTenant();
    const [old] = await keysOf(tenant);
    const [waiting] = dataOf(await rotate(tenant)).rotateSigningKey.tenant.signingKeys;
    expect(Math.abs(away(waiting.usedFrom) - 24 * HOUR_MS)).toBeLessThan(60_000);
    const again = await rotate(tenant, { inHours: 24 });
    expect(again.errors[0].extensions).toEqual({ code: 'CONFLICT', reason: 'rotation_under_way' });
    const { signingKeys } = dataOf(await rotate(tenant, { inHours: 0 })).rotateSigningKey.tenant;
    expect(signingKeys).toMatchObject([{ endsAt: null }, { kid: old.kid }]);
    const [young, former] = signingKeys;
    expect(young.kid).not.toBe(waiting.kid);
    expect(Math.abs(away(young.usedFrom) - 600_000)).toBeLessThan(60_000);
    expect(former.endsAt).toBe(young.usedFrom);
    const { rows } = await api.owner.query(
      'select length(sealed) as bytes from hookwright.signing_keys where kid = $1',
      [waiting.kid],
    );
    expect(rows).toEqual([{ bytes: 0 }]);
  });

  test('gives a tenant without a key its first one', async () => {
    const tenant = await makeTenant(api.services);
    const { signingKeys } = dataOf(await rotate(tenant)).rotateSigningKey.tenant;
    expect(signingKeys).toHaveLength(1);
    expect(Math.abs(away(signingKeys[0].usedFrom))).toBeLessThan(60_000);
  });

  test('is in the audit log, without a key', async () => {
    const tenant = await signedTenant();
    const { signingKeys } = dataOf(await rotate(tenant)).rotateSigningKey.tenant;
    const { auditLog } = await api
      .by(tenant)
      .read('{ auditLog(first: 1) { edges { node { action targetType after } } } }');
    const [{ kid, usedFrom }] = signingKeys;
    expect(auditLog.edges[0].node).toEqual({
      action: 'SIGNING_KEY_ROTATED',
      targetType: 'TENANT',
      after: { kid, inHours: 24, usedFrom },
    });
  });

  test.each([1, 23, 169, -1])('in %i hours is refused', async (inHours) => {
    const { errors } = await rotate(await signedTenant(), { inHours });
    const issue = { path: ['input', 'inHours'], code: 'out_of_range', detail: 'must be 24 to 168, or 0' };
    expect(errors[0].extensions).toMatchObject({ errors: [issue] });
  });

  test('needs webhooks:secrets, and the option webhooks:options', async () => {
    const tenant = await signedTenant();
    const without = async (scope: Scope) => {
      const parts = ['webhooks:edit', 'webhooks:options', 'webhooks:secrets', 'webhooks:test'] as const;
      const scopes = [...SCOPES.filter((one) => one !== 'webhooks:write'), ...parts.filter((part) => part !== scope)];
      return { ...tenant, key: (await makeKey(api.services, tenant.id, scopes)).key };
    };
    const [secretless, optionless] = [await without('webhooks:secrets'), await without('webhooks:options')];
    expect((await rotate(secretless)).errors[0].extensions.reason).toBe('scope_missing');
    expect((await create(optionless, { signing: 'SECRET_AND_KEY' })).errors[0].extensions.reason).toBe('scope_missing');
    expect((await create(secretless, { signing: 'SECRET_AND_KEY' })).errors).toEqual([]);
  });
});

test('another tenant sees none of the keys', async () => {
  const [one, other] = [await signedTenant(), await signedTenant()];
  const [key] = await keysOf(one);
  expect((await keysOf(other)).map(({ kid }: { kid: string }) => kid)).not.toContain(key.kid);
});

test('the part signatures of ENDPOINT_OPTIONS keeps tenants from the option', async () => {
  await using other = await GraphqlApi.open({ ENDPOINT_OPTIONS: 'labels' });
  const tenant = await makeTenant(other.services);
  const input = { url: 'https://example.com/', eventTypes: ['*'], delivery: { signing: 'SECRET_AND_KEY' } };
  const { errors } = await other.by(tenant).mutate('createWebhook', input, 'webhook { id }');
  expect(errors[0].extensions.reason).toBe('option_not_allowed');
});

test('without the headers of Standard Webhooks there is no place for the signature', async () => {
  await using other = await GraphqlApi.open({ STANDARD_WEBHOOKS: 'false' });
  const tenant = await makeTenant(other.services);
  const { key } = await makeKey(other.services, null, ['platform:admin']);
  const by = other.by(tenant);
  const delivery = { signing: 'SECRET_AND_KEY' };
  const input = { url: 'https://example.com/', eventTypes: ['*'] };
  const { webhook } = dataOf(await by.mutate('createWebhook', input, 'webhook { id }')).createWebhook;
  const refused = [
    await by.mutate('createWebhook', { ...input, delivery }, 'webhook { id }'),
    await by.mutate('updateWebhook', { id: webhook.id, delivery }, 'webhook { id }'),
    await by.mutate('rotateSigningKey', {}, 'tenant { id }'),
    await other.by({ key }).mutate('createTenant', { name: 'other', deliveryDefaults: delivery }, 'tenant { id }'),
    await other
      .by({ key })
      .mutate('updateTenant', { id: gid.tenant(tenant.id), deliveryDefaults: delivery }, 'tenant { id }'),
  ];
  const reason = { code: 'CONFLICT', reason: 'signing_not_available' };
  expect(refused.map(({ errors }) => errors[0].extensions)).toEqual(refused.map(() => reason));
});
