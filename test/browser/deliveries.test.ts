import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import type { OpenedPage, PageOptions } from '../support/browser/open-page.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';

async function openStack(settings?: Record<string, string>): Promise<DashboardStack> {
  const stack = await DashboardStack.open(settings);
  onTestFinished(() => stack[Symbol.asyncDispose]());
  return stack;
}

/** Signs in to the console with the tenant's key, at a screen of the tenant. */
async function visit(
  open: (options?: PageOptions) => Promise<OpenedPage>,
  stack: DashboardStack,
  path: string,
  options?: PageOptions,
): Promise<Page> {
  const { page } = await open({ origin: stack.origin, ...options });
  await page.goto(`/console/tenants/${stack.delivery.tenantId}${path}`);
  await page.getByLabel('API key').fill(stack.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.mouse.move(0, 0);
  return page;
}

const rowsOf = (page: Page) => page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr[aria-rowindex]');
const isLive = (page: Page) => page.getByRole('status').getByText('Live', { exact: true }).waitFor();

describe('the list of deliveries', () => {
  browserTest('shows deliveries as they are made, and lets them wait while somebody looks', async ({ open }) => {
    const stack = await openStack();
    await stack.delivery.webhook(stack.receiver.url);
    await stack.delivery.emit();
    const page = await visit(open, stack, '/deliveries');
    await rowsOf(page).filter({ hasText: 'Delivered' }).waitFor();
    await isLive(page);

    await stack.delivery.emit('voucher.emitted', { booking_code: 'BK-1', voucher_number: 'V-1' });
    await rowsOf(page).filter({ hasText: 'voucher.emitted' }).filter({ hasText: 'Delivered' }).waitFor();
    expect(await rowsOf(page).count()).toBe(2);

    await rowsOf(page).first().hover();
    await stack.delivery.emit();
    await stack.delivery.emit();
    await page.getByRole('button', { name: '2 new' }).waitFor();
    expect(await rowsOf(page).count()).toBe(2);
    expect(await axeViolations(page, '#screen')).toEqual([]);
    await page.getByRole('button', { name: '2 new' }).click();
    await eventually(async () => (await rowsOf(page).count()) === 4);
  });

  browserTest('has cards on a phone, which stay where they are while new ones wait', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    await stack.delivery.emit();
    const page = await visit(open, stack, '/deliveries', { width: 360, height: 740, touch: true });
    const card = rowsOf(page).filter({ hasText: 'Delivered' });
    await card.getByRole('link', { name: stack.receiver.url.replace(/^https:../, '') }).waitFor();
    expect((await card.innerText()).split(/\s*\n\s*/)).toEqual(expect.arrayContaining(['Delivered', '200']));
    await isLive(page);

    await stack.delivery.emit();
    await stack.delivery.emit();
    const showNew = page.getByRole('button', { name: '2 new' });
    await showNew.waitFor();
    expect(await rowsOf(page).count()).toBe(1);
    await showNew.tap();
    await eventually(async () => (await rowsOf(page).count()) === 3);
    await stack.delivery.emit();
    await page.getByRole('button', { name: '1 new' }).tap();
    await eventually(async () => (await rowsOf(page).count()) === 4);

    await card.first().getByText('Delivered').tap();
    await page.waitForURL(/deliveries.\d+$/);
    await page.goBack();
    await card.first().getByRole('link', { name: stack.receiver.url }).tap();
    await page.waitForURL(new RegExp(`/endpoints/${id}$`));
  });

  browserTest('keeps its filters in the address, and takes them off by their chips', async ({ open }) => {
    const stack = await openStack();
    await stack.delivery.webhook(stack.receiver.url);
    await stack.delivery.emit();
    await stack.delivery.emit('voucher.emitted', { booking_code: 'BK-1', voucher_number: 'V-1' });
    const page = await visit(open, stack, '/deliveries');
    await eventually(async () => (await rowsOf(page).count()) === 2);

    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('button', { name: 'Text in payload' }).click();
    await page.getByLabel('Text in payload').fill('"V-1"');
    await page.keyboard.press('Enter');
    await eventually(async () => (await rowsOf(page).count()) === 1);
    expect(new URL(page.url()).searchParams.get('text')).toBe('"V-1"');
    await page.getByText('This filter cannot update live').waitFor();

    await page.getByRole('button', { name: 'Remove filter: Text in payload' }).click();
    await eventually(async () => (await rowsOf(page).count()) === 2);
    await page.goBack();
    await eventually(async () => (await rowsOf(page).count()) === 1);
  });

  browserTest('sends chosen deliveries again, one by one, and says how many', async ({ open }) => {
    const stack = await openStack();
    await stack.delivery.webhook(stack.receiver.url);
    await stack.delivery.emit();
    await stack.delivery.emit();
    const page = await visit(open, stack, '/deliveries');
    await eventually(async () => (await rowsOf(page).filter({ hasText: 'Delivered' }).count()) === 2);

    for (const row of await rowsOf(page).all()) {
      await row.getByRole('checkbox').check();
    }
    await page.getByRole('button', { name: 'Send again', exact: true }).click();
    await page.getByText('2 deliveries are sent again').waitFor();
    await page.getByRole('button', { name: 'Send 2 again' }).click();
    await page.getByText('2 deliveries are on their way again.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await eventually(() => stack.receiver.arrivals.length === 4);
  });

  browserTest('cancels all that match after a count, as an operation that can be followed', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    await stack.api.graphql(`mutation { updateWebhook(input: { id: ${id}, active: false }) { webhook { id } } }`);
    for (let count = 0; count < 3; count += 1) {
      await stack.delivery.emit();
    }
    const page = await visit(open, stack, `/deliveries?endpoint=${id}&status=HELD`);
    await eventually(async () => (await rowsOf(page).count()) === 3);

    await page.getByRole('button', { name: 'All that match' }).click();
    await page.getByRole('menuitem', { name: 'Send again Only finished deliveries can be sent again.' }).waitFor();
    await page.getByRole('menuitem', { name: 'Cancel' }).click();
    await page.getByText('3 deliveries will not be sent.').waitFor();
    await page.getByRole('button', { name: 'Cancel 3 deliveries' }).click();
    await page.getByText('3 of 3 processed: 3 done, 0 skipped').waitFor();
    await page.getByRole('link', { name: 'Open the operation' }).click();
    await page.getByRole('heading', { name: 'Cancel deliveries' }).waitFor();
    await page.getByText('Completed').waitFor();
    expect(await axeViolations(page, '#screen')).toEqual([]);
    await page.getByRole('link', { name: 'Operations' }).first().click();
    await page.getByRole('row', { name: /Cancel deliveries.*Completed/ }).waitFor();
  });
});

describe('deliveries that wait for a retry', () => {
  browserTest('are counted in a view, and tried now: one in its row, the others by one operation', async ({ open }) => {
    const stack = await openStack({ RETRY_BASE_SECONDS: '3600' });
    await stack.delivery.webhook(stack.receiver.url);
    await stack.delivery.webhook(`${stack.receiver.url}/other`);
    await stack.receiver.goAway();
    await stack.delivery.emit();
    await eventually(async () => (await stack.delivery.deliveries('attempt_count = 1')).length === 2);
    await stack.receiver.comeBack();
    const page = await visit(open, stack, '/overview');
    const waiting = page.getByRole('link', { name: 'Retrying' });
    await waiting.click();
    const view = (name: string) =>
      page.getByRole('group', { name: 'Views' }).getByRole('button', { name, exact: true });
    await view('Retrying 2').and(page.locator('[aria-pressed=true]')).waitFor();
    await view('All 2').waitFor();
    await eventually(async () => (await rowsOf(page).count()) === 2);
    await isLive(page);

    await page.keyboard.press('j');
    await rowsOf(page).first().and(page.locator('[data-current]')).waitFor();
    await page.keyboard.press('r');
    await page.getByText('It is due now.').waitFor();
    await view('Delivered 1').waitFor();
    await page.keyboard.press('Escape');
    await eventually(async () => (await rowsOf(page).count()) === 1);

    await page.getByRole('button', { name: 'All that match' }).click();
    await page.getByRole('menuitem', { name: 'Try now' }).click();
    await page.getByText('One delivery is sent now.').waitFor();
    expect(await axeViolations(page, '[role=dialog]')).toEqual([]);
    await page.getByRole('button', { name: 'Try one now' }).click();
    await page.getByText('1 of 1 processed: 1 done, 0 skipped').waitFor();
    await page.keyboard.press('Escape');
    await view('Delivered 2').click();
    await eventually(async () => (await rowsOf(page).count()) === 2);

    await rowsOf(page).first().hover();
    await rowsOf(page).first().getByRole('button', { name: 'Send again' }).click();
    await eventually(() => stack.receiver.arrivals.length === 3);
  });

  browserTest('wait on for a pause, and the page says until when', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    await stack.receiver.goAway();
    await stack.delivery.rows(`update hookwright.webhooks set closed_until = '2099-01-01T00:00:00Z' where id = ${id}`);
    const eventId = await stack.delivery.emit();
    const page = await visit(open, stack, `/deliveries/${(await stack.delivery.delivery(eventId)).id}`);
    await page.getByText('Its endpoint asked for a pause, which ends in').waitFor();
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText(/Its endpoint asked for one until .*2098|Its endpoint asked for one until .*2099/).waitFor();

    await page.keyboard.press('e');
    await page.waitForURL(new RegExp(`/endpoints/${id}$`));
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
  });
});

describe('a delivery', () => {
  browserTest('says why it failed, and shows how its attempts differ', async ({ open }) => {
    const stack = await openStack({ MAX_RETRIES: '1' });
    await stack.delivery.webhook(stack.receiver.url);
    await stack.receiver.goAway();
    const eventId = await stack.delivery.emit();
    await eventually(async () => (await stack.delivery.delivery(eventId)).status === 'FAILED');
    const { id } = await stack.delivery.delivery(eventId);
    const page = await visit(open, stack, `/deliveries/${id}`);

    await page.getByText('Failed for good: the connection is refused. It was tried 2 times.').waitFor();
    await page.getByText('No answer came: CONNECT_FAILED').waitFor();
    await page.getByRole('heading', { name: `${id}` }).waitFor();
    await page.getByText(/^\d+ headers$/).waitFor();
    await page.getByRole('button', { name: 'Copy for the customer' }).waitFor();
    expect(await axeViolations(page, '#screen')).toEqual([]);
    await page.getByRole('combobox', { name: 'Compare with another attempt' }).selectOption('Attempt 1');
    await page.getByText('Attempts 1 and 2').waitFor();
    expect(new URL(page.url()).search).toBe('?attempt=2&against=1');

    await stack.receiver.comeBack();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Delivered at attempt 3, answered with 200 OK').waitFor();
  });

  browserTest('is verified in the browser with the secret of its endpoint', async ({ open }) => {
    const stack = await openStack();
    const { secret } = await stack.delivery.webhook(stack.receiver.url);
    const eventId = await stack.delivery.emit();
    await eventually(async () => (await stack.delivery.delivery(eventId)).status === 'SUCCEEDED');
    const page = await visit(open, stack, `/deliveries/${(await stack.delivery.delivery(eventId)).id}`);

    await page.getByRole('button', { name: 'Verify the signature' }).click();
    await page.getByLabel('Signing secret').fill(secret);
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    await page.getByText('Valid: this secret signed the request, in every header.').waitFor();
    await page.getByText('Compare with the body that your server read').click();
    await page.getByLabel('Body that your server read').fill('{"code": "X"}');
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    await page.getByText('differs from the sent one, from byte 8 on').waitFor();
    await page.getByText('This secret did not sign the request.').waitFor();
    expect(await axeViolations(page, '[role=dialog]')).toEqual([]);
  });

  browserTest('has its event sent to another endpoint, that did not subscribe to it', async ({ open }) => {
    const stack = await openStack();
    await stack.delivery.webhook(stack.receiver.url);
    const other = await stack.delivery.webhook(`${stack.receiver.url}/other`, ['voucher.emitted']);
    const eventId = await stack.delivery.emit();
    await eventually(async () => (await stack.delivery.delivery(eventId)).status === 'SUCCEEDED');
    const page = await visit(open, stack, `/deliveries/${(await stack.delivery.delivery(eventId)).id}`);

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Send to another endpoint' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Completed. Queued').waitFor();
    const there = () => stack.delivery.deliveries(`event_id = ${eventId} and webhook_id = ${other.id}`);
    await eventually(async () => (await there())[0]?.status === 'SUCCEEDED');
  });
});
