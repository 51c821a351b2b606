import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { OneTimeCode } from '../../src/api/dashboard/one-time-code.js';
import { DashboardSite } from '../support/dashboard-site.js';
import { makeKey, makeTenant, TestClock } from '../support/factories.js';

test('the link of the start signs in once, with a platform key for twelve hours that says what it is', async () => {
  const code = new OneTimeCode(randomBytes);
  await using site = await DashboardSite.open({ startCode: code });
  expect((await site.send('/console/sign-in', { code: 'x'.repeat(43) })).status).toBe(404);
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => site.send('/console/sign-in', { code: code.text })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)]);
  const { headers, body } = answers.find(({ status }) => status === 200)!;
  expect(headers.get('cache-control')).toBe('no-store');
  expect(Object.keys(body).sort()).toEqual(['expiresAt', 'token']);
  const left = Date.parse(body.expiresAt) - Date.now();
  expect(left).toBeGreaterThan(43_100_000);
  expect(left).toBeLessThanOrEqual(43_200_000);
  const { data } = await site.ask('{ viewer { scopes tenant { id } apiKey { name } } }', {}, body.token);
  expect(data.viewer).toEqual({
    scopes: ['platform:admin'],
    tenant: null,
    apiKey: { name: 'console, signed in by the link of the start' },
  });
  const log = await site.ask('{ auditLog(first: 1) { edges { node { action actor } } } }', {}, body.token);
  expect(log.data.auditLog.edges).toEqual([{ node: { action: 'API_KEY_CREATED', actor: 'SERVICE' } }]);
});

test('signing out ends the session of the link, and no key that somebody has pasted', async () => {
  const code = new OneTimeCode(randomBytes);
  await using site = await DashboardSite.open({ startCode: code });
  const { token } = (await site.send('/console/sign-in', { code: code.text })).body;
  const pasted = [await makeKey(site.services, null, ['platform:admin']), await makeTenant(site.services)];
  const signOut = async (key: string) =>
    (await fetch(`${site.origin}/console/sign-out`, { method: 'POST', headers: { authorization: `Bearer ${key}` } }))
      .status;
  const isIn = async (key: string) => (await site.ask('{ viewer { scopes } }', {}, key)).status === 200;
  for (const { key } of pasted) {
    expect([await signOut(key), await isIn(key)]).toEqual([204, true]);
  }
  expect([await isIn(token), await signOut(token), await isIn(token)]).toEqual([true, 204, false]);
  expect([await signOut(token), await signOut('hw_1_x')]).toEqual([401, 401]);
  expect((await fetch(`${site.origin}/console/sign-out`, { method: 'POST' })).status).toBe(401);
});

test('the link of the start works for ten minutes', () => {
  const clock = new TestClock();
  const early = new OneTimeCode(randomBytes, clock.monotonic);
  const late = new OneTimeCode(randomBytes, clock.monotonic);
  clock.advance(599_000);
  expect(early.take(early.text)).toBe(true);
  clock.advance(1_001);
  expect(late.take(late.text)).toBe(false);
});

test('where the start printed no link, none signs in', async () => {
  await using site = await DashboardSite.open();
  expect((await site.send('/console/sign-in', { code: '' })).status).toBe(404);
});
