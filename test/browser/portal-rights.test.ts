import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { browserTest } from '../support/browser/browser-test.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';
import { startReceiver } from '../support/receiver.js';

/** Opens the portal with one capability, at a tenant that has a delivery which succeeded. */
async function openPortal(page: Page, stack: DashboardStack, capability: string): Promise<void> {
  const { body } = await stack.api.graphql(
    `mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url } }`,
    { input: { capabilities: [capability] } },
  );
  await page.goto(body.data.createPortalSession.url);
  await page.getByRole('link', { name: 'Deliveries' }).click();
  await page.getByRole('table', { name: 'Deliveries' }).waitFor();
}

async function openStack(): Promise<DashboardStack> {
  const stack = await DashboardStack.open();
  onTestFinished(() => stack[Symbol.asyncDispose]());
  const receiver = await startReceiver();
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  await stack.delivery.webhook(receiver.url);
  await stack.delivery.emit();
  await eventually(() => receiver.received.length === 1);
  return stack;
}

const openDelivery = (page: Page) => page.getByRole('table', { name: 'Deliveries' }).getByRole('link').first().click();

describe('the portal offers what its session may do', () => {
  browserTest('with MANAGE_KEYS: a key that ends with the session', async ({ open }) => {
    const stack = await openStack();
    const { page } = await open({ origin: stack.origin });
    await openPortal(page, stack, 'MANAGE_KEYS');
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByText('A key that you create here ends with your session.').waitFor();
    await page.getByLabel('Name').fill('mine');
    await page.getByLabel(/^view endpoints/).check();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByText(/^hw_\d+_\w+$/).waitFor();
  });

  browserTest('with MANAGE_OPTIONS: headers and auth, whose secrets show as set', async ({ open }) => {
    const stack = await openStack();
    const { page } = await open({ origin: stack.origin });
    await openPortal(page, stack, 'MANAGE_OPTIONS');
    await page.getByRole('link', { name: 'Endpoints' }).click();
    await page.getByRole('table', { name: 'Endpoints' }).getByRole('link').first().click();
    await page.getByRole('link', { name: 'Settings' }).click();
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Method, headers and auth' }) });
    await card.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByLabel('Name of the header').fill('Host');
    await page.getByLabel('Value of the header').fill('a secret value');
    await page.getByRole('combobox', { name: 'Authentication' }).selectOption('BEARER');
    await page.getByLabel('Token').fill('a-secret-token');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^The service, the connection or the authentication sets this header/).waitFor();
    await page.getByLabel('Name of the header').fill('X-Api-Key');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('secret, set').waitFor();
    await page.getByText('Bearer token').waitFor();
    expect(await page.content()).not.toContain('a secret value');
    expect(await page.content()).not.toContain('a-secret-token');
    expect(await page.getByText('default of the service').count()).toBe(5);

    await card.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('button', { name: 'Remove the header' }).click();
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByLabel('Name of the header').fill('X-Mine');
    await page.getByLabel('Value of the header').fill('another {{value}}');
    const id = `wh_${new URL(page.url()).pathname.split('/').at(-1)}`;
    const delivery = { setHeaders: [{ name: 'X-Theirs', value: 'b', secret: false }], timeoutMs: 5_000 };
    await stack.api.graphql(
      `mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id } } }`,
      { input: { id, delivery } },
    );
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Someone else changed this endpoint/).waitFor();
    await page.getByRole('button', { name: 'Save my changes too' }).click();
    await page.getByText('set here').waitFor();
    for (const name of ['X-Mine', 'X-Theirs']) {
      await page.getByText(name, { exact: true }).waitFor();
    }
    expect(await page.getByText('X-Api-Key', { exact: true }).count()).toBe(0);
    await page.getByText(/^The value of X-Mine has a placeholder/).waitFor();

    await card.getByRole('button', { name: 'Change' }).click();
    const kind = page.getByRole('combobox', { name: 'Authentication' });
    await kind.selectOption('BASIC');
    await page.getByLabel('User name').fill('hooks');
    expect(await page.getByRole('button', { name: 'Save' }).getAttribute('title')).toContain('Enter the password.');
    await kind.selectOption('USERNAME');
    await page.getByLabel('User name').fill('a-secret-user');
    await page.getByRole('combobox', { name: 'Method' }).selectOption('PUT');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('User name without a password').waitFor();
    await page.getByText('PUT', { exact: true }).waitFor();
    expect(await page.content()).not.toContain('a-secret-user');
  });

  browserTest('with SEND: a delivery can be sent again, and not all that match', async ({ open }) => {
    const stack = await openStack();
    const { page } = await open({ origin: stack.origin });
    await openPortal(page, stack, 'SEND');
    expect(await page.getByRole('button', { name: 'All that match' }).count()).toBe(0);
    await page.getByRole('checkbox', { name: /^Select dl_/ }).waitFor();
    await openDelivery(page);
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('It is on its way again.').waitFor();
  });

  browserTest('with BULK: all that match can be sent again, and not one', async ({ open }) => {
    const stack = await openStack();
    const { page } = await open({ origin: stack.origin });
    await openPortal(page, stack, 'BULK');
    await page.getByRole('button', { name: 'All that match' }).waitFor();
    expect(await page.getByRole('checkbox', { name: /^Select dl_/ }).count()).toBe(0);
    await openDelivery(page);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Send to another endpoint' }).waitFor();
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
  });
});
