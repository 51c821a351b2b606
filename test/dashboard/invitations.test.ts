import { afterAll, describe, expect, test } from 'vitest';
import { DashboardSite } from '../support/dashboard-site.js';
import { makeKey, makeTenant } from '../support/factories.js';
import { gid, numberIn } from '../support/ids.js';

const site = await DashboardSite.open();
const tenant = await makeTenant(site.services);
const support = await makeKey(site.services, null, ['platform:support']);
afterAll(() => site[Symbol.asyncDispose]());

const DAY_MS = 86_400_000;
const fields = `id status createdAt openUntil expiresAt exchangedAt invitationDays
  createdBy createdByKeyId createdByName`;
const create = (input: Record<string, unknown>, key: string, named?: number) =>
  site.ask(
    `mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url session { ${fields} } } }`,
    { input: { capabilities: ['VIEW'], invitationDays: 7, ...input } },
    key,
    named,
  );
const reasons = ({ errors }: { errors: { extensions: { reason: string } }[] }) =>
  errors.map(({ extensions }) => extensions.reason);
const shift = (id: string, column: string, by: string) =>
  site.owner.query(`update hookwright.api_keys set ${column} = now() + $2::interval where id = $1`, [numberIn(id), by]);
const revoke = (id: string, key: string) =>
  site.ask(
    'mutation ($id: ID!) { revokePortalSession(input: { id: $id }) { session { status } } }',
    { id },
    key,
    tenant.id,
  );
const viewer = async (token: string) => (await site.ask('{ viewer { scopes } }', {}, token)).status;

async function invite(input: Record<string, unknown> = {}) {
  const { data, errors } = await create(input, support.key, tenant.id);
  expect(errors).toEqual([]);
  const { url, session } = data.createPortalSession;
  const [, origin, page, publicId, code] = /^(.+)(\/portal\/i\/([\w-]{22}))#([\w-]{43})$/.exec(url)!;
  expect(origin).toBe(site.origin);
  return { session, page: page!, exchange: `/portal/s/${publicId}`, code: code! };
}

const read = async (id: string, key: string, named?: number) => {
  const query = `query ($id: ID!) { node(id: $id) { ... on PortalSession { ${fields} } } }`;
  return (await site.ask(query, { id }, key, named)).data.node;
};

describe('an invitation', () => {
  test('begins a session of a day when it is opened, up to seven days later', async () => {
    const { session, exchange, code } = await invite();
    expect(session).toMatchObject({ status: 'WAITING', invitationDays: 7 });
    const madeAt = Date.parse(session.createdAt);
    expect(Date.parse(session.openUntil) - madeAt).toBe(7 * DAY_MS);
    expect(Date.parse(session.expiresAt) - madeAt).toBe(8 * DAY_MS);
    await shift(session.id, 'portal_code_expires_at', '1 minute'); // almost seven days later
    const { status, body } = await site.send(exchange, { code });
    expect(status).toBe(200);
    const now = await read(session.id, support.key, tenant.id);
    expect(now).toMatchObject({ status: 'ACTIVE', expiresAt: body.expiresAt });
    expect(Date.parse(now.expiresAt) - Date.parse(now.exchangedAt)).toBe(DAY_MS);
    expect(await viewer(body.token)).toBe(200);
    await shift(session.id, 'expires_at', '-1 second');
    expect(await read(session.id, support.key, tenant.id)).toMatchObject({ status: 'EXPIRED' });
  });

  test('begins a shorter session where its maker wants that', async () => {
    const { exchange, code } = await invite({ expiresInSeconds: 600 });
    const { body } = await site.send(exchange, { code });
    expect(Math.abs(Date.parse(body.expiresAt) - Date.now() - 600_000)).toBeLessThan(10_000);
  });

  test('is not used up by whatever only loads it, and its page leaks no code', async () => {
    const { page, exchange, code } = await invite();
    for (const method of ['HEAD', 'GET', 'GET', 'OPTIONS']) {
      for (const path of [page, exchange]) {
        const headers = { 'sec-purpose': 'prefetch', 'user-agent': 'scanner' };
        const { headers: answered } = await fetch(site.origin + path, { method, headers });
        if (method === 'GET') {
          expect(answered.get('referrer-policy')).toBe('no-referrer');
          expect(answered.get('cache-control')).toBe('no-store');
          expect(answered.get('content-security-policy')).toContain("frame-ancestors 'none'");
        }
      }
    }
    expect((await site.send(page, { code })).status).toBe(404); // the page itself takes no code
    expect((await site.send(exchange, { code })).status).toBe(200);
  });

  test('is opened by exactly one of those who open it at the same time, and by nobody later', async () => {
    const { exchange, code } = await invite();
    const answers = await Promise.all(Array.from({ length: 20 }, () => site.send(exchange, { code })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const again = await site.send(exchange, { code });
    expect(again.body).toMatchObject({ code: 'portal_code_used', detail: expect.stringContaining('Ask for another') });
  });

  test('opens nothing for a wrong code, another session’s code, or after its days', async () => {
    const [one, other] = [await invite(), await invite()];
    for (const code of [other.code, one.code.toLowerCase(), one.code.slice(1), '', 'x'.repeat(43)]) {
      expect((await site.send(one.exchange, { code })).status).toBe(404);
    }
    await shift(one.session.id, 'portal_code_expires_at', '-1 second');
    const late = await site.send(one.exchange, { code: one.code });
    expect(late).toMatchObject({ status: 410, body: { code: 'portal_code_expired' } });
    expect(late.body.detail).toBe('This invitation was not opened in time. Ask for another one.');
    expect(await read(one.session.id, support.key, tenant.id)).toMatchObject({ status: 'UNOPENED' });
  });

  test('is revoked while it is unopened, and after', async () => {
    const [unopened, open] = [await invite(), await invite()];
    const { token } = (await site.send(open.exchange, { code: open.code })).body;
    for (const { session } of [unopened, open]) {
      expect((await revoke(session.id, tenant.key)).data.revokePortalSession.session.status).toBe('REVOKED');
    }
    const late = await site.send(unopened.exchange, { code: unopened.code });
    expect(late).toMatchObject({
      status: 410,
      body: { detail: 'This invitation was withdrawn. Ask for another one.' },
    });
    expect(await viewer(token)).toBe(401);
  });

  test('is listed with its maker, whose name only platform keys see', async () => {
    const { session } = await invite();
    const seen = { createdBy: 'PLATFORM_KEY', createdByKeyId: gid.apiKey(support.id) };
    expect(session).toMatchObject({ ...seen, createdByName: expect.any(String) });
    expect(await read(session.id, tenant.key)).toMatchObject({ ...seen, createdByName: null });
    const own = await site.session(tenant.key);
    const { createdByName } = await read(own.session.id, tenant.key);
    expect(createdByName).toEqual(expect.any(String));
    expect(await read(own.session.id, support.key, tenant.id)).toMatchObject({
      createdBy: 'TENANT_KEY',
      createdByName,
    });
    const portal = await site.openSession(tenant.key);
    const query = '{ viewer { portalSession { createdByKeyId createdByName } } }';
    const { data } = await site.ask(query, {}, portal);
    expect(data.viewer.portalSession).toEqual({ createdByKeyId: gid.apiKey(tenant.keyId), createdByName: null });
    const stranger = await makeTenant(site.services);
    expect(await read(session.id, stranger.key)).toBeNull();
  });

  test('outlives the session of the console that makes it, also its sign-out', async () => {
    const console = await makeKey(site.services, null, ['platform:support']);
    await site.owner.query(
      `update hookwright.api_keys set console_session = true, expires_at = now() + interval '1 hour' where id = $1`,
      [console.id],
    );
    const link = (await create({ invitationDays: null }, console.key, tenant.id)).data.createPortalSession.session;
    const { session } = (await create({}, console.key, tenant.id)).data.createPortalSession;
    await site.owner.query('update hookwright.api_keys set revoked_at = now() where id = $1', [console.id]);
    expect(await read(link.id, support.key, tenant.id)).toMatchObject({ status: 'REVOKED' });
    expect(await read(session.id, support.key, tenant.id)).toMatchObject({ status: 'WAITING' });
  });
});

describe('who invites', () => {
  test('is a platform key with platform:support or more, and no key or session of a tenant', async () => {
    const admin = await makeKey(site.services, null, ['platform:admin']);
    const reader = await makeKey(site.services, null, ['platform:read']);
    expect(reasons(await create({}, admin.key, tenant.id))).toEqual([]);
    expect(reasons(await create({}, reader.key, tenant.id))).toEqual(['scope_missing']);
    expect(reasons(await create({}, tenant.key))).toEqual(['scope_missing']);
    const session = await site.openSession(tenant.key, { capabilities: ['MANAGE_KEYS'] });
    expect(reasons(await create({}, session))).toEqual(['scope_missing']);
    const { exchange, code } = await invite({ capabilities: ['MANAGE_ENDPOINTS', 'SEND', 'SEE_SECRETS', 'BULK'] });
    const { token } = (await site.send(exchange, { code })).body;
    expect(reasons(await create({}, token))).toEqual(['scope_missing']);
    expect(reasons(await create({ invitationDays: null }, token))).toEqual(['scope_missing']);
  });

  test('is in the audit log', async () => {
    const { session } = await invite({ invitationDays: 3 });
    const query = `{ auditLog(filter: {targetId: "${session.id}"}) { edges { node { action apiKeyId after } } } }`;
    const { data } = await site.ask(query, {}, tenant.key);
    expect(data.auditLog.edges[0].node).toMatchObject({
      action: 'PORTAL_SESSION_CREATED',
      apiKeyId: gid.apiKey(support.id),
      after: { invitationDays: 3, expiresInSeconds: 86_400 },
    });
  });

  test.each([
    [{ invitationDays: 0 }, 'invitationDays', 'at least 1'],
    [{ invitationDays: 8 }, 'invitationDays', 'at most 7'],
    [{ expiresInSeconds: 86_401 }, 'expiresInSeconds', 'at most 86400'],
    [{ expiresInSeconds: 59 }, 'expiresInSeconds', 'at least 60'],
    [{ expiresInSeconds: 3_601, invitationDays: null }, 'expiresInSeconds', 'at most 3600'],
    [{ capabilities: ['VIEW', 'MANAGE_KEYS'] }, 'capabilities', 'must not have MANAGE_KEYS'],
    [{ keysExpireInSeconds: 600 }, 'keysExpireInSeconds', 'must be left out'],
    [{ parentOrigins: ['https://app.example.com'] }, 'parentOrigins', 'must be left out'],
  ])('cannot make one with %j', async (input, field, detail) => {
    const { errors } = await create(input, support.key, tenant.id);
    const [issue] = errors[0].extensions.errors;
    expect(issue.path).toEqual(['input', field]);
    expect(issue.detail).toContain(detail);
  });
});
