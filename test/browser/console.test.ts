import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import type { Services } from '../../src/api/context/context.js';
import { OneTimeCode } from '../../src/api/dashboard/one-time-code.js';
import { PLATFORM_ADMIN } from '../../src/domain/keys/scopes.js';
import { createApiKey } from '../../src/operations/keys/create-api-key.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { DashboardSite } from '../support/dashboard-site.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { makeTenant, makeWebhook } from '../support/factories.js';

async function openStack(): Promise<DashboardStack> {
  const stack = await DashboardStack.open();
  onTestFinished(() => stack[Symbol.asyncDispose]());
  return stack;
}

async function openSite(startCode: OneTimeCode | null = null): Promise<DashboardSite> {
  const site = await DashboardSite.open({
    startCode,
    folder: join(import.meta.dirname, '../../dist/dashboard'),
  });
  onTestFinished(() => site[Symbol.asyncDispose]());
  return site;
}

async function platformKey({ db, random }: Services): Promise<string> {
  const key = { tenantId: null, name: 'operator', scopes: [PLATFORM_ADMIN], by: commandLine } as const;
  return (await createApiKey(db, random, key)).key;
}

async function signIn(page: Page, key: string, path = '/'): Promise<void> {
  await page.goto(`/console${path}`);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.mouse.move(0, 0);
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

describe('signing in to the console', () => {
  browserTest('the link of the start signs in once, and its code leaves the address', async ({ open }) => {
    const code = new OneTimeCode(randomBytes);
    const { origin } = await openSite(code);
    const { page } = await open({ origin });
    await page.goto(`/console/#code=${code.text}`);
    await heading(page, 'Installation');
    expect(page.url()).toBe(`${origin}/console/`);
    await page.reload();
    await heading(page, 'Installation');

    const other = await open({ origin, allow: [/status of 404/] });
    await other.page.goto(`/console/#code=${code.text}`);
    await other.page.getByText('The link did not sign you in.').waitFor();
    await other.page.getByText('Start Hookwright again for a new one').waitFor();
    expect(other.page.url()).toBe(`${origin}/console/`);
    expect(await axeViolations(other.page)).toEqual([]);
  });

  browserTest('signing out ends the session of the link for the service too', async ({ open }) => {
    const code = new OneTimeCode(randomBytes);
    const site = await openSite(code);
    const { page } = await open({ origin: site.origin });
    await page.goto(`/console/#code=${code.text}`);
    await heading(page, 'Installation');
    await page.getByRole('button', { name: 'Preferences' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('You have signed out.').waitFor();
    const { rows } = await site.owner.query(
      'select from hookwright.api_keys where console_session and revoked_at is null',
    );
    expect(rows).toEqual([]);
  });

  browserTest('a key that is not valid is refused with a reason', async ({ open }) => {
    const { origin } = await openSite();
    const { page } = await open({ origin, allow: [/status of 401/] });
    await signIn(page, 'schlüssel');
    await page.getByText('A key contains only letters').waitFor();
    await signIn(page, 'hw_1_unknown');
    await page.getByText('The service refused this key').waitFor();
  });

  browserTest('the answer of a proxy is named, and is not taken for the end of a session', async ({ open }) => {
    const site = await openSite();
    const { page } = await open({ origin: site.origin, allow: [/status of (401|502)/] });
    for (const [status, contentType, body] of [
      [401, 'text/html', '<h1>Authorization Required</h1>'],
      [401, 'application/json', '{"message":"unauthorized"}'],
      [502, 'text/html', '<h1>Bad Gateway</h1>'],
    ] as const) {
      await page.route('**/graphql', (route) => route.fulfill({ status, contentType, body }));
      await signIn(page, await platformKey(site.services));
      await page.getByText(`A proxy answered ${status} instead of the service.`).waitFor();
      await page.unroute('**/graphql');
      await heading(page, 'Installation');
      await page.getByRole('button', { name: 'Preferences' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByText('You have signed out.').waitFor();
    }
  });

  browserTest('the key of a tenant leads to its own screens, whatever the address', async ({ open }) => {
    const stack = await openStack();
    const { page } = await open({ origin: stack.origin });
    await signIn(page, stack.key, '/tenants/987654');
    await page.waitForURL(`**/console/tenants/${stack.delivery.tenantId}/overview`);
    expect(await page.getByText('As support').count()).toBe(0);
    await page.goto('/console/event-types');
    await page.waitForURL(`**/console/tenants/${stack.delivery.tenantId}/overview`);
  });
});

describe('the operator', () => {
  browserTest('sees that all is well, and goes from an endpoint into its tenant', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    await stack.delivery.emit();
    const { page } = await open({ origin: stack.origin });
    await signIn(page, await platformKey(stack.delivery.services));
    await page.getByText('No endpoint is failing, disabled or gone.').waitFor();
    const daemons = page.getByRole('table', { name: 'Daemons' });
    await daemons.getByRole('row').nth(1).waitFor();
    await page.getByText('Findings').waitFor();
    expect(await axeViolations(page)).toEqual([]);

    await page.getByRole('link', { name: 'Endpoint ranking' }).click();
    await heading(page, 'Endpoint ranking');
    await page.getByLabel('Ranked by').selectOption('ATTEMPTS');
    await page.waitForURL(/by=ATTEMPTS/);
    expect(await axeViolations(page)).toEqual([]);

    await page.getByRole('link', { name: 'Tenants' }).click();
    await page.getByRole('table', { name: 'Tenants' }).getByRole('link').click();
    await page.getByText('As support').waitFor();
    await page.getByRole('link', { name: 'Tenants' }).click();
    await heading(page, 'Tenants');

    await stack.delivery.rows(`
      update hookwright.webhooks
      set active = false, disabled_reason = 'FAILURES', disabled_at = now(), hold_until = now() + interval '1 day',
          consecutive_failures = 10
      where id = ${id}`);
    await page.reload();
    await page.getByRole('table', { name: 'Tenants' }).getByText('1 disabled').waitFor();
    await page.getByRole('link', { name: 'Installation', exact: true }).click();
    const failing = page.getByRole('table', { name: 'Failing endpoints' });
    await failing.getByText('Disabled').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await failing.getByRole('link').first().click();
    await page.waitForURL(new RegExp(`/tenants/${stack.delivery.tenantId}/endpoints/${id}$`));
    await page.getByText(/^Disabled since .* ten attempts in a row have failed/).waitFor();
  });

  browserTest('keeps what is shown while the service cannot be reached', async ({ open }) => {
    const stack = await openStack();
    const { page } = await open({ origin: stack.origin, allow: [/ERR_FAILED/] });
    await signIn(page, await platformKey(stack.delivery.services));
    await page.getByText('Findings').waitFor();
    await page.route('**/graphql', (route) => route.abort());
    await page.getByText('The service is unreachable.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    expect(await page.getByText('Findings').count()).toBe(1);
    await page.unroute('**/graphql');
    await page.getByText('The service is unreachable.').waitFor({ state: 'detached' });
  });

  browserTest('adds a tenant, gives it another name and deletes it', async ({ open }) => {
    const { origin, services } = await openSite();
    const { page } = await open({ origin });
    await signIn(page, await platformKey(services), '/tenants');
    await page.getByText('No tenants').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add a tenant' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('Acme <b>Ltd</b>');
    await page.getByRole('button', { name: 'Add the tenant' }).click();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Name of the tenant').fill('Acme');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByText('The tenant is renamed.').waitFor();
    expect(await axeViolations(page)).toEqual([]);

    await page.getByRole('button', { name: 'Delete the tenant' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Endpoints deleted').waitFor();
    const confirm = dialog.getByRole('button', { name: 'Delete the tenant' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('Acme');
    await confirm.click();
    await page.waitForURL('**/console/tenants');
    await page.getByText('No tenants').waitFor();
  });

  browserTest('finds the tenant of a number from a log, and of another one from there', async ({ open }) => {
    const stack = await openStack();
    const { tenantId, services } = stack.delivery;
    const { page } = await open({ origin: stack.origin });
    await stack.delivery.webhook(stack.receiver.url);
    await stack.delivery.emit();
    await stack.delivery.noDeliveryJobs();
    const [delivery] = await stack.delivery.deliveries();
    const other = await makeTenant(services);
    const { id: webhookId } = await makeWebhook(services, other.id);
    await signIn(page, await platformKey(services));
    await heading(page, 'Installation');
    const find = async (text: string, path: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill(text);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/console${path}`);
    };
    await find(String(delivery!.id), `/tenants/${tenantId}/deliveries/${delivery!.id}`);
    await page.getByText('As support').waitFor();
    await find(`wh_${webhookId}`, `/tenants/${other.id}/endpoints/${webhookId}`);
    await page.getByRole('heading', { level: 1, name: 'receiver.example.com' }).waitFor();
    await page.keyboard.press('Control+k');
    await page
      .getByRole('option')
      .filter({ hasText: String(delivery!.id) })
      .waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const entered = await stack.delivery.rows<{ id: number }>(
      `select tenant_id::integer as id from hookwright.audit_log where action = 'TENANT_ENTERED' order by id`,
    );
    expect(entered).toEqual([{ id: tenantId }, { id: other.id }]);
  });

  browserTest('makes a webhook of the installation, and sees what it was sent', async ({ open }) => {
    const stack = await openStack();
    const { services } = stack.delivery;
    const { page } = await open({ origin: stack.origin });
    await signIn(page, await platformKey(services));
    await page.getByRole('link', { name: 'Endpoints of the installation' }).click();
    await page.waitForURL('**/console/tenants/installation/endpoints');
    const tabs = page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
    // The address changes before the navigation of the installation gives way to that of the tenant.
    await tabs.getByText('Deliveries', { exact: true }).waitFor();
    expect(await tabs.allTextContents()).toEqual([
      'Overview',
      'Endpoints',
      'Deliveries',
      'Events',
      'Event catalogue',
      'Operations',
      'Audit log',
    ]);
    await page.getByRole('link', { name: 'Add an endpoint' }).first().click();
    await page.getByRole('heading', { name: 'About the installation' }).waitFor();
    await page.getByRole('textbox', { name: 'Url' }).fill(stack.receiver.url);
    await page.getByRole('checkbox', { name: /^audit\.entry/ }).click();
    await page.getByRole('button', { name: 'Add the endpoint' }).click();
    await page.getByRole('dialog', { name: 'The endpoint is ready' }).waitFor();
    await makeTenant(services);
    await page.getByRole('dialog').getByRole('button').last().click();
    await page.getByRole('button', { name: 'Close without copying' }).click();
    await page.getByRole('link', { name: 'Deliveries' }).first().click();
    await page.getByText('audit.entry').first().waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  browserTest('makes a link to the portal of a tenant, which signs in there', async ({ open }) => {
    const stack = await openStack();
    const { page } = await open({ origin: stack.origin });
    const { tenantId, services } = stack.delivery;
    await signIn(page, await platformKey(services), `/tenants/${tenantId}/settings`);
    await page.getByRole('button', { name: 'Create a link' }).click();
    const link = page.getByRole('link', { name: 'Open in a new tab' });
    const url = new URL((await link.getAttribute('href')) ?? '');
    const portal = await open({ origin: stack.origin });
    await portal.page.goto(`${url.pathname}${url.hash}`);
    await portal.page.getByRole('link', { name: 'Endpoints' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('table', { name: 'Open portal sessions' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  browserTest('invites a person, who opens the portal by a click, until it is revoked', async ({ open }) => {
    const stack = await openStack();
    const { page } = await open({ origin: stack.origin });
    const { tenantId, services } = stack.delivery;
    await signIn(page, await platformKey(services), `/tenants/${tenantId}/settings`);
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('button', { name: 'Create the invitation' }).click();
    const text = (await page.getByText('It works once, until').textContent()) ?? '';
    const url = new URL(/http\S+/.exec(text)?.[0] ?? '');
    await page.getByRole('button', { name: 'I have copied it' }).click();
    const sessions = page.getByRole('table', { name: 'Open portal sessions' });
    await sessions.getByText('Not opened yet').waitFor();
    expect(await sessions.textContent()).toContain('operator');

    const guest = await open({ origin: stack.origin, allow: [/410/, /401/] });
    const link = `${url.pathname}${url.hash}`;
    for (let load = 0; load < 2; load += 1) {
      await guest.page.goto(link);
      await guest.page.reload();
      await guest.page.getByRole('button', { name: 'Open the portal' }).waitFor();
    }
    expect(await axeViolations(guest.page)).toEqual([]);
    await guest.page.getByRole('button', { name: 'Open the portal' }).click();
    await guest.page.getByRole('link', { name: 'Endpoints' }).waitFor();
    expect(new URL(guest.page.url()).hash).toBe('');
    const late = await open({ origin: stack.origin, locale: 'de-DE', allow: [/410/] });
    await late.page.goto(link);
    await late.page.getByRole('button', { name: 'Portal öffnen' }).click();
    await late.page.getByText('Diese Einladung wurde schon geöffnet.').waitFor();

    await page.reload();
    await sessions.getByText('Open', { exact: true }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No sessions.').waitFor();
    await page.getByLabel('State of the sessions').selectOption('ended');
    await page.getByText('Revoked').waitFor();
    await guest.page.getByText('Your session was revoked.').waitFor();
    await guest.page.getByText('or ask for a new invitation').waitFor();
  });

  browserTest(
    'is still signed in after a portal was opened in its tab, which shows nothing of it',
    async ({ open }) => {
      const stack = await openStack();
      const { page } = await open({ origin: stack.origin });
      await signIn(page, await platformKey(stack.delivery.services));
      await heading(page, 'Installation');
      await page.goto('/portal/overview');
      await page.getByText('Open your webhooks again from the product that sends them').waitFor();
      await page.goto('/console');
      await heading(page, 'Installation');
    },
  );

  browserTest('registers an event type, changes its schema and deprecates it', async ({ open }) => {
    const { origin, services } = await openSite();
    const { page } = await open({ origin });
    await signIn(page, await platformKey(services), '/event-types/new');
    await page.getByLabel('Name', { exact: true }).fill('order.paid');
    await page.getByLabel('When it happens').fill('An order was paid.');
    const schema = page.getByLabel(/JSON Schema/);
    await schema.fill('{\n  "type": "object",\n  "properties": {\n    "total": { "type": "money" }\n  }\n}');
    await page.getByRole('button', { name: 'Register the type' }).click();
    await page.getByRole('button', { name: 'line 4' }).first().click();
    const marked =
      'document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)';
    expect(await page.evaluate(marked)).toBe('"money"');
    expect(await axeViolations(page)).toEqual([]);

    await schema.fill((await schema.inputValue()).replace('"money"', '"number"'));
    await page.getByRole('button', { name: 'Register the type' }).click();
    await heading(page, 'order.paid');
    await page.getByRole('link', { name: 'Change' }).click();
    await schema.fill((await schema.inputValue()).replace('"total"', '"sum"'));
    await page.getByText('What version 2 changes').waitFor();
    await page.getByText('Removed').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Version 2 is in use.').waitFor();

    await page.getByRole('button', { name: 'Deprecate' }).click();
    await page.getByText('refuses new events of this type').waitFor();
    await page.getByRole('button', { name: 'Deprecate the type' }).click();
    await page.getByText('New events of this type are refused since').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});
