import { afterAll, describe, expect, test } from 'vitest';
import { builtPages, DashboardSite } from '../support/dashboard-site.js';
import { makeTenant } from '../support/factories.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const site = await DashboardSite.open();
const tenant = await makeTenant(site.services);
afterAll(() => site[Symbol.asyncDispose]());

/** The script in the page itself is known by its hash. */
const policy =
  "default-src 'none'; script-src 'self' 'sha256-CImjRDTlhukYQ2AnxOi0wzgPhGQ3Mb3rVwJK24dFz1M='; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";
const headersOf = (response: Response, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, response.headers.get(name)]));

describe('a page', () => {
  test.each([
    ['portal', '/portal'],
    ['portal', '/portal/'],
    ['portal', '/portal/endpoints/wh_12?range=7d'],
    ['portal', '/portal/s/0000000000000000000000'],
    ['portal', '/portal/s/%00'],
    ['portal', '/portal/s/a/b'],
    ['console', '/console'],
    ['console', '/console/'],
    ['console', '/console/tenants/tn_3'],
    ['console', '/console/sign-in'],
  ])('of the %s is at %s, may be in no frame, and loads nothing of others', async (page, path) => {
    const response = await site.get(path);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(`<title>${page}</title>`);
    expect(
      headersOf(
        response,
        'content-type',
        'content-security-policy',
        'cache-control',
        'referrer-policy',
        'x-content-type-options',
        'cross-origin-resource-policy',
        'cross-origin-opener-policy',
        'set-cookie',
      ),
    ).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `${policy}; frame-ancestors 'none'`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'set-cookie': null,
    });
  });

  test('of a session may be in frames of the origins that the session names, and of no others', async () => {
    const framed = await site.session(tenant.key, {
      parentOrigins: ['https://app.example.com', 'http://localhost:3000', 'https://app.example.com'],
    });
    const other = await site.session(tenant.key, { parentOrigins: ['https://other.example.com:8443'] });
    const alone = await site.session(tenant.key);
    const ancestors = async ({ path }: { path: string }) =>
      (await site.get(path)).headers.get('content-security-policy')?.split('; ').at(-1);
    expect(await ancestors(framed)).toBe('frame-ancestors https://app.example.com http://localhost:3000');
    expect(await ancestors(other)).toBe('frame-ancestors https://other.example.com:8443');
    expect(await ancestors(alone)).toBe("frame-ancestors 'none'");
  });

  test('is what a browser gets for /, and a program gets the directory', async () => {
    const visit = await site.get('/', { accept: 'text/html,application/xhtml+xml' });
    expect(visit.status).toBe(303);
    expect(visit.headers.get('location')).toBe('/console');
    expect(await (await site.get('/', { accept: '*/*' })).json()).toMatchObject({ console: '/console' });
  });
});

describe('an address that a person opens', () => {
  const VISIT = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  test.each(['/consol', '/portals/s/x', '/Console', '/problems/none', '/health/none'])(
    'is a page where there is nothing, as at %s; a program gets JSON',
    async (path) => {
      const response = await site.get(path, VISIT);
      expect(response.status).toBe(404);
      expect(headersOf(response, 'content-type', 'cache-control')).toEqual({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
      });
      expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      const page = await response.text();
      expect(page).toContain('<h1>There is no such page.</h1>');
      expect(page).toContain(response.headers.get('x-request-id'));
      expect((await site.get(path)).headers.get('content-type')).toContain('json');
    },
  );

  test('speaks German to who does', async () => {
    const page = await (await site.get('/consol', { ...VISIT, 'accept-language': 'de-AT,de;q=0.9' })).text();
    expect(page).toContain('<h1>Diese Seite gibt es nicht.</h1>');
  });

  test('shows the id of a request as text', async () => {
    const page = await (await site.get('/a"<b>/c', { ...VISIT })).text();
    expect(page).not.toContain('<b>');
  });

  test('is JSON below /api, as for a program', async () => {
    const response = await site.get('/api/v1/none', VISIT);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
  });

  test('waits and tries again when there were too many requests', async () => {
    await using limited = await DashboardSite.open({ settings: { ANONYMOUS_RATE_MAX: '1' } });
    let response: Response;
    do {
      response = await limited.get('/portal', VISIT);
    } while (response.status === 200);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    const page = await response.text();
    expect(page).toMatch(/<html lang="en" data-again="\d+">/);
    expect(page).toContain('This page tries again by itself.');
  });
});

describe('an asset', () => {
  test('never changes under its name, and comes compressed to whoever takes it so', async () => {
    const path = '/dashboard/assets/portal-4f2a.js';
    const compressed = await site.get(path, { 'accept-encoding': 'br' });
    const plain = await site.get(path, { 'accept-encoding': 'identity' });
    for (const response of [compressed, plain]) {
      expect(response.status).toBe(200);
      expect(await response.text()).toBe(builtPages['assets/portal-4f2a.js']);
      expect(
        headersOf(response, 'cache-control', 'x-content-type-options', 'cross-origin-resource-policy', 'vary'),
      ).toEqual({
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        vary: 'accept-encoding',
      });
      expect(response.headers.get('content-type')).toMatch(/^(text|application)\/javascript/);
    }
    expect(compressed.headers.get('content-encoding')).toBe('br');
    expect(plain.headers.get('content-encoding')).toBeNull();
  });

  test.each([
    'missing-0000.js',
    '..%2fportal.html',
    '..%2f..%2fpackage.json',
    '%2e%2e%2fportal.html',
    '.hidden',
    '',
    '%00',
    'a%2f%2fb',
    'x'.repeat(300),
  ])('that is not there, as %j, is a 404 that nobody keeps', async (name) => {
    const response = await site.get(`/dashboard/assets/${name}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'not_found', status: 404 });
    expect(String(response.headers.get('cache-control'))).not.toMatch(/max-age|immutable/);
  });

  test('does not count as a request without a key, and a page does', async () => {
    await using limited = await DashboardSite.open({ settings: { ANONYMOUS_RATE_MAX: '1' } });
    const statuses = async (path: string, count: number) => {
      const found = new Set<number>();
      for (let index = 0; index < count; index += 1) {
        found.add((await limited.get(path)).status);
      }
      return [...found];
    };
    expect(await statuses('/dashboard/assets/portal-4f2a.js', 15)).toEqual([200]);
    expect(await statuses('/portal', 15)).toEqual([200, 429]);
  });
});

test('the script that embeds the portal is for pages of every origin, and five minutes old at most', async () => {
  const response = await site.get('/portal/embed.js');
  expect(await response.text()).toBe(builtPages['embed.js']);
  expect(
    headersOf(
      response,
      'access-control-allow-origin',
      'cache-control',
      'cross-origin-resource-policy',
      'x-content-type-options',
    ),
  ).toEqual({
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=300',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  });
});

test('a service whose pages were not built says how to build them', async () => {
  await using bare = await DashboardSite.open({ folder: `${temporaryFolder()}/dashboard` });
  for (const path of ['/portal', '/console/tenants', '/portal/embed.js', '/dashboard/assets/a.js']) {
    const response = await bare.get(path);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining('npm run build') });
    expect(response.headers.get('cache-control'), path).toBe('no-store');
  }
});

test('DASHBOARD=off takes the pages, the exchange of codes and the making of sessions away', async () => {
  await using off = await DashboardSite.open({ settings: { DASHBOARD: 'off' } });
  const { key } = await makeTenant(off.services);
  for (const path of ['/portal', '/portal/s/0000000000000000000000', '/console', '/portal/embed.js']) {
    expect((await off.get(path)).status, path).toBe(404);
  }
  expect((await off.send('/portal/s/0000000000000000000000', { code: 'x' })).status).toBe(404);
  await expect(off.session(key)).rejects.toThrow('DASHBOARD=off');
  const directory = await off.get('/', { accept: 'text/html' });
  expect(directory.status).toBe(200);
  expect(await directory.json()).not.toHaveProperty('console');
});
