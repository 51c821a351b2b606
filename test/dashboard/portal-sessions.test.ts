import { afterAll, describe, expect, test } from 'vitest';
import { DashboardSite } from '../support/dashboard-site.js';
import { makeKey, makeTenant, makeWebhook, TestClock } from '../support/factories.js';
import { gid, numberIn } from '../support/ids.js';

const clock = new TestClock();
const site = await DashboardSite.open({ now: clock.monotonic });
const tenant = await makeTenant(site.services);
const platform = await makeKey(site.services, null, ['platform:admin']);
afterAll(() => site[Symbol.asyncDispose]());

const viewer = '{ viewer { tenant { id } scopes portalSession { id capabilities status locale theme returnUrl } } }';
const inPast = (id: string, column: string) =>
  site.owner.query(`update hookwright.api_keys set ${column} = now() - interval '1 second' where id = $1`, [
    numberIn(id),
  ]);
const reasons = ({ errors }: { errors: { extensions: { reason: string } }[] }) =>
  errors.map(({ extensions }) => extensions.reason);
const create = (input: Record<string, unknown>, key: string, named?: number) =>
  site.ask(
    'mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url session { id path } } }',
    { input },
    key,
    named,
  );
const sessions = `query ($filter: PortalSessionFilter, $first: Int, $after: String) {
  portalSessions(filter: $filter, first: $first, after: $after) { edges { cursor node { id status } } pageInfo { hasNextPage } } }`;
const listed = async (key: string, variables: Record<string, unknown> = {}) =>
  (await site.ask(sessions, variables, key)).data.portalSessions.edges.map(
    ({ node }: { node: { id: string } }) => node.id,
  );

describe('the code of a session', () => {
  test('is exchanged for a key of the tenant, which says what the session is', async () => {
    const { path, code, session } = await site.session(tenant.key, {
      capabilities: ['SEND', 'VIEW', 'SEND'],
      expiresInSeconds: 600,
      locale: 'de-ch',
      theme: 'DARK',
      returnUrl: 'https://app.example.com/settings?tab=hooks',
    });
    expect(session).toMatchObject({ status: 'WAITING', capabilities: ['VIEW', 'SEND'], exchangedAt: null });
    expect(Date.parse(session.expiresAt) - Date.parse(session.createdAt)).toBe(600_000);
    const { status, headers, body } = await site.send(path, { code });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({ token: expect.stringMatching(/^hw_/), expiresAt: expect.any(String) });
    expect(Date.parse(body.expiresAt)).toBe(Date.parse(session.expiresAt));
    const { data, errors } = await site.ask(viewer, {}, body.token);
    expect(errors).toEqual([]);
    expect(data.viewer).toEqual({
      tenant: { id: gid.tenant(tenant.id) },
      scopes: ['webhooks:read', 'events:read', 'deliveries:read', 'webhooks:test', 'deliveries:resend'],
      portalSession: {
        id: session.id,
        capabilities: ['VIEW', 'SEND'],
        status: 'ACTIVE',
        locale: 'de-CH',
        theme: 'DARK',
        returnUrl: 'https://app.example.com/settings?tab=hooks',
      },
    });
    expect((await site.ask(viewer, {}, tenant.key)).data.viewer.portalSession).toBeNull();
  });

  test('works once', async () => {
    const { path, code } = await site.session(tenant.key);
    expect((await site.send(path, { code })).status).toBe(200);
    const again = await site.send(path, { code });
    expect(again.status).toBe(410);
    expect(again.body).toMatchObject({ code: 'portal_code_used', type: '/problems/portal-code-used' });
  });

  test('works once for all who send it at the same time', async () => {
    const { path, code } = await site.session(tenant.key);
    const answers = await Promise.all(Array.from({ length: 20 }, () => site.send(path, { code })));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect((await site.ask(viewer, {}, won[0]!.body.token)).errors).toEqual([]);
    expect(new Set(answers.filter((one) => one !== won[0]).map(({ body }) => body.code))).toEqual(
      new Set(['portal_code_used']),
    );
  });

  test('works for a minute', async () => {
    const { path, code, session } = await site.session(tenant.key);
    const { rows } = await site.owner.query(
      `select extract(epoch from portal_code_expires_at - created_at)::float8 as seconds
       from hookwright.api_keys where id = $1`,
      [numberIn(session.id)],
    );
    expect(rows[0].seconds).toBeGreaterThan(59.9);
    expect(rows[0].seconds).toBeLessThan(60.1);
    await inPast(session.id, 'portal_code_expires_at');
    const late = await site.send(path, { code });
    expect(late.status).toBe(410);
    expect(late.body).toMatchObject({ code: 'portal_code_expired' });
  });

  test('does not open a session that was revoked', async () => {
    const { path, code, session } = await site.session(tenant.key);
    await site.ask(
      'mutation ($id: ID!) { revokePortalSession(input: {id: $id}) { session { status } } }',
      { id: session.id },
      tenant.key,
    );
    expect(await site.send(path, { code })).toMatchObject({ status: 410, body: { code: 'portal_code_expired' } });
  });

  test('is the same to guess for a session that there is and for one that there is not', async () => {
    const open = await site.session(tenant.key);
    const used = await site.session(tenant.key);
    await site.send(used.path, { code: used.code });
    const late = await site.session(tenant.key);
    await inPast(late.session.id, 'portal_code_expires_at');
    const paths = [open.path, used.path, late.path, '/portal/s/0000000000000000000000', '/portal/s/%00', '/portal/s/1'];
    const answers = await Promise.all(paths.map((path) => site.send(path, { code: 'x'.repeat(43) })));
    for (const { status, body } of answers) {
      expect(status).toBe(404);
      expect(body).toEqual(answers[0]!.body);
    }
    expect((await site.send(open.path, { code: open.code })).status).toBe(200);
  });

  test.each([[{}], [[]], [null], ['text'], [{ code: 1 }], [{ code: 'x', more: 1 }], [{ code: 'x'.repeat(1_025) }]])(
    'is refused with a sentence when the body is %j',
    async (body) => {
      const { path } = await site.session(tenant.key);
      const { status, body: problem } = await site.send(path, body);
      expect([413, 422]).toContain(status);
      expect(problem.detail).toMatch(/./);
    },
  );

  test('is guessed as seldom as API keys are', async () => {
    await using limited = await DashboardSite.open({ settings: { KEY_FAILURES_RATE_MAX: '1' } });
    const { key } = await makeTenant(limited.services);
    const { path, code } = await limited.session(key);
    for (let wrong = 0; wrong < 10; wrong += 1) {
      expect((await limited.send(path, { code: 'wrong' })).status).toBe(404);
    }
    const held = await limited.send(path, { code });
    expect(held.status).toBe(429);
    expect(held.headers.get('retry-after')).toBe('1');
  });

  test('stands nowhere in the database, and the session has no key before it is exchanged', async () => {
    const { code, session } = await site.session(tenant.key);
    const { rows } = await site.owner.query('select k::text as row, hash from hookwright.api_keys k where id = $1', [
      numberIn(session.id),
    ]);
    expect(rows[0].row).not.toContain(code);
    expect(rows[0].row).not.toContain(Buffer.from(code).toString('hex'));
    expect(rows[0].hash).toEqual(Buffer.alloc(32));
  });
});

describe('a session', () => {
  test('sees its tenant and nothing of others', async () => {
    const other = await makeTenant(site.services);
    const { id: foreign } = await makeWebhook(site.services, other.id);
    const { id: own } = await makeWebhook(site.services, tenant.id);
    const token = await site.openSession(tenant.key);
    const query = 'query ($id: ID!) { webhook(id: $id) { id } }';
    expect((await site.ask(query, { id: String(own) }, token)).errors).toEqual([]);
    expect(reasons(await site.ask(query, { id: String(foreign) }, token))).toEqual(['not_found']);
    expect((await site.ask(viewer, {}, token, other.id)).status).toBe(403);
    const { data } = await site.ask('{ webhooks { edges { node { id } } } }', {}, token);
    expect(data.webhooks.edges.map(({ node }: { node: { id: string } }) => node.id)).not.toContain(
      gid.webhook(foreign),
    );
  });

  test('sees external ids and sets none, whatever else it may do', async () => {
    const own = await makeTenant(site.services);
    const capabilities = ['VIEW', 'MANAGE_ENDPOINTS', 'MANAGE_OPTIONS', 'SEE_SECRETS'];
    const token = await site.openSession(own.key, { capabilities });
    const create = (input: object, key: string) =>
      site.ask(
        'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id externalId } } }',
        { input: { url: 'https://example.com/', eventTypes: ['*'], ...input } },
        key,
      );
    const update = (input: object) =>
      site.ask(
        'mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id } } }',
        { input },
        token,
      );
    const { id } = (await create({ externalId: 'crm-1' }, own.key)).data.createWebhook.webhook;
    const seen = await site.ask('{ webhook(externalId: "crm-1") { id externalId } }', {}, token);
    expect(seen.data.webhook).toEqual({ id, externalId: 'crm-1' });
    expect((await create({ externalId: null }, token)).data.createWebhook.webhook.externalId).toBeNull();
    expect((await update({ id, name: 'Shop' })).errors).toEqual([]);
    const refused = [
      await create({ externalId: 'crm-2' }, token),
      await update({ id, externalId: 'crm-1' }),
      await update({ id, externalId: null }),
    ];
    expect(refused.map(reasons)).toEqual(refused.map(() => ['option_not_allowed']));
  });

  test('ends in every process within 5 seconds after it was revoked, and when it expires', async () => {
    const { path, code, session } = await site.session(tenant.key);
    const { token } = (await site.send(path, { code })).body;
    expect((await site.ask(viewer, {}, token)).status).toBe(200);
    await inPast(session.id, 'revoked_at'); // in another process
    clock.advance(4_000);
    expect((await site.ask(viewer, {}, token)).status).toBe(401);

    const expiring = await site.session(tenant.key);
    const second = (await site.send(expiring.path, { code: expiring.code })).body.token;
    await inPast(expiring.session.id, 'expires_at');
    clock.advance(4_000);
    expect((await site.ask(viewer, {}, second)).status).toBe(401);
  });

  test('ends at once where it is revoked, and stays revoked', async () => {
    const { path, code, session } = await site.session(tenant.key);
    const { token } = (await site.send(path, { code })).body;
    expect((await site.ask(viewer, {}, token)).status).toBe(200);
    const revoke = () =>
      site.ask(
        'mutation ($id: ID!) { revokePortalSession(input: {id: $id}) { session { status revokedAt } } }',
        { id: session.id },
        tenant.key,
      );
    const first = (await revoke()).data.revokePortalSession.session;
    expect(first).toEqual({ status: 'REVOKED', revokedAt: expect.any(String) });
    expect((await site.ask(viewer, {}, token)).status).toBe(401);
    expect((await revoke()).data.revokePortalSession.session).toEqual(first);
  });

  test('goes with its tenant', async () => {
    const other = await makeTenant(site.services);
    const token = await site.openSession(other.key);
    expect((await site.ask(viewer, {}, token)).status).toBe(200);
    const { data } = await site.ask(`{ tenant(id: "${other.id}") { name } }`, {}, platform.key);
    await site.ask(
      'mutation ($input: DeleteTenantInput!) { deleteTenant(input: $input) { deletedTenantId } }',
      { input: { id: String(other.id), name: data.tenant.name } },
      platform.key,
    );
    expect((await site.ask(viewer, {}, token)).status).toBe(401);
  });

  test('is listed with the sessions of its tenant, and its key with no keys', async () => {
    const own = await makeTenant(site.services);
    const stranger = await makeTenant(site.services);
    const opened = await site.session(own.key);
    await site.send(opened.path, { code: opened.code });
    const waiting = await site.session(own.key);
    const late = await site.session(own.key);
    await inPast(late.session.id, 'portal_code_expires_at');
    const revoked = await site.session(own.key);
    await inPast(revoked.session.id, 'revoked_at');
    const ids = [revoked, late, waiting, opened].map(({ session }) => session.id);
    expect(await listed(own.key)).toEqual(ids);
    expect(await listed(own.key, { filter: { active: true } })).toEqual(ids.slice(2));
    expect(await listed(own.key, { filter: { active: false } })).toEqual(ids.slice(0, 2));
    const page = await site.ask(sessions, { first: 1 }, own.key);
    const [{ cursor }] = page.data.portalSessions.edges;
    expect(await listed(own.key, { first: 2, after: cursor })).toEqual(ids.slice(1, 3));
    expect(await listed(stranger.key)).toEqual([]);
    const keys = await site.ask('{ apiKeys { edges { node { id } } } }', {}, own.key);
    expect(keys.data.apiKeys.edges).toEqual([{ node: { id: gid.apiKey(own.keyId) } }]);
  });

  test('is revoked by nobody else’s key, and not by the id of a key', async () => {
    const stranger = await makeTenant(site.services);
    const { session } = await site.session(tenant.key);
    const revoke = async (id: string, key: string) =>
      reasons(
        await site.ask('mutation ($id: ID!) { revokePortalSession(input: {id: $id}) { session { id } } }', { id }, key),
      );
    expect(await revoke(session.id, stranger.key)).toEqual(['not_found']);
    expect(await revoke(String(tenant.keyId), tenant.key)).toEqual(['not_found']);
    expect(await revoke(gid.apiKey(tenant.keyId), tenant.key)).toEqual(['invalid_input']);
  });
});

describe('making a session', () => {
  test('is for keys with keys:admin and for platform keys, each for the tenants that they may act for', async () => {
    const other = await makeTenant(site.services);
    const { key: reader } = await makeKey(site.services, tenant.id, ['webhooks:read']);
    const capabilities = ['VIEW'];
    expect(reasons(await create({ capabilities }, reader))).toEqual(['scope_missing']);
    expect(reasons(await create({ capabilities, tenantId: gid.tenant(tenant.id) }, tenant.key))).toEqual([]);
    expect(reasons(await create({ capabilities, tenantId: gid.tenant(other.id) }, tenant.key))).toEqual([
      'scope_missing',
    ]);
    expect(reasons(await create({ capabilities }, platform.key))).toEqual(['tenant_required']);
    expect(reasons(await create({ capabilities, tenantId: String(other.id) }, platform.key))).toEqual([]);
    expect(reasons(await create({ capabilities }, platform.key, other.id))).toEqual([]);
    expect(reasons(await create({ capabilities, tenantId: String(tenant.id) }, platform.key, other.id))).toEqual([
      'invalid_input',
    ]);
    expect(reasons(await create({ capabilities, tenantId: '999999' }, platform.key))).toEqual(['not_found']);
  });

  test('gives no more than its maker holds, in rights and in time', async () => {
    const { key } = await makeKey(site.services, tenant.id, [
      'keys:admin',
      'webhooks:read',
      'events:read',
      'deliveries:read',
      'webhooks:test',
    ]);
    expect(reasons(await create({ capabilities: ['VIEW'] }, key))).toEqual([]);
    for (const capability of ['MANAGE_ENDPOINTS', 'SEND', 'BULK']) {
      const refused = await create({ capabilities: [capability] }, key);
      expect(reasons(refused)).toEqual(['scope_missing']);
      expect(refused.errors[0].message).toMatch(/lacks (webhooks:edit|deliveries:resend|deliveries:bulk)\.$/);
    }
    const short = (
      await site.ask(
        'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }',
        {
          input: {
            name: 'short',
            scopes: ['keys:admin', 'webhooks:read', 'events:read', 'deliveries:read'],
            expiresInSeconds: 300,
          },
        },
        tenant.key,
      )
    ).data.createApiKey.key;
    expect(reasons(await create({ capabilities: ['VIEW'], expiresInSeconds: 600 }, short))).toEqual(['invalid_input']);
    const { session } = await site.session(short);
    expect(Date.parse(session.expiresAt) - Date.parse(session.createdAt)).toBeLessThanOrEqual(300_000);
  });

  test.each([
    [{ capabilities: [] }, 'capabilities', 'at least one'],
    [{ expiresInSeconds: 59 }, 'expiresInSeconds', 'at least 60'],
    [{ expiresInSeconds: 3_601 }, 'expiresInSeconds', 'at most 3600'],
    ...[
      'app.example.com',
      'https://app.example.com/',
      'https://App.example.com',
      'https://app.example.com:443',
      'http://app.example.com',
      'https://*.example.com',
      'https://a.example.com;script-src',
      'https://a.example.com,b',
      'https://a.example.com https://b.example.com',
      "https://'none'",
      'https://user@app.example.com',
      'https://[::1]',
      'null',
      'data:',
      '*',
      '',
      `https://${'a'.repeat(250)}.example.com`,
    ].map((origin) => [{ parentOrigins: [origin] }, 'parentOrigins', 'https://app.example.com'] as const),
    [
      { parentOrigins: Array.from({ length: 11 }, (_, at) => `https://a${at}.example.com`) },
      'parentOrigins',
      'at most 10',
    ],
    ...['e', 'de_CH', '', 'x'.repeat(36), 'en;q=1'].map((locale) => [{ locale }, 'locale', 'BCP 47'] as const),
    ...['app.example.com', 'http://app.example.com/', 'javascript:alert(1)', 'https://a:b@c.example.com/', '/x'].map(
      (returnUrl) => [{ returnUrl }, 'returnUrl', 'https://'] as const,
    ),
    [{ returnUrl: `https://a.example.com/${'x'.repeat(2_048)}` }, 'returnUrl', 'at most 2048'],
    [{ returnUrl: `https://a.example.com/${'ü'.repeat(400)}` }, 'returnUrl', 'at most 2048 characters when'],
    ...[
      'deliveries',
      '/nothing',
      '/settings',
      '//evil.example.com',
      '/../graphql',
      '/deliveries/../../graphql',
      '/deliveries#x',
      '/deliveries/1/2',
      '/overview\n',
      'javascript:alert(1)',
      'https://evil.example.com/overview',
      `/overview?x=${'y'.repeat(2_048)}`,
      '/overview?ü',
      '',
    ].map((path) => [{ path }, 'path', '/deliveries?status=FAILED'] as const),
    [{ look: { accent: '#f59e0b', accentDark: '#fbbf24' } }, 'look', 'contrast of 1.9'],
    [{ look: { accent: '#5b21b6' } }, 'look', 'is needed beside accent'],
    [{ look: { accent: 'red;}', accentDark: 'url(x)' } }, 'look', 'must be a colour such as'],
    [{ look: { radius: 17 } }, 'look', 'from 0 to 16'],
    [{ look: { transparent: true } }, 'look', 'needs a fixed theme'],
    [{ keysExpireInSeconds: 59 }, 'keysExpireInSeconds', 'at least 60'],
    [{ keysExpireInSeconds: 315_360_001 }, 'keysExpireInSeconds', 'at most 315360000'],
  ] as const)('refuses %j at its place, and says what is allowed', async (input, field, allowed) => {
    const { errors } = await create({ capabilities: ['VIEW'], ...input }, tenant.key);
    const issues = errors[0].extensions.errors;
    expect(issues[0].path.slice(0, 2)).toEqual(['input', field]);
    expect(issues[0].detail).toContain(allowed);
  });

  test.each([
    ['https://App.Example.com', 'https://app.example.com/'],
    ['https:\\\\app.example.com\\a\\..\\b', 'https://app.example.com/b'],
    ['  https://app.example.com/\ta\n?x=ü#y ', 'https://app.example.com/a?x=%C3%BC#y'],
    ['https:app.example.com:443/%7e', 'https://app.example.com/%7e'],
  ])('stores the returnUrl %j as browsers read it', async (returnUrl, read) => {
    const { session } = await site.session(tenant.key, { returnUrl });
    expect(session.returnUrl).toBe(read);
  });

  test.each(['/', '/overview', '/deliveries?status=FAILED&text=a%20b', '/deliveries/12', '/catalogue/order.paid'])(
    'opens the screen %s, which follows the code',
    async (path) => {
      const { data } = await create({ capabilities: ['VIEW'], path }, tenant.key);
      const { url, session } = data.createPortalSession;
      expect(url.replace(/^[^#]+#[\w-]{43}/, '')).toBe(path);
      expect(session.path).toBe(path);
    },
  );

  test('keeps the look that its maker chose', async () => {
    const look = { accent: '#5b21b6', accentDark: '#c4b5fd', font: 'SERIF', radius: 4, transparent: true };
    const token = await site.openSession(tenant.key, { theme: 'DARK', look });
    const seen = '{ viewer { portalSession { look { accent accentDark font radius transparent header } } } }';
    expect((await site.ask(seen, {}, token)).data.viewer.portalSession.look).toEqual({ ...look, header: true });
    expect((await site.ask(seen, {}, await site.openSession(tenant.key))).data.viewer.portalSession.look).toBeNull();
  });

  test('begins its url with the host that was asked, or with PUBLIC_URL', async () => {
    expect((await site.session(tenant.key)).url).toMatch(`${site.origin}/portal/s/`);
    await using named = await DashboardSite.open({ settings: { PUBLIC_URL: 'https://hooks.example.com' } });
    const { key } = await makeTenant(named.services);
    expect((await named.session(key)).url).toMatch('https://hooks.example.com/portal/s/');
  });

  test('and revoking it stand in the audit log, and so does who worked in it', async () => {
    const own = await makeTenant(site.services);
    const { path, code, session } = await site.session(own.key, { capabilities: ['MANAGE_ENDPOINTS'] });
    const { token } = (await site.send(path, { code })).body;
    const { id } = await makeWebhook(site.services, own.id);
    await site.ask(
      'mutation ($id: ID!) { updateWebhook(input: {id: $id, active: false}) { webhook { id } } }',
      { id: String(id) },
      token,
    );
    await site.ask(
      'mutation ($id: ID!) { revokePortalSession(input: {id: $id}) { session { id } } }',
      { id: session.id },
      own.key,
    );
    const log = async (filter: string) =>
      (
        await site.ask(
          `{ auditLog${filter} { edges { node { action actor apiKeyId targetType targetId after } } } }`,
          {},
          own.key,
        )
      ).data.auditLog.edges.map(({ node }: { node: object }) => node);
    const number = numberIn(session.id);
    expect(await log(`(filter: {targetId: "${session.id}"})`)).toMatchObject([
      { action: 'PORTAL_SESSION_REVOKED', actor: 'TENANT_KEY', targetType: 'PORTAL_SESSION', targetId: session.id },
      {
        action: 'PORTAL_SESSION_CREATED',
        actor: 'TENANT_KEY',
        apiKeyId: gid.apiKey(own.keyId),
        after: { capabilities: ['VIEW', 'MANAGE_ENDPOINTS'], parentOrigins: [], expiresInSeconds: 3_600 },
      },
    ]);
    expect(await log(`(filter: {apiKeyId: "${gid.apiKey(number)}"})`)).toMatchObject([
      { action: 'WEBHOOK_UPDATED', actor: 'PORTAL_SESSION', targetId: gid.webhook(id) },
    ]);
  });
});
