import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { PLATFORM_ADMIN } from '../../src/domain/keys/scopes.js';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { makeKey } from '../support/factories.js';

/** External ids wherever a tenant or an endpoint is named, searched or linked (docs/external-ids.md). */

async function openStack(): Promise<DashboardStack> {
  const stack = await DashboardStack.open();
  onTestFinished(() => stack[Symbol.asyncDispose]());
  const { tenantId } = stack.delivery;
  await stack.delivery.rows(`update hookwright.tenants set external_id = 'acme/42' where id = ${tenantId}`);
  return stack;
}

async function signIn(page: Page, key: string, path: string): Promise<void> {
  await page.goto(`/console${path}`);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.mouse.move(0, 0);
}

const makeEndpoint = async (stack: DashboardStack, externalId: string) => {
  const input = { url: 'https://receiver.example.com/', eventTypes: ['*'], name: 'Invoices', externalId };
  const { body } = await stack.api.graphql(
    `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { databaseId } } }`,
    { input },
  );
  return body.data.createWebhook.webhook.databaseId as number;
};

describe('an external id', () => {
  browserTest('leads the operator to the tenant and its endpoint, by address and by Find', async ({ open }) => {
    const stack = await openStack();
    const { tenantId, services } = stack.delivery;
    const number = await makeEndpoint(stack, 'crm-17');
    const { key } = await makeKey(services, null, [PLATFORM_ADMIN]);
    const { page } = await open({ origin: stack.origin });
    await signIn(page, key, '/tenants/ext:acme%2F42/endpoints/ext:crm-17');
    await page.waitForURL(`**/console/tenants/${tenantId}/endpoints/${number}`);
    await page.getByRole('heading', { level: 1, name: 'Invoices · crm-17' }).waitFor();
    await page.getByText('As support').waitFor();
    await page.getByRole('banner').getByText('acme/42').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const { width, height } = page.viewportSize()!;
    await page.setViewportSize({ width: 390, height });
    const shown = await page
      .getByRole('banner')
      .getByText('acme/42')
      .evaluate((id) => {
        const [inner, outer] = [id, id.closest('span')!].map((one) => one.getBoundingClientRect()) as [
          DOMRect,
          DOMRect,
        ];
        return inner.right <= outer.right + 1 && inner.bottom <= outer.bottom + 1;
      });
    await page.screenshot({ path: '/tmp/narrow.png' });
    expect(shown).toBe(true);
    await page.setViewportSize({ width, height });

    const find = async (text: string, path: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill(text);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/console${path}`);
    };
    await page.getByRole('link', { name: 'Tenants' }).click();
    const table = page.getByRole('table', { name: 'Tenants' });
    await table.getByText('acme/42').waitFor();
    await page.getByRole('searchbox', { name: 'Name or external ID' }).fill('acme/42');
    await page.waitForURL(/name=acme/);
    await table.getByText('acme/42').waitFor();
    await find('crm-17', `/tenants/${tenantId}/endpoints/${number}`);
    await page.getByRole('link', { name: 'Tenants' }).click();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /external ID/ }).fill('crm-17');
    await page.getByRole('option', { name: /Endpoint Invoices · crm-17/ }).waitFor();
    await page.keyboard.press('Escape');
    await find('ext:acme/42', `/tenants/${tenantId}/overview`);
    await page.getByRole('link', { name: 'Endpoints' }).click();
    await page.getByRole('table', { name: 'Endpoints' }).getByText('crm-17').waitFor();
    await page.getByRole('searchbox').fill('crm-1');
    await page.waitForURL(/q=crm-1/);
    await page.getByRole('table', { name: 'Endpoints' }).getByText('crm-17').waitFor();
  });

  browserTest('that nobody has leads to a page that says so', async ({ open }) => {
    const stack = await openStack();
    const { key } = await makeKey(stack.delivery.services, null, [PLATFORM_ADMIN]);
    const { page } = await open({ origin: stack.origin });
    await signIn(page, key, '/tenants/ext:nobody/overview');
    await page.getByText('There is no tenant with such an id.').waitFor();
    await page.getByRole('link', { name: 'Tenants' }).waitFor();
    await page.goto(`/console/tenants/${stack.delivery.tenantId}/endpoints/ext:nobody`);
    await page.getByText('There is no webhook with such an id.').waitFor();
  });

  browserTest('is given to a tenant and an endpoint by the operator, who can change both', async ({ open }) => {
    const stack = await openStack();
    const { key } = await makeKey(stack.delivery.services, null, [PLATFORM_ADMIN]);
    const { page } = await open({ origin: stack.origin });
    await signIn(page, key, '/tenants');
    await page.getByRole('button', { name: 'Add a tenant' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('Branch');
    await page.getByRole('textbox', { name: /^External ID/ }).fill('acme/42');
    await page.getByRole('button', { name: 'Add the tenant' }).click();
    await page.getByText(/^Tenant tn_\d+ has this external id\.$/).waitFor();
    await page.getByRole('textbox', { name: /^External ID/ }).fill('branch-7');
    await page.getByRole('button', { name: 'Add the tenant' }).click();
    await page.getByRole('banner').getByText('branch-7').waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('ID of the tenant in your own system').fill('branch-8');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('The external ID is changed.').waitFor();
    await page.getByRole('banner').getByText('branch-8').waitFor();

    await page.getByRole('link', { name: 'Endpoints' }).click();
    await page.getByRole('link', { name: 'Add an endpoint' }).first().click();
    await page.getByRole('textbox', { name: 'URL' }).fill('https://receiver.example.com/');
    await page.getByText('All events', { exact: false }).first().click();
    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByRole('textbox', { name: /^External ID/ }).fill('crm-1');
    await page.getByRole('button', { name: 'Add the endpoint' }).click();
    await page.getByRole('button', { name: 'Go to the endpoint' }).click();
    await page.getByRole('button', { name: 'Close without copying' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: /^External ID/ }).fill('crm-2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'receiver.example.com/ · crm-2' }).waitFor();
  });

  browserTest('shows in the portal, where nobody can change it, and leads to the endpoint', async ({ open }) => {
    const stack = await openStack();
    const number = await makeEndpoint(stack, 'crm-17');
    const { body } = await stack.api.graphql(
      `mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url } }`,
      { input: { capabilities: ['VIEW', 'MANAGE_ENDPOINTS'], path: '/endpoints/ext:crm-17' } },
    );
    const { page } = await open({ origin: stack.origin });
    await page.goto(body.data.createPortalSession.url);
    await page.waitForURL(`**/portal/endpoints/${number}`);
    await page.getByRole('heading', { level: 1, name: 'Invoices · crm-17' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Description').waitFor();
    expect(await page.getByRole('dialog').getByLabel('External ID').count()).toBe(0);
    await page.getByRole('dialog').getByLabel('Description').fill('Of the shop');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('Of the shop').waitFor();
    await page.goto('/portal/endpoints/new');
    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByLabel('Description').waitFor();
    expect(await page.getByLabel('External ID').count()).toBe(0);
  });

  browserTest('is set once with the key of a tenant', async ({ open }) => {
    const stack = await openStack();
    const number = await makeEndpoint(stack, 'crm-17');
    const { page } = await open({ origin: stack.origin });
    await signIn(page, stack.key, `/tenants/ext:acme%2F42/endpoints/${number}`);
    await page.waitForURL(`**/console/tenants/${stack.delivery.tenantId}/endpoints/${number}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Description').waitFor();
    expect(await page.getByRole('dialog').getByLabel('External ID').count()).toBe(0);
  });
});
