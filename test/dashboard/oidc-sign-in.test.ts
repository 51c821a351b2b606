import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createApiKey } from '../../src/operations/keys/create-api-key.js';
import { service } from '../../src/operations/rows/audit.js';
import { CookieClient } from '../support/cookie-client.js';
import { DashboardSite } from '../support/dashboard-site.js';
import { makeTenant } from '../support/factories.js';
import { ownPort } from '../support/loopback.js';
import { OpenIdProvider } from '../support/openid-provider.js';

const VIEWER = '{ viewer { scopes tenant { id } apiKey { name expiresAt } } }';

/** A console, and the provider by which people sign in to it. */
class Place implements AsyncDisposable {
  private constructor(
    readonly site: DashboardSite,
    readonly provider: OpenIdProvider,
    readonly origin: string,
  ) {}

  static async open(
    options: { publicUrl?: string; clientSecret?: string; wholeIdToken?: boolean; clock?: () => Date } = {},
  ) {
    const port = await ownPort();
    const { publicUrl: origin = `http://127.0.0.1:${port}`, clientSecret, clock } = options;
    const provider = await OpenIdProvider.start({ ...options, consoleUrl: `${origin}/console` });
    const settings = provider.settings(origin, clientSecret);
    return new Place(await DashboardSite.open({ settings, port, clock }), provider, origin);
  }

  client(): CookieClient {
    return new CookieClient({ [new URL(this.origin).origin]: this.site.origin });
  }

  get isSecure(): boolean {
    return this.origin.startsWith('https:');
  }

  get sessionCookie(): string {
    return this.isSecure ? '__Host-hookwright' : 'hookwright';
  }

  get flowCookie(): string {
    return `${this.sessionCookie}-sign-in`;
  }

  /** Goes as far as the provider's form for signing in. @returns its address */
  async begin(client: CookieClient, returnPath = '/console/tenants?name=x'): Promise<string> {
    const start = `${this.origin}/console/oidc/start?${new URLSearchParams({ return: returnPath })}`;
    return (await client.follow(start)).url;
  }

  /** Fills in the provider's forms. @returns with what the provider sends the browser back */
  async approve(client: CookieClient, form: string, login: string): Promise<string> {
    const submit = (url: string, fields: Record<string, string>) =>
      client.follow(url, this.origin, { method: 'POST', body: new URLSearchParams(fields) });
    const consent = await submit(form, { prompt: 'login', login, password: 'x' });
    return (await submit(consent.url, { prompt: 'consent' })).url;
  }

  /** The whole way. @returns where the browser is in the end */
  async signIn(client: CookieClient, login: string, returnPath?: string): Promise<string> {
    const back = await this.approve(client, await this.begin(client, returnPath), login);
    return this.comeBack(client, back);
  }

  async comeBack(client: CookieClient, back: string): Promise<string> {
    const response = await client.ask(back);
    expect(response.status).toBe(303);
    return response.headers.get('location')!;
  }

  async ask(client: CookieClient, query: string, headers: Record<string, string> = {}, path = '/graphql') {
    const response = await client.ask(this.origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: new URL(this.origin).origin, ...headers },
      body: JSON.stringify({ query }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.site[Symbol.asyncDispose]();
    await this.provider[Symbol.asyncDispose]();
  }
}
const place = await Place.open();
afterAll(() => place[Symbol.asyncDispose]());

describe('by OpenID Connect', () => {
  test.each([
    ['ann', 'platform:admin'],
    ['sue', 'platform:support'],
    ['vic', 'platform:read'],
    ['two', 'platform:support'],
  ])('%s signs in for eight hours with %s, and comes to where they wanted', async (login, scope) => {
    const client = place.client();
    expect(await place.signIn(client, login)).toBe('/console/tenants?name=x');
    const { body } = await place.ask(client, VIEWER);
    const { apiKey, ...rest } = body.data.viewer;
    expect(rest).toEqual({ scopes: [scope], tenant: null });
    expect(apiKey.name).toBe(`console: ${login}@example.com (${login})`);
    const left = Date.parse(apiKey.expiresAt) - Date.now();
    expect(left).toBeGreaterThan(28_700_000);
    expect(left).toBeLessThanOrEqual(28_800_000);
    const ways = await client.ask(`${place.origin}/console/oidc`);
    expect(await ways.json()).toEqual({
      oidc: { name: 'Example <SSO>', url: `${place.origin}/console/oidc/start` },
      isSignedIn: true,
      keyFile: null,
      program: './hookwright',
    });
  });

  test('a client with a secret, an ID token that says all, and cookies for this host alone over https', async () => {
    const options = { publicUrl: 'https://console.example.com', clientSecret: 'c/%:+&', wholeIdToken: true };
    await using secure = await Place.open(options);
    const client = secure.client();
    expect(await secure.signIn(client, 'vic')).toBe('/console/tenants?name=x');
    const { body } = await secure.ask(client, VIEWER);
    expect(body.data.viewer.scopes).toEqual(['platform:read']);
    const ours = client.set.filter((text) => text.startsWith('__Host-'));
    expect(ours.map((text) => text.replace(/=[^;]*/, '')).sort()).toEqual([
      '__Host-hookwright-former; Path=/; Max-Age=28800; HttpOnly; SameSite=Lax; Secure',
      '__Host-hookwright-sign-in; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
      '__Host-hookwright-sign-in; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure',
      '__Host-hookwright; Path=/; Max-Age=28800; HttpOnly; SameSite=Strict; Secure',
    ]);
  });

  test('below a path: the provider sends back there, and cookies are for that path alone', async () => {
    await using below = await Place.open({ publicUrl: 'https://example.com/hooks' });
    const client = below.client();
    expect(await below.signIn(client, 'vic', '/hooks/console/tenants?name=x')).toBe('/hooks/console/tenants?name=x');
    const { body } = await below.ask(client, VIEWER);
    expect(body.data.viewer.scopes).toEqual(['platform:read']);
    const ours = client.set.filter((text) => text.includes('hookwright'));
    expect(ours.map((text) => text.replace(/=[^;]*/, '')).sort()).toEqual([
      '__Secure-hookwright-former; Path=/hooks; Max-Age=28800; HttpOnly; SameSite=Lax; Secure',
      '__Secure-hookwright-sign-in; Path=/hooks; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
      '__Secure-hookwright-sign-in; Path=/hooks; Max-Age=600; HttpOnly; SameSite=Lax; Secure',
      '__Secure-hookwright; Path=/hooks; Max-Age=28800; HttpOnly; SameSite=Strict; Secure',
    ]);
    // Another application of the origin is not the console.
    expect(await below.signIn(below.client(), 'vic', '/console')).toBe('/hooks/console');
    expect((await below.ask(client, VIEWER, { origin: 'https://example.com/hooks' })).status).toBe(401);
  });

  test.each([
    ['https://evil.example/console/'],
    ['//evil.example/console/'],
    ['/\\evil.example/console/'],
    ['/console/../graphql'],
    ['/consoles'],
    ['/console/oidc/start'],
    ['javascript:alert(1)'],
  ])('to return to %s is to return to the console', async (path) => {
    expect(await place.signIn(place.client(), 'vic', path)).toBe('/console');
  });
});

describe('nobody is signed in', () => {
  const warn = vi.spyOn(place.site.services.log, 'warn');
  afterAll(() => warn.mockRestore());
  const warned = () => String(warn.mock.lastCall?.[1]);

  async function expectNobody(client: CookieClient): Promise<void> {
    expect(client.cookie(place.origin, place.sessionCookie)).toBeUndefined();
    expect((await place.ask(client, VIEWER)).status).toBe(401);
  }

  test('who has no role here', async () => {
    const client = place.client();
    expect(await place.signIn(client, 'out')).toBe('/console/tenants?name=x#sign-in=role');
    await expectNobody(client);
    expect(warned()).toMatch(
      /the claim groups of out is \["staff"\], and gives no role: roles need one of hooks-admin, /,
    );
    expect(await place.signIn(place.client(), 'non')).toBe('/console/tenants?name=x#sign-in=role');
    expect(warned()).toMatch(/the provider sends no claim groups of non, only sub, .*email.*: see OIDC_ROLES_CLAIM/);
  });

  test('who says no at the provider', async () => {
    const client = place.client();
    const form = await place.begin(client);
    const { url } = await client.follow(`${form}/abort`, place.origin);
    expect(await place.comeBack(client, url)).toBe('/console/tenants?name=x#sign-in=denied');
    await expectNobody(client);
    expect(warned()).toContain('said no (access_denied: End-User aborted interaction)');
  });

  test('in another browser than the one that began, or when its ten minutes are over', async () => {
    const client = place.client();
    const back = await place.approve(client, await place.begin(client), 'ann');
    const other = place.client();
    expect(await place.comeBack(other, back)).toBe('/console#sign-in=stale');
    await expectNobody(other);
  });

  test('with the state of another sign-in', async () => {
    const client = place.client();
    const back = await place.approve(client, await place.begin(client), 'ann');
    const other = place.client();
    await place.begin(other, '/console/keys');
    expect(await place.comeBack(other, back)).toBe('/console/keys#sign-in=stale');
    await expectNobody(other);
  });

  test('with a code that was used', async () => {
    const client = place.client();
    const back = await place.approve(client, await place.begin(client), 'ann');
    const other = place.client();
    other.keep(place.origin, place.flowCookie, client.cookie(place.origin, place.flowCookie)!);
    expect(await place.comeBack(client, back)).toBe('/console/tenants?name=x');
    expect(await place.comeBack(other, back)).toBe('/console/tenants?name=x#sign-in=stale');
    await expectNobody(other);
  });

  test.each([
    ['nonce', 'provider'],
    ['codeVerifier', 'stale'],
  ])('with another %s than the one of its beginning', async (part, why) => {
    const client = place.client();
    const back = await place.approve(client, await place.begin(client), 'ann');
    const flow = JSON.parse(Buffer.from(client.cookie(place.origin, place.flowCookie)!, 'base64url').toString());
    const wrong = { ...flow, [part]: 'x'.repeat(43) };
    client.keep(place.origin, place.flowCookie, Buffer.from(JSON.stringify(wrong)).toString('base64url'));
    expect(await place.comeBack(client, back)).toBe(`/console/tenants?name=x#sign-in=${why}`);
    await expectNobody(client);
  });

  test.each([
    ['', 'x'],
    ['?code=1&state=2', 'e30'],
    ['?error=server_error&state=2', ''],
    ['?state=%00&state=2', 'bm8'],
    ['?', 'W10'],
  ])('whatever is in the callback (%s) and in the cookie (%s)', async (search, cookie) => {
    const client = place.client();
    client.keep(place.origin, place.flowCookie, cookie);
    const back = `${place.origin}/console/oidc/callback${search}`;
    expect(await place.comeBack(client, back)).toBe('/console#sign-in=stale');
  });

  test('while the provider is away; the service starts all the same, and signs in when it is back', async () => {
    await using away = await Place.open();
    await away.provider[Symbol.asyncDispose]();
    const client = away.client();
    const start = `${away.origin}/console/oidc/start?return=/console/keys`;
    expect(await away.comeBack(client, start)).toBe('/console/keys#sign-in=provider');
    expect((await away.site.get('/health/ready')).status).toBe(200);
    const port = Number(new URL(away.provider.issuer).port);
    await using _back = await OpenIdProvider.start({ consoleUrl: `${away.origin}/console`, port });
    expect(await away.signIn(client, 'vic', '/console/keys')).toBe('/console/keys');
  });
});

describe('the provider', () => {
  test('is read again after an hour', async () => {
    let nowMs = Date.now();
    await using own = await Place.open({ clock: () => new Date(nowMs) });
    const start = () => own.client().ask(`${own.origin}/console/oidc/start`);
    const { discoveries } = own.provider;
    await start();
    nowMs += 3_599_999;
    await start();
    expect(own.provider.discoveries - discoveries).toBe(1);
    nowMs += 1;
    await start();
    await start();
    expect(own.provider.discoveries - discoveries).toBe(2);
  });

  test('is read again after it has failed: it may have moved', async () => {
    await using own = await Place.open();
    expect(await own.signIn(own.client(), 'ann', '/console')).toBe('/console');
    await own.provider[Symbol.asyncDispose]();
    const port = Number(new URL(own.provider.issuer).port);
    await using _moved = await OpenIdProvider.start({ consoleUrl: `${own.origin}/console`, port, tokenPath: '/moved' });
    expect(await own.signIn(own.client(), 'ann', '/console')).toBe('/console#sign-in=provider');
    expect(await own.signIn(own.client(), 'ann', '/console')).toBe('/console');
  });

  test.each([false, true])(
    'signs in nobody without a subject (all claims in the ID token: %s)',
    async (wholeIdToken) => {
      await using own = await Place.open({ wholeIdToken });
      const client = own.client();
      expect(await own.signIn(client, ' ', '/console')).toBe('/console#sign-in=provider');
      expect((await own.ask(client, VIEWER)).status).toBe(401);
    },
  );
});

const BASIC = `Basic ${btoa('proxy:password')}`;

describe('the cookie of a session', () => {
  let client: CookieClient;
  beforeAll(async () => {
    client = place.client();
    await place.signIn(client, 'ann');
  });

  test.each<[string, Record<string, string>]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['no origin', { origin: '' }],
    ['an opaque origin', { origin: 'null' }],
    ['another port of this host', { origin: 'http://127.0.0.1:1' }],
    ['another site, as the browser says', { 'sec-fetch-site': 'cross-site' }],
    ['another origin of this site, as the browser says', { 'sec-fetch-site': 'same-site' }],
    ['a page that has a key, which is wrong', { authorization: 'Bearer hw_1_wrong' }],
    ['GraphiQL before it has a key', { authorization: 'Bearer' }],
    ['another origin, with the password of a proxy', { authorization: BASIC, origin: 'https://evil.example' }],
    ['a page that sends two kinds', { authorization: `Bearer x, ${BASIC}` }],
  ])('is nothing in a request of %s', async (_name, headers) => {
    expect((await place.ask(client, VIEWER, headers)).status).toBe(401);
    expect(
      (await place.ask(client, 'subscription { webhookUpdated { cursor } }', headers, '/graphql/stream')).status,
    ).toBe(401);
    const signOut = await client.ask(`${place.origin}/console/oidc/sign-out`, {
      method: 'POST',
      headers: { origin: place.origin, ...headers },
    });
    expect(signOut.status).toBe(401);
    expect((await place.ask(client, VIEWER)).status).toBe(200);
  });

  test('counts beside the password that a browser sends to a proxy', async () => {
    const own = place.client();
    await place.signIn(own, 'vic');
    const headers = { authorization: BASIC };
    expect((await place.ask(own, VIEWER, headers)).body.data.viewer.apiKey.name).toContain('vic');
    expect((await place.ask(place.client(), VIEWER, headers)).status).toBe(401);
    const signOut = { method: 'POST', headers: { ...headers, origin: place.origin } };
    expect((await own.ask(`${place.origin}/console/oidc/sign-out`, signOut)).status).toBe(200);
  });

  test('is nothing in a GET, and nothing to REST', async () => {
    const headers = { origin: place.origin, 'apollo-require-preflight': '1' };
    const query = new URLSearchParams({ query: VIEWER });
    for (const more of [{}, { authorization: BASIC }]) {
      const asked = await client.ask(`${place.origin}/graphql?${query}`, { headers: { ...headers, ...more } });
      expect(asked.status).toBe(401);
    }
    expect((await client.ask(`${place.origin}/api/v1/webhooks`, { headers })).status).toBe(401);
  });

  test('opens streams, and ends them with the session', async () => {
    const { id } = await makeTenant(place.site.services);
    const own = place.client();
    await place.signIn(own, 'vic');
    const response = await own.ask(`${place.origin}/graphql/stream`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        origin: place.origin,
        'hookwright-tenant': String(id),
      },
      body: JSON.stringify({ query: 'subscription { webhookUpdated { cursor } }' }),
    });
    expect(response.status).toBe(200);
    await signOut(own);
    expect(await response.text()).toContain('unauthenticated');
  });

  async function signOut(who: CookieClient): Promise<Response> {
    const headers = { origin: place.origin };
    return who.ask(`${place.origin}/console/oidc/sign-out`, { method: 'POST', headers });
  }

  test('ends when the person signs out, and leads to where the provider signs them out', async () => {
    const own = place.client();
    await place.signIn(own, 'ann');
    const cookie = own.cookie(place.origin, place.sessionCookie)!;
    const response = await signOut(own);
    expect(response.status).toBe(200);
    const url = new URL(((await response.json()) as { url: string }).url);
    expect(url.origin).toBe(place.provider.issuer);
    expect(url.searchParams.get('client_id')).toBe('hookwright');
    expect((await own.follow(url.href)).response.status).toBe(200);
    expect(own.cookie(place.origin, place.sessionCookie)).toBeUndefined();
    own.keep(place.origin, place.sessionCookie, cookie);
    expect((await place.ask(own, VIEWER)).status).toBe(401);
    expect((await signOut(own)).status).toBe(200);
    const log = await place.ask(client, '{ auditLog(first: 1) { edges { node { action actor before } } } }');
    expect(log.body.data.auditLog.edges[0].node).toEqual({
      action: 'API_KEY_REVOKED',
      actor: 'PLATFORM_KEY',
      before: { name: 'console: ann@example.com (ann)' },
    });
  });
});

describe('signing in again', () => {
  const isIn = async (client: CookieClient) => (await place.ask(client, VIEWER)).status === 200;

  /** A browser that has only the cookies of another one's session, as they were. */
  function copyOf(client: CookieClient): CookieClient {
    const copy = place.client();
    copy.keep(place.origin, place.sessionCookie, client.cookie(place.origin, place.sessionCookie)!);
    return copy;
  }

  test('ends the former session of the same browser, with what was made in it, and no other', async () => {
    const { id } = await makeTenant(place.site.services);
    const [browser, other] = [place.client(), place.client()];
    await place.signIn(browser, 'ann');
    await place.signIn(other, 'ann');
    const former = copyOf(browser);
    const make =
      'mutation { createApiKey(input: {name: "x", scopes: ["events:read"], expiresInSeconds: 600}) { key } }';
    const { key } = (await place.ask(browser, make, { 'hookwright-tenant': String(id) })).body.data.createApiKey;
    expect((await place.site.ask(VIEWER, {}, key)).status).toBe(200);
    // Browsers send no strict cookie with what comes back from the provider's site, which knows the person by now.
    browser.keep(place.origin, place.sessionCookie, '');
    expect(await place.begin(browser)).toBe(`${place.origin}/console/tenants?name=x`);
    expect(await Promise.all([browser, other, former].map(isIn))).toEqual([true, true, false]);
    expect((await place.site.ask(VIEWER, {}, key)).status).toBe(401);
    const log = await place.ask(other, '{ auditLog(first: 1) { edges { node { action actor before } } } }');
    expect(log.body.data.auditLog.edges[0].node).toEqual({
      action: 'API_KEY_REVOKED',
      actor: 'PLATFORM_KEY',
      before: { name: 'console: ann@example.com (ann)' },
    });
    const signedIn = await place.ask(
      other,
      '{ apiKeys(first: 2, filter: {active: true, consoleSession: true}) { edges { node { name } } } }',
    );
    expect(signedIn.body.data.apiKeys.edges.map(({ node }: { node: { name: string } }) => node.name)).toEqual([
      'console: ann@example.com (ann)',
      'console: ann@example.com (ann)',
    ]);
  });

  test('ends nothing by a forged cookie, and no key that is not a session', async () => {
    const { db, random } = place.site.services;
    const lasting = { tenantId: null, name: 'lasting', scopes: ['platform:read'], by: service } as const;
    const { id, key } = await createApiKey(db, random, lasting);
    const victim = place.client();
    await place.signIn(victim, 'ann');
    const name = `${place.sessionCookie}-former`;
    const mark = victim.cookie(place.origin, name)!;
    const number = mark.split('.')[0];
    const forged = [`${number}.${'A'.repeat(43)}`, `${number}.`, number!, 'x', `${'9'.repeat(16)}.${'A'.repeat(43)}`];
    for (const value of [...forged, `${id}.${hash('sha256', key, 'base64url')}`]) {
      const client = place.client();
      client.keep(place.origin, name, value);
      expect(await place.signIn(client, 'vic')).toBe('/console/tenants?name=x');
    }
    expect(await isIn(victim)).toBe(true);
    expect((await place.site.ask(VIEWER, {}, key)).status).toBe(200);
    expect(mark).not.toContain(victim.cookie(place.origin, place.sessionCookie)!.slice(5));
  });
});

describe('what a role may do', () => {
  const makeWebhook =
    'mutation { createWebhook(input: {url: "https://a.example.com/", eventTypes: ["*"]}) { webhook { id } } }';
  const makeOther = 'mutation { createTenant(input: {name: "other"}) { tenant { id } } }';
  const makeKeyOf = (scope: string) =>
    `mutation { createApiKey(input: {name: "x", scopes: ["${scope}"], expiresInSeconds: 60}) { key } }`;
  const reasonsOf = ({ body }: { body: { errors?: { extensions: { reason: string } }[] } }) =>
    body.errors?.map(({ extensions }) => extensions.reason) ?? [];

  test('a viewer reads everything of the installation and of tenants, and changes nothing', async () => {
    const { id } = await makeTenant(place.site.services);
    const client = place.client();
    await place.signIn(client, 'vic');
    const at = { 'hookwright-tenant': String(id) };
    const everything =
      '{ webhooks { edges { cursor } } events { edges { cursor } } apiKeys { edges { cursor } } portalSessions { edges { cursor } } auditLog { edges { node { action actor } } } }';
    const { body } = await place.ask(client, everything, at);
    expect(body.errors).toBeUndefined();
    expect(body.data.auditLog.edges).toContainEqual({ node: { action: 'TENANT_ENTERED', actor: 'PLATFORM_KEY' } });
    const ofAll = '{ tenants { edges { cursor } } installation { examinedAt } apiKeys { edges { cursor } } }';
    expect((await place.ask(client, ofAll)).body.errors).toBeUndefined();
    for (const change of [makeWebhook, makeOther, makeKeyOf('webhooks:read')]) {
      expect(reasonsOf(await place.ask(client, change, at))).toEqual(['scope_missing']);
    }
    expect(reasonsOf(await place.ask(client, makeKeyOf('platform:read')))).toEqual(['scope_missing']);
  });

  test('support acts for tenants, and changes nothing of the installation', async () => {
    const { id } = await makeTenant(place.site.services);
    const client = place.client();
    await place.signIn(client, 'sue');
    const at = { 'hookwright-tenant': String(id) };
    for (const change of [makeWebhook, makeKeyOf('webhooks:read')]) {
      expect((await place.ask(client, change, at)).body.errors).toBeUndefined();
    }
    expect(reasonsOf(await place.ask(client, makeOther))).toEqual(['scope_missing']);
    expect(reasonsOf(await place.ask(client, makeKeyOf('platform:read')))).toEqual(['scope_missing']);
    const { body } = await place.ask(client, VIEWER);
    expect(body.data.viewer.scopes).toEqual(['platform:support']);
    const own = await place.ask(client, '{ viewer { apiKey { id } } }');
    const revoke = `mutation { revokeApiKey(input: {id: "${own.body.data.viewer.apiKey.id}"}) { apiKey { id } } }`;
    expect(reasonsOf(await place.ask(client, revoke))).toEqual(['scope_missing']);
  });

  test('an admin does everything', async () => {
    const client = place.client();
    await place.signIn(client, 'ann');
    for (const change of [makeOther, makeKeyOf('platform:admin')]) {
      expect((await place.ask(client, change)).body.errors).toBeUndefined();
    }
  });
});

test('with DASHBOARD=off nothing begins, and the cookie of a session counts nowhere', async () => {
  const { provider, origin } = place;
  await using off = await DashboardSite.open({ settings: { ...provider.settings(origin), DASHBOARD: 'off' } });
  const { key } = await createApiKey(off.services.db, off.services.random, {
    tenantId: null,
    name: 'console: ann@example.com (ann)',
    scopes: ['platform:admin'],
    by: service,
  });
  const response = await fetch(`${off.origin}/graphql`, {
    method: 'POST',
    headers: { origin, cookie: `${place.sessionCookie}=${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: VIEWER }),
  });
  expect(response.status).toBe(401);
  expect((await off.get('/console/oidc/start')).status).toBe(404);
});

test('where no provider is set nothing begins, and the page knows', async () => {
  await using site = await DashboardSite.open();
  const ways = { oidc: null, isSignedIn: false, keyFile: null, program: './hookwright' };
  expect(await (await site.get('/console/oidc')).json()).toEqual(ways);
  expect((await site.get('/console/oidc/callback?code=1')).headers.get('set-cookie')).toBeNull();
});
