import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import type { OpenedPage, PageOptions } from '../support/browser/open-page.js';
import { DashboardSite } from '../support/dashboard-site.js';
import { makeTenant } from '../support/factories.js';
import { ownPort } from '../support/loopback.js';
import { OpenIdProvider } from '../support/openid-provider.js';

let site: DashboardSite;
let provider: OpenIdProvider;
beforeAll(async () => {
  const port = await ownPort();
  const origin = `http://127.0.0.1:${port}`;
  provider = await OpenIdProvider.start({ consoleUrl: `${origin}/console`, clientSecret: 'c' });
  site = await DashboardSite.open({
    settings: provider.settings(origin, 'c'),
    port,
    folder: join(import.meta.dirname, '../../dist/dashboard'),
  });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

type Open = (options?: PageOptions & { allow?: readonly RegExp[] }) => Promise<OpenedPage>;

/** The provider's own pages load a font of another host. */
async function openConsole(open: Open, path: string, more: readonly RegExp[] = []): Promise<Page> {
  const allow = [...more, /googleapis/, new RegExp(`\\(${provider.issuer}`), /ERR_FAILED/];
  const { page } = await open({ origin: site.origin, allow });
  await page.route(/googleapis/, (route) => route.abort());
  await page.goto(path);
  return page;
}

async function signIn(page: Page, login: string): Promise<void> {
  await page.getByRole('link', { name: 'Sign in with Example <SSO>' }).click();
  await page.getByPlaceholder('Enter any login').fill(login);
  await page.getByPlaceholder('and password').fill('x');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

describe('signing in to the console by OpenID Connect', () => {
  browserTest('leads back to the page that was wanted; a viewer is offered no change', async ({ open }) => {
    const { id } = await makeTenant(site.services);
    const page = await openConsole(open, '/console/tenants?name=tenant');
    await page.getByRole('link', { name: 'Sign in with Example <SSO>' }).waitFor();
    expect(await page.getByLabel('API key').isVisible()).toBe(false);
    expect(await axeViolations(page)).toEqual([]);
    await signIn(page, 'vic');
    await page.getByRole('heading', { level: 1, name: 'Tenants' }).waitFor();
    expect(page.url()).toBe(`${site.origin}/console/tenants?name=tenant`);
    await page.getByRole('table', { name: 'Tenants' }).getByRole('link').first().waitFor();
    expect(await page.getByRole('button', { name: 'Add a tenant' }).count()).toBe(0);
    expect(await page.evaluate('document.cookie')).toBe('');

    await page.goto(`/console/tenants/${id}/endpoints`);
    await page.getByRole('heading', { level: 1, name: 'Endpoints' }).waitFor();
    const screens = page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
    expect(await screens.allInnerTexts()).not.toContain('Settings');
    expect(await page.getByRole('link', { name: /^(Add|Create|New)/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('table', { name: 'Keys' }).waitFor();
    expect(await page.getByRole('button', { name: /Create a key|Revoke/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('button', { name: 'Tenant entered by the operator' }).first().waitFor();
  });

  browserTest('an admin is offered every change, and signs out here and at the provider', async ({ open }) => {
    const page = await openConsole(open, '/console/tenants');
    await signIn(page, 'ann');
    await page.getByRole('button', { name: 'Add a tenant' }).first().waitFor();
    await page.getByRole('link', { name: 'Platform keys' }).click();
    await page.getByText('You use this one').waitFor();
    await page.getByText('console: ann@example.com (ann)').first().waitFor();
    await page.getByRole('button', { name: 'Create a key' }).first().click(); // the empty list has one too
    await page.getByLabel('Name').fill('monitor');
    await page.getByLabel(/^view everything of all tenants/).check();
    await page.getByText('A key cannot outlive the session that created it.').waitFor();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByText(/^hw_\d+_\w+$/).waitFor();
    await page.getByRole('button', { name: 'Copy the key' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Preferences' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.getByRole('link', { name: 'Sign in with Example <SSO>' }).waitFor();
    expect(page.url()).toBe(`${site.origin}/console`);
    await page.reload();
    await page.getByText('Use a key').click();
    await page.getByLabel('API key').waitFor();
    expect(await page.getByText('api-key').count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
  });

  browserTest('an admin sees who is signed in, and signs somebody out', async ({ open }) => {
    const support = await openConsole(open, '/console/tenants', [/status of 401/]);
    await signIn(support, 'two');
    await support.getByRole('heading', { level: 1, name: 'Tenants' }).waitFor();
    const page = await openConsole(open, '/console/keys');
    await signIn(page, 'ann');
    const people = page.getByRole('table', { name: 'Console sessions' });
    await people.getByText('You use this one').waitFor();
    expect(await page.getByRole('table', { name: 'Keys' }).getByText('console: two').count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    const row = people.getByRole('row').filter({ hasText: 'console: two@example.com (two)' });
    await row.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'End the session' }).click();
    await page.getByText('The session has ended.').waitFor();
    await row.waitFor({ state: 'detached' });
    await support.getByRole('link', { name: 'Platform keys' }).click();
    await support.getByText('Your session has ended. Sign in again.').waitFor();
  });

  browserTest('signing in again ends the session that the browser had', async ({ open }) => {
    const page = await openConsole(open, '/console/tenants');
    await signIn(page, 'vic');
    await page.getByRole('heading', { level: 1, name: 'Tenants' }).waitFor();
    const alive = async () => {
      const { rows } = await site.owner.query(
        `select id from hookwright.api_keys where name like 'console: vic%' and revoked_at is null order by id`,
      );
      return rows.map(({ id }) => Number(id));
    };
    const before = await alive();
    await page.goto('/console/oidc/start?return=/console/tenants'); // the provider still knows the person
    await page.getByRole('heading', { level: 1, name: 'Tenants' }).waitFor();
    const after = await alive();
    expect(after).toHaveLength(before.length);
    expect(before).not.toContain(after.at(-1));
  });

  browserTest('who has no role, or says no, is told so', async ({ open }) => {
    const page = await openConsole(open, '/console/keys');
    await signIn(page, 'out');
    await page.getByText('gives you no role here').waitFor();
    expect(page.url()).toBe(`${site.origin}/console/keys`);
    expect(await axeViolations(page)).toEqual([]);

    const other = await openConsole(open, '/console');
    await other.getByRole('link', { name: 'Sign in with Example <SSO>' }).click();
    await other.getByRole('link', { name: 'Cancel' }).click();
    await other.getByText('declined the sign-in').waitFor();
  });

  browserTest('a session that was revoked ends on the page', async ({ open }) => {
    const page = await openConsole(open, '/console/tenants', [/status of 401/]);
    await signIn(page, 'sue');
    await page.getByRole('heading', { level: 1, name: 'Tenants' }).waitFor();
    const { rows } = await site.owner.query(
      "update hookwright.api_keys set revoked_at = now() where name like 'console: sue%' returning id",
    );
    site.services.authenticator.forget(Number(rows[0].id));
    const ended = page.getByText('Your session has ended. Sign in again.');
    // The page may find out by itself before the click.
    await page.getByRole('link', { name: 'Platform keys' }).or(ended).first().click();
    await ended.waitFor();
  });
});
