import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SCOPES } from '../../src/domain/keys/scopes.js';
import { makeKey } from '../support/factories.js';
import { dataOf, openGraphql } from '../support/graphql-api.js';
import { numberIn } from '../support/ids.js';

const { api, tenant } = await openGraphql();
const { key: platformKey } = await makeKey(api.services, null, ['platform:support']);
const operator = api.by({ key: platformKey, tenant: tenant.id });

const settings = { url: 'https://example.com/hooks', eventTypes: ['*'] };
const create = (own: object, by = operator) =>
  by.mutate('createWebhook', { ...settings, ...own }, 'secret webhook { id previousSecretExpiresAt }');
const created = async (own: object) => dataOf(await create(own)).createWebhook;
const hex = () => randomBytes(32).toString('hex');
const DAY_MS = 86_400_000;
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

/** The same over REST. */
async function post(json: object, { key = platformKey, ...headers }: Record<string, string> = {}) {
  const answer = await api.server.inject({
    method: 'POST',
    url: '/api/v1/webhooks',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    payload: JSON.stringify({ url: settings.url, events: ['*'], ...json }),
  });
  return { status: answer.statusCode, body: answer.json() };
}
const asTenant = { 'hookwright-tenant': String(tenant.id) };

/** The opened secrets of a webhook. @param id its number, or its id in GraphQL */
async function kept(id: number | string) {
  const { rows } = await api.owner.query(
    `select id, sealed_secret, previous_sealed_secret, previous_secret_expires_at as until
     from hookwright.webhooks where id = $1`,
    [typeof id === 'number' ? id : numberIn(id)],
  );
  const row = rows[0]!;
  const open = (sealed: Buffer | null) => sealed && api.services.vault.open(tenant.id, Number(row.id), sealed);
  return {
    secret: await open(row.sealed_secret),
    previous: await open(row.previous_sealed_secret),
    until: row.until && new Date(row.until).getTime(),
  };
}

describe('a webhook brings its secrets from another service', () => {
  test.each([
    'acme:secret/2024_v1!',
    `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
    'x'.repeat(16),
    'x'.repeat(256),
  ])('the secret %j is the webhook’s, over GraphQL and REST', async (secret) => {
    const { webhook, secret: shown } = await created({ secret });
    expect(shown).toBe(secret);
    expect(await kept(webhook.id)).toEqual({ secret, previous: null, until: null });
    const { status, body } = await post({ secret }, asTenant);
    expect({ status, secret: body.data.secret }).toEqual({ status: 201, secret });
    expect(await kept(body.data.id)).toEqual({ secret, previous: null, until: null });
  });

  test('the previous one signs for 24 hours, or until the time that is given', async () => {
    const [secret, previousSecret] = [hex(), hex()];
    const day = await created({ secret, previousSecret });
    expect(Math.abs(Date.parse(day.webhook.previousSecretExpiresAt) - Date.now() - DAY_MS)).toBeLessThan(60_000);
    const until = inMs(29.9 * DAY_MS);
    const month = await created({ secret, previousSecret, previousSecretExpiresAt: until });
    expect(await kept(month.webhook.id)).toEqual({ secret, previous: previousSecret, until: Date.parse(until) });
    const rest = await post({ secret, previous_secret: previousSecret, previous_secret_expires_at: until }, asTenant);
    expect(await kept(rest.body.data.id)).toEqual({ secret, previous: previousSecret, until: Date.parse(until) });
  });

  test('with the previous one alone the service makes the new secret', async () => {
    const previousSecret = hex();
    const { webhook, secret } = await created({ previousSecret });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{44}$/);
    expect(await kept(webhook.id)).toMatchObject({ secret, previous: previousSecret });
  });

  test('a rotation makes a secret of the service, and waits for the end of the overlap', async () => {
    const { webhook } = await created({ secret: hex(), previousSecret: hex() });
    const rotate = (overlapHours: number) =>
      operator.mutate('rotateWebhookSecret', { id: webhook.id, overlapHours }, 'secret');
    expect((await rotate(24)).errors[0].extensions).toEqual({ code: 'CONFLICT', reason: 'rotation_under_way' });
    expect(dataOf(await rotate(0)).rotateWebhookSecret.secret).toMatch(/^whsec_[A-Za-z0-9+/]{44}$/);
  });

  test('the audit log says that the secrets are its own, and until when', async () => {
    const [secret, previousSecret] = [hex(), hex()];
    const { webhook } = await created({ secret, previousSecret });
    const { auditLog } = await operator.read('{ auditLog(first: 1) { edges { node { action after } } } }');
    const [{ node }] = auditLog.edges;
    const { previousSecretExpiresAt } = webhook;
    expect(node).toMatchObject({
      action: 'WEBHOOK_CREATED',
      after: { secret: 'own', previousSecret: 'own', previousSecretExpiresAt },
    });
    expect(JSON.stringify(node)).not.toMatch(new RegExp(`${secret}|${previousSecret}`));
  });
});

describe('an idempotency key', () => {
  test('belongs to a request with its secrets', async () => {
    const idempotencyKey = hex();
    const [secret, previousSecret, previousSecretExpiresAt] = [hex(), hex(), inMs(DAY_MS)];
    const own = { idempotencyKey, secret, previousSecret, previousSecretExpiresAt };
    const first = await created(own);
    expect(await created(own)).toEqual(first);
    const others = [
      { ...own, secret: hex() },
      { ...own, secret: null },
      { ...own, previousSecret: hex() },
      { ...own, previousSecretExpiresAt: inMs(2 * DAY_MS) },
      { ...own, previousSecret: null, previousSecretExpiresAt: null },
    ];
    for (const other of others) {
      const { errors } = await create(other);
      expect(errors[0].extensions.reason).toBe('idempotency_key_reused');
    }
  });
});

describe('only operators bring secrets', () => {
  test.each([
    ['platform:admin', []],
    ['platform:support', []],
    ['platform:read', ['scope_missing']],
  ] as const)('a platform key with %s', async (scope, reasons) => {
    const { key } = await makeKey(api.services, null, [scope]);
    const { errors } = await create({ secret: hex() }, api.by({ key, tenant: tenant.id }));
    expect(errors.map(({ extensions }) => extensions.reason)).toEqual(reasons);
  });

  test.each(['secret', 'previousSecret', 'previousSecretExpiresAt'])('a tenant’s key may not set %s', async (name) => {
    const { key } = await makeKey(api.services, tenant.id, SCOPES);
    const { errors } = await create({ [name]: inMs(DAY_MS) }, api.by({ key }));
    expect(errors[0].extensions).toEqual({ code: 'FORBIDDEN', reason: 'option_not_allowed' });
    expect(errors[0].message).toBe(`Only platform keys may set ${name}.`);
    const inRest = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const { status, body } = await post({ [inRest]: inMs(DAY_MS) }, { key });
    expect([status, body.code]).toEqual([403, 'option_not_allowed']);
  });

  test('null is none', async () => {
    const { key } = await makeKey(api.services, tenant.id, SCOPES);
    const none = { secret: null, previousSecret: null, previousSecretExpiresAt: null };
    expect((await create(none, api.by({ key }))).errors).toEqual([]);
    expect((await post({ secret: null, previous_secret: null }, { key })).status).toBe(201);
  });
});

describe('bad input is named, and never repeated', () => {
  const good = 'a secret of another service';
  test.each<[string, Record<string, unknown>, string, string]>([
    ['base64 that is damaged', { secret: 'whsec_not*base64*at*all*' }, 'secret', 'secret_malformed'],
    ['a short text', { secret: 'fifteen-letters' }, 'secret', 'secret_malformed'],
    ['blanks alone', { secret: ' '.repeat(16) }, 'secret', 'secret_malformed'],
    ['an empty text', { secret: '' }, 'secret', 'secret_malformed'],
    ['a long text', { secret: 'x'.repeat(257) }, 'secret', 'secret_malformed'],
    ['NUL', { secret: 'a secret with \u0000 in it' }, 'secret', 'secret_malformed'],
    ['a previous one', { previousSecret: 'whsec_short' }, 'previousSecret', 'secret_malformed'],
    ['the same twice', { secret: good, previousSecret: good }, 'previousSecret', 'duplicate'],
    ['a time alone', { previousSecretExpiresAt: inMs(DAY_MS) }, 'previousSecretExpiresAt', 'contradiction'],
    [
      'a time that is over',
      { previousSecret: good, previousSecretExpiresAt: inMs(-1_000) },
      'previousSecretExpiresAt',
      'out_of_range',
    ],
    [
      'a time that is too far',
      { previousSecret: good, previousSecretExpiresAt: inMs(30 * DAY_MS + 60_000) },
      'previousSecretExpiresAt',
      'out_of_range',
    ],
  ])('%s', async (_, own, name, code) => {
    const { errors } = await create(own);
    expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ path: ['input', name], code }] });
    const inRest = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const json = Object.fromEntries(Object.entries(own).map(([key, value]) => [inRest(key), value]));
    const { status, body } = await post(json, asTenant);
    expect({ status, errors: body.errors }).toMatchObject({
      status: 422,
      errors: [{ pointer: `/${inRest(name)}`, code }],
    });
    const secrets = [own['secret'], own['previousSecret']].filter(Boolean);
    expect(secrets.some((text) => JSON.stringify([errors, body]).includes(String(text)))).toBe(false);
  });

  test.each([
    ['secret', 7],
    ['secret', ['a secret of another service']],
    ['previous_secret', {}],
    ['previous_secret_expires_at', 'tomorrow'],
    ['previous_secret_expires_at', 1_795_708_680],
  ])('%s of another form: %j', async (name, value) => {
    const { status, body } = await post({ [name]: value }, asTenant);
    expect({ status, errors: body.errors }).toMatchObject({ status: 422, errors: [{ pointer: `/${name}` }] });
  });
});

test('while a daemon of a version before is alive, a secret of a form that it cannot sign with is refused', async () => {
  const daemon = (knows: string) =>
    api.owner.query(`
      insert into hookwright.daemons (id, host, pid, version, slots, in_flight, started_at, knows)
      values ('00000000-0000-0000-0000-000000000001', 'host-7', 1, '0.1.0', 1, 0, now(), ${knows})
      on conflict (id) do update set knows = excluded.knows`);
  const first = `whsec_${randomBytes(33).toString('base64')}`;
  const others = [hex(), `whsec_${randomBytes(24).toString('base64')}`, `whsec_${randomBytes(32).toString('base64')}`];
  for (const knows of ['null', `array['compat', 'signing']`]) {
    await daemon(knows);
    for (const own of others.flatMap((secret) => [{ secret }, { previousSecret: secret }])) {
      const { errors } = await create(own);
      expect(errors[0].extensions).toEqual({ code: 'CONFLICT', reason: 'older_daemons' });
      expect(errors[0].message).toContain(
        'A daemon of version 0.1.0 on host-7 does not know secrets of this form (from 0.2.0 on). Upgrade it,',
      );
    }
    const refused = await post({ secret: others[0] }, asTenant);
    expect([refused.status, refused.body.code]).toEqual([409, 'older_daemons']);
    expect((await created({ secret: first })).secret).toBe(first);
    await created({ previousSecret: `whsec_${randomBytes(33).toString('base64')}` });
    await created({});
  }
  await daemon(`array['otherSecrets']`);
  await created({ secret: others[0]! });
  await api.owner.query('delete from hookwright.daemons');
});
