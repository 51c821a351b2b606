import type { Locator, Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { browserTest } from '../support/browser/browser-test.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';
import { startReceiver } from '../support/receiver.js';

async function openStack(): Promise<DashboardStack> {
  const stack = await DashboardStack.open();
  onTestFinished(() => stack[Symbol.asyncDispose]());
  return stack;
}

/** More than a page has to stop at before its content. */
const STOPS_MAX = 80;

const hasFocus = async (page: Page, target: Locator) => (await target.and(page.locator(':focus')).count()) === 1;

/** Goes by Tab until this has the focus. */
async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.waitFor();
  for (let stops = 0; stops < STOPS_MAX; stops += 1) {
    if (await hasFocus(page, target)) {
      return;
    }
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not lead to ${target}.`);
}

async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

/** Signs in to the console with the tenant's key, at its overview. */
async function signIn(page: Page, stack: DashboardStack): Promise<void> {
  await page.goto('/console');
  await eventually(() => hasFocus(page, page.getByLabel('API key')));
  await page.keyboard.insertText(stack.key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}

// A notice is a dialog, too, but not a modal one.
const dialogOf = (page: Page) => page.locator('[role=dialog]:not([aria-modal=false])');
const tab = (page: Page, name: string) => page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe('with the keyboard alone', () => {
  browserTest('a person signs in, adds an endpoint, tests it and edits it', async ({ open }) => {
    const stack = await openStack();
    const { page } = await open({ origin: stack.origin });
    await signIn(page, stack);
    await press(page, page.getByRole('link', { name: 'Add an endpoint' }));
    await eventually(() => hasFocus(page, page.getByRole('textbox', { name: 'Url' })));
    await page.keyboard.insertText(stack.receiver.url);
    await press(page, page.getByRole('searchbox', { name: 'Search event types' }));
    await page.keyboard.insertText('coupon');
    await press(page, page.getByRole('checkbox', { name: /^coupon\.applied/ }), 'Space');
    await press(page, button(page, 'Add the endpoint'));

    await dialogOf(page).waitFor();
    await page.keyboard.press('Escape');
    await press(page, dialogOf(page).getByRole('button', { name: 'Send a test' }));
    await dialogOf(page)
      .getByText(/The endpoint answered 200 OK in/)
      .waitFor();
    await press(page, button(page, 'Copy the secret'));
    await button(page, 'Copied').waitFor();
    await press(page, button(page, 'Go to the endpoint'));
    await page.getByText('Healthy: the last delivery arrived').waitFor();

    const edit = button(page, 'Edit');
    await press(page, edit);
    await dialogOf(page).waitFor();
    await eventually(async () => (await dialogOf(page).locator(':focus').count()) === 1);
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
    await eventually(() => hasFocus(page, edit));
    await page.keyboard.press('Enter');
    await press(page, dialogOf(page).getByRole('textbox', { name: 'Url' }));
  });

  browserTest('a person goes through deliveries, sends one again, and confirms', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    await stack.delivery.emit();
    await stack.delivery.emit();
    await eventually(() => stack.receiver.deliveries === 2);
    await stack.delivery.noDeliveryJobs();
    const [older] = await stack.delivery.deliveries();
    const { page } = await open({ origin: stack.origin });
    await signIn(page, stack);
    await press(page, tab(page, 'Deliveries'));
    const rows = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr[aria-rowindex]');
    await eventually(async () => (await rows.filter({ hasText: 'Delivered' }).count()) === 2);
    for (const [key, row] of [
      ['j', 0],
      ['j', 1],
      ['k', 0],
      ['j', 1],
    ] as const) {
      await page.keyboard.press(key);
      await rows.nth(row).and(page.locator('[data-current]')).waitFor();
    }
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/deliveries/${older!.id}$`));
    await press(page, button(page, 'Send again'));
    await page.getByText('Delivered at attempt 2').waitFor();

    await stack.api.graphql(`mutation { updateWebhook(input: { id: ${id}, active: false }) { webhook { id } } }`);
    await stack.delivery.emit();
    await press(page, tab(page, 'Deliveries'));
    await rows.first().filter({ hasText: 'Held' }).waitFor();
    await page.keyboard.press('j');
    await rows.first().and(page.locator('[data-current]')).waitFor();
    await page.keyboard.press('Enter');
    const cancel = button(page, 'Cancel');
    await press(page, cancel);
    const confirm = page.getByRole('alertdialog');
    await confirm.waitFor();
    await eventually(() => hasFocus(page, confirm.getByRole('button', { name: 'Close' })));
    await page.keyboard.press('Escape');
    await confirm.waitFor({ state: 'detached' });
    await eventually(() => hasFocus(page, cancel));
    await page.keyboard.press('Enter');
    await press(page, confirm.getByRole('button', { name: 'Cancel the delivery' }));
    await page.getByText('It was canceled.').waitFor();
  });

  browserTest('a person finds a delivery by the number of its header, and sends it again', async ({ open }) => {
    const stack = await openStack();
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    await stack.delivery.webhook(receiver.url);
    await stack.delivery.webhook(stack.receiver.url);
    await stack.delivery.emit();
    await eventually(() => receiver.received.length === 1);
    await stack.delivery.noDeliveryJobs();
    const number = `${receiver.received[0]?.headers['x-service-delivery']}`;
    const { page } = await open({ origin: stack.origin });
    await signIn(page, stack);
    await page.keyboard.press('Control+k');
    await eventually(() => hasFocus(page, dialogOf(page).getByRole('combobox')));
    const field = dialogOf(page).getByRole('combobox');
    await page.keyboard.insertText(`0${number}0`);
    await page.keyboard.press('Enter');
    await dialogOf(page)
      .getByText(/^Nothing found for/)
      .waitFor();
    // A number from before the retention time: 2025-02-01.
    await field.fill('10970956800000');
    await dialogOf(page)
      .getByText(/^Nothing found\. 10970956800000 is from .*2025, and deliveries are kept for 30 days/)
      .waitFor();
    const options = dialogOf(page).getByRole('option');
    await field.fill(new URL(receiver.url).host);
    await options.filter({ hasText: 'Endpoint' }).first().waitFor();
    await field.fill('coupon.app');
    await options.filter({ hasText: 'coupon.applied' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await field.fill('');
    await page.keyboard.insertText(` ${number}\n`);
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/deliveries/${number}$`));
    await press(page, button(page, 'Send again'));
    await page.getByText('It is on its way again.').waitFor();
    await page.getByText('Delivered at attempt 2').waitFor();
    expect(receiver.received.map(({ headers }) => headers['x-service-delivery'])).toEqual([number, number]);

    await page.keyboard.press('?');
    await dialogOf(page).getByText('Go to an id or a screen').waitFor();
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await eventually(() => hasFocus(page, dialogOf(page).getByRole('combobox')));
    await page.keyboard.insertText('audit');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    await page.keyboard.press('Control+k');
    await options.filter({ hasText: number }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/deliveries/${number}$`));
  });

  browserTest('a person finds the search empty, whatever they looked for before', async ({ open }) => {
    const stack = await openStack();
    const { page } = await open({ origin: stack.origin });
    await signIn(page, stack);
    const field = dialogOf(page).getByRole('combobox');
    await page.keyboard.press('Control+k');
    await field.fill('4711');
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await field.waitFor();
    expect(await field.inputValue()).toBe('');
  });
});
