import { afterAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../src/operations/keys/create-api-key.js';
import { revokeApiKey } from '../../src/operations/keys/revoke-api-key.js';
import { commandLine, service } from '../../src/operations/rows/audit.js';
import { DashboardSite } from '../support/dashboard-site.js';
import { makeKey, makeTenant } from '../support/factories.js';
import { gid, numberIn } from '../support/ids.js';

const YEAR = 31_536_000;
const PAGES = ['https://app.example.com', 'https://admin.example.com'];
const site = await DashboardSite.open({ settings: { API_KEYS_PER_TENANT_MAX: '10000' } });
const tenant = await makeTenant(site.services);
afterAll(() => site[Symbol.asyncDispose]());

interface Session {
  id: string;
  key: string;
  expiresAt: number;
}

async function open(maker: string, input: Record<string, unknown> = {}): Promise<Session> {
  const manager = { capabilities: ['VIEW', 'MANAGE_KEYS'], ...input };
  const { path, code, session } = await site.session(maker, manager);
  const { token } = (await site.send(path, { code })).body;
  return { id: session.id, key: token, expiresAt: Date.parse(session.expiresAt) };
}

const makeKeyBy = (maker: string, input: Record<string, unknown> = {}, named?: number) =>
  site.ask(
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key apiKey { id expiresAt } } }',
    { input: { name: 'made', scopes: ['keys:admin', 'webhooks:read', 'events:read', 'deliveries:read'], ...input } },
    maker,
    named,
  );

async function made(maker: string, input?: Record<string, unknown>, named?: number) {
  const { data, errors } = await makeKeyBy(maker, input, named);
  expect(errors).toEqual([]);
  const { key, apiKey } = data.createApiKey;
  return { key: key as string, id: apiKey.id as string, endsAt: Date.parse(apiKey.expiresAt ?? 'never') };
}

const refusal = ({ errors }: { errors: { extensions: { reason: string; errors?: { path: unknown[] }[] } }[] }) =>
  errors.map(({ extensions: { reason, errors: issues } }) => issues?.[0]?.path.at(1) ?? reason);
const sessionBy = (maker: string, input: Record<string, unknown>) =>
  site.ask(
    'mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { session { id } } }',
    { input: { capabilities: ['VIEW'], ...input } },
    maker,
  );
const revoke = (id: string, by = tenant.key) =>
  site.ask('mutation ($id: ID!) { revokePortalSession(input: {id: $id}) { session { status } } }', { id }, by);
const isAdmitted = async (key: string) => (await site.ask('{ viewer { scopes } }', {}, key)).status === 200;

describe('the time of a portal session', () => {
  test('is that of the keys made in it, and of what these make', async () => {
    const session = await open(tenant.key);
    const first = await made(session.key);
    expect(first.endsAt).toBe(session.expiresAt);
    expect(refusal(await makeKeyBy(session.key, { expiresInSeconds: 3_700 }))).toEqual(['expiresInSeconds']);
    expect((await made(session.key, { expiresInSeconds: 60 })).endsAt).toBeLessThan(session.expiresAt);
    expect(refusal(await makeKeyBy(first.key))).toEqual(['expiresInSeconds']); // for ever
    const second = await made(first.key, { expiresInSeconds: 3_000 });
    const last = await open(second.key);
    expect(last.expiresAt).toBeLessThanOrEqual(second.endsAt);
  });

  test('is not passed by keys when its maker allows more: each may have that, and what it makes no more', async () => {
    const session = await open(tenant.key, { keysExpireInSeconds: YEAR });
    const { endsAt } = await made(session.key);
    expect(endsAt - Date.now()).toBeGreaterThan((YEAR - 60) * 1_000);
    expect(endsAt - Date.now()).toBeLessThanOrEqual(YEAR * 1_000);
    expect(refusal(await makeKeyBy(session.key, { expiresInSeconds: YEAR + 1 }))).toEqual(['expiresInSeconds']);
    const { key } = await made(session.key, { expiresInSeconds: YEAR });
    expect(refusal(await makeKeyBy(key, { expiresInSeconds: YEAR + 1 }))).toEqual(['expiresInSeconds']);
    expect(refusal(await sessionBy(session.key, { keysExpireInSeconds: YEAR + 1 }))).toEqual(['keysExpireInSeconds']);
    const inner = await open(session.key, { keysExpireInSeconds: YEAR });
    expect(inner.expiresAt).toBeLessThanOrEqual(session.expiresAt);
    await made(inner.key, { expiresInSeconds: YEAR });
    // Without it in the inner session, its keys end with that.
    const plain = await open(session.key);
    expect((await made(plain.key)).endsAt).toBe(plain.expiresAt);
    expect(refusal(await sessionBy(plain.key, { keysExpireInSeconds: 7_200 }))).toEqual(['keysExpireInSeconds']);
  });

  test('allows keys no more than the maker of the session has left', async () => {
    const day = await made(tenant.key, { expiresInSeconds: 86_400 });
    expect(refusal(await sessionBy(day.key, { keysExpireInSeconds: 86_500 }))).toEqual(['keysExpireInSeconds']);
    const session = await open(day.key, { keysExpireInSeconds: 86_000 });
    const { rowCount } = await site.owner.query(
      `update hookwright.api_keys set portal_settings = jsonb_set(portal_settings::jsonb, '{makerExpiresAt}', to_jsonb($2::text))
       where id = $1`,
      [numberIn(session.id), new Date(Date.now() + 7_200_000).toISOString()],
    );
    expect(rowCount).toBe(1); // as late in that day
    expect((await made(session.key)).endsAt - Date.now()).toBeLessThanOrEqual(7_200_000);
    expect(refusal(await makeKeyBy(session.key, { expiresInSeconds: 7_300 }))).toEqual(['expiresInSeconds']);
  });

  test('is that of keys of a session that version 0.1.0 has made, whatever end its maker had', async () => {
    const session = await open(tenant.key);
    await site.owner.query(`update hookwright.api_keys set portal_settings = $2 where id = $1`, [
      numberIn(session.id),
      '{"capabilities":["VIEW","MANAGE_KEYS"],"parentOrigins":[],"locale":null,"theme":"AUTO","returnUrl":null,"makerExpiresAt":null}',
    ]);
    expect((await made(session.key)).endsAt).toBe(session.expiresAt);
    expect(refusal(await makeKeyBy(session.key, { expiresInSeconds: 7_200 }))).toEqual(['expiresInSeconds']);
  });
});

describe('a session that is made in a session, or by a key that was', () => {
  test('stands only on pages that may show the first one', async () => {
    const session = await open(tenant.key, { parentOrigins: PAGES });
    const { key } = await made(session.key, { expiresInSeconds: 3_000 });
    for (const maker of [session.key, key]) {
      expect(refusal(await sessionBy(maker, { parentOrigins: [PAGES[1]] }))).toEqual([]);
      const wrong = await sessionBy(maker, { parentOrigins: [PAGES[0], 'https://evil.example.com'] });
      expect(wrong.errors[0].extensions.errors).toEqual([
        {
          path: ['input', 'parentOrigins', 1],
          code: 'not_allowed',
          detail: `must be one of ${PAGES.join(', ')}`,
        },
      ]);
    }
    const inner = await open(key, { parentOrigins: [PAGES[0]] });
    expect(refusal(await sessionBy(inner.key, { parentOrigins: [PAGES[1]] }))).toEqual(['parentOrigins']);
    const unframed = await open(tenant.key);
    expect(refusal(await sessionBy(unframed.key, { parentOrigins: [PAGES[0]] }))).toEqual(['parentOrigins']);
  });

  test('has only capabilities of the first one', async () => {
    const session = await open(tenant.key);
    for (const more of ['SEND', 'SEE_SECRETS', 'BULK', 'MANAGE_ENDPOINTS']) {
      expect(refusal(await sessionBy(session.key, { capabilities: [more] }))).toEqual(['scope_missing']);
    }
  });
});

describe('revoking a session', () => {
  test('revokes everything that was made in it, at once in this process, and nothing else', async () => {
    const outside = await makeKey(site.services, tenant.id, ['webhooks:read']);
    const session = await open(tenant.key, { keysExpireInSeconds: YEAR });
    const key = await made(session.key);
    const keyOfKey = await made(key.key, { expiresInSeconds: 10_000 });
    const inner = await open(keyOfKey.key, { keysExpireInSeconds: 9_000 });
    const last = await made(inner.key);
    const all = [session.key, key.key, keyOfKey.key, inner.key, last.key];
    expect(await Promise.all([...all, outside.key].map(isAdmitted))).toEqual(Array(6).fill(true));
    await revoke(inner.id);
    expect(await Promise.all(all.map(isAdmitted))).toEqual([true, true, true, false, false]);
    await revoke(session.id);
    expect(await Promise.all(all.map(isAdmitted))).toEqual(Array(5).fill(false));
    expect(await Promise.all([outside.key, tenant.key].map(isAdmitted))).toEqual([true, true]);
    const { data } = await site.ask('{ apiKeys(filter: {active: true}) { edges { node { id } } } }', {}, tenant.key);
    const active = data.apiKeys.edges.map(({ node }: { node: { id: string } }) => node.id);
    expect(active).not.toContain(key.id);
    expect(active).not.toContain(last.id);
    const log = `{ auditLog(filter: {targetId: "${key.id}"}, first: 1) { edges { node { action actor before } } } }`;
    expect((await site.ask(log, {}, tenant.key)).data.auditLog.edges).toEqual([
      { node: { action: 'API_KEY_REVOKED', actor: 'SERVICE', before: { name: 'made' } } },
    ]);
  });

  test('reaches the keys of a session that has expired, and those behind a long chain of sessions', async () => {
    const session = await open(tenant.key, { keysExpireInSeconds: YEAR });
    const key = await made(session.key);
    const { rows } = await site.owner.query(
      `insert into hookwright.api_keys (tenant_id, name, hash, scopes, expires_at)
       select $1, 'chain', '\\x00', '{}', now() + interval '1 day' from generate_series(1, 3000) returning id`,
      [tenant.id],
    );
    const ids = rows.map(({ id }) => Number(id));
    await site.owner.query(
      `update hookwright.api_keys k set made_in = coalesce(one.before, $2)
       from (select id, lag(id) over (order by id) as before from unnest($1::bigint[]) as id) one where k.id = one.id`,
      [ids, numberIn(session.id)],
    );
    await site.owner.query(`update hookwright.api_keys set expires_at = now() where id = $1`, [numberIn(session.id)]);
    expect((await revoke(session.id)).errors).toEqual([]);
    expect(await isAdmitted(key.key)).toBe(false);
    const left = await site.owner.query(
      `select count(*)::int as keys from hookwright.api_keys where name = 'chain' and revoked_at is null`,
    );
    expect(left.rows[0].keys).toBe(0);
  });

  test('works for what is being made at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const session = await open(tenant.key, { keysExpireInSeconds: YEAR });
      const answers = await Promise.all([
        ...Array.from({ length: 6 }, () => makeKeyBy(session.key)),
        revoke(session.id),
        ...Array.from({ length: 6 }, () => makeKeyBy(session.key)),
      ]);
      const keys = answers.flatMap(({ data }) => data?.createApiKey?.key ?? []);
      expect(await Promise.all(keys.map(isAdmitted))).toEqual(keys.map(() => false));
    }
  });

  test('keeps another process, which does not know of it yet, from making anything', async () => {
    const session = await open(tenant.key, { keysExpireInSeconds: YEAR });
    const ordinary = await makeKey(site.services, tenant.id, ['keys:admin', 'webhooks:read']);
    expect([await isAdmitted(session.key), await isAdmitted(ordinary.key)]).toEqual([true, true]);
    await revokeApiKey(site.services.db, tenant.id, numberIn(session.id), commandLine);
    await revokeApiKey(site.services.db, tenant.id, ordinary.id, commandLine);
    expect(await isAdmitted(session.key)).toBe(true); // for up to 5 s
    expect(refusal(await makeKeyBy(session.key))).toEqual(['unauthenticated']);
    expect(refusal(await sessionBy(session.key, {}))).toEqual(['unauthenticated']);
    expect(refusal(await makeKeyBy(ordinary.key, { scopes: ['webhooks:read'] }))).toEqual(['unauthenticated']);
  });

  test('leaves the keys that an ordinary key has made', async () => {
    const maker = await made(tenant.key);
    const { key } = await made(maker.key);
    const revokeKey = `mutation { revokeApiKey(input: {id: "${maker.id}"}) { apiKey { id } } }`;
    expect((await site.ask(revokeKey, {}, tenant.key)).errors).toEqual([]);
    expect([await isAdmitted(maker.key), await isAdmitted(key)]).toEqual([false, true]);
  });
});

describe('a session of the console', () => {
  const signIn = (expiresInSeconds = 28_800) =>
    createApiKey(site.services.db, site.services.random, {
      tenantId: null,
      name: 'console: ann',
      scopes: ['platform:admin'],
      expiresInSeconds,
      consoleSession: true,
      by: service,
    });

  test('makes keys and portal sessions for tenants that end with it', async () => {
    const { id, key, apiKey } = await signIn();
    expect(refusal(await makeKeyBy(key, {}, tenant.id))).toEqual(['expiresInSeconds']);
    const ofTenant = await made(key, { expiresInSeconds: 28_000 }, tenant.id);
    expect(ofTenant.endsAt).toBeLessThanOrEqual(apiKey.expiresAt!.getTime());
    const platform = await made(key, { scopes: ['platform:read'], expiresInSeconds: 28_000 });
    const { data } = await site.ask(
      'mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { session { id } } }',
      { input: { capabilities: ['VIEW'], tenantId: gid.tenant(tenant.id), parentOrigins: PAGES } },
      key,
    );
    expect(await Promise.all([ofTenant.key, platform.key].map(isAdmitted))).toEqual([true, true]);
    const revokeIt = `mutation { revokeApiKey(input: {id: "${gid.apiKey(id)}"}) { apiKey { id } } }`;
    expect((await site.ask(revokeIt, {}, key)).errors).toEqual([]);
    expect(await Promise.all([ofTenant.key, platform.key].map(isAdmitted))).toEqual([false, false]);
    const { rows } = await site.owner.query('select revoked_at from hookwright.api_keys where id = $1', [
      numberIn(data.createPortalSession.session.id),
    ]);
    expect(rows[0].revoked_at).not.toBeNull();
    const log = `{ auditLog(filter: {targetId: "${ofTenant.id}"}, first: 1) { edges { node { action actor } } } }`;
    expect((await site.ask(log, {}, tenant.key)).data.auditLog.edges[0].node).toEqual({
      action: 'API_KEY_REVOKED',
      actor: 'SERVICE',
    });
  });

  test('is told from other platform keys in their list', async () => {
    const { id, key } = await signIn();
    const list = async (consoleSession: boolean) =>
      (
        await site.ask(
          `{ apiKeys(first: 100, filter: {consoleSession: ${consoleSession}}) { edges { node { id consoleSession } } } }`,
          {},
          key,
        )
      ).data.apiKeys.edges.map(({ node }: { node: object }) => node);
    expect(await list(true)).toContainEqual({ id: gid.apiKey(id), consoleSession: true });
    expect(await list(false)).not.toContainEqual({ id: gid.apiKey(id), consoleSession: true });
    const lasting = await makeKey(site.services, null, ['platform:read']);
    expect(await list(false)).toContainEqual({ id: gid.apiKey(lasting.id), consoleSession: false });
  });
});
