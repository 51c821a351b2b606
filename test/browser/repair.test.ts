import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { browserTest } from '../support/browser/browser-test.js';
import { visit } from '../support/browser/visit.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';

async function openStack(settings?: Record<string, string>): Promise<DashboardStack> {
  const stack = await DashboardStack.open(settings);
  onTestFinished(() => stack[Symbol.asyncDispose]());
  return stack;
}

// A notice is a dialog, too, but not a modal one.
const dialogOf = (page: Page) => page.locator('[role=dialog]:not([aria-modal=false])');

describe('an endpoint that begins to fail while somebody looks', () => {
  browserTest('says what becomes of it, is repaired, and gets all that it missed', async ({ open }) => {
    const stack = await openStack({ MAX_RETRIES: '1' });
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    const count = async (status: string) => (await stack.delivery.deliveries(`status = '${status}'`)).length;
    await stack.delivery.emit();
    const page = await visit(open, stack, `/endpoints/${id}`);
    const works = page.getByText(/^(Healthy: the last delivery arrived|It works, but \d+ of \d+ attempts)/);
    await works.waitFor();
    await page.evaluate('globalThis.isTheSamePage = true');

    await stack.receiver.goAway();
    for (let emitted = 0; emitted < 4; emitted += 1) {
      await stack.delivery.emit();
    }
    await page.getByText(/attempts in a row have failed, the latest because the connection is refused/).waitFor();
    await eventually(async () => (await count('FAILED')) === 4);
    for (let emitted = 0; emitted < 5; emitted += 1) {
      await stack.delivery.emit();
    }
    await page.getByText(/^Disabled since .* because the connection is refused\./).waitFor();
    await page.getByText(/Check that your server runs and .* deliveries are held until/).waitFor();
    const figure = page.locator('dl > div').filter({ has: page.getByText('Failed attempts') });
    await figure.getByText('10', { exact: true }).waitFor();
    await stack.delivery.noDeliveryJobs();
    const [failed, held] = [await count('FAILED'), await count('HELD')];
    expect(failed + held).toBe(9);

    await stack.receiver.comeBack();
    await page.getByRole('button', { name: 'Enable' }).click();
    await dialogOf(page).getByRole('button', { name: 'Check it' }).click();
    await dialogOf(page).getByText('The endpoint answered 200 OK in').waitFor();
    expect(await count('HELD')).toBe(held);
    await page.getByRole('radio', { name: `Release: send all ${held}` }).check();
    await page.getByRole('button', { name: 'Enable and release' }).click();
    await works.waitFor();
    await eventually(() => stack.receiver.deliveries === 2 + held);

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Send failed deliveries again' }).click();
    await dialogOf(page).getByText(`${failed} deliveries are sent again`).waitFor();
    // Two clicks before the button can follow start one operation.
    await page.getByRole('button', { name: `Send ${failed} again` }).evaluate((element) => {
      const button = element as unknown as { click(): void };
      button.click();
      button.click();
    });
    await page.getByRole('link', { name: 'Open the operation' }).click();
    await page.getByText(`${failed} of ${failed} processed: ${failed} done, 0 skipped`).waitFor();
    await eventually(() => stack.receiver.deliveries === 11);
    expect(await stack.delivery.rows('select from hookwright.bulk_operations')).toHaveLength(1);
    await page.getByRole('link', { name: stack.receiver.url }).click();
    await works.waitFor();
    await eventually(async () => (await count('SUCCEEDED')) === 11);
    expect(await page.evaluate('globalThis.isTheSamePage')).toBe(true);
  });
});

describe('an endpoint that did not get an event', () => {
  browserTest('is subscribed from there, and gets it', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url, ['voucher.emitted']);
    const eventId = await stack.delivery.emit();
    const page = await visit(open, stack, '/events');
    await page.getByRole('table', { name: 'Events' }).locator('tbody').getByRole('link').click();
    const row = page.getByRole('row', { name: stack.receiver.url });
    await row.getByText('It was not subscribed to').locator('visible=true').waitFor();
    await row.getByRole('link', { name: 'Subscribe' }).click();

    await dialogOf(page).getByRole('searchbox', { name: 'Search event types' }).fill('coupon applied');
    await dialogOf(page)
      .getByRole('checkbox', { name: /^coupon\.applied/ })
      .check();
    await dialogOf(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    await page.goBack();
    await row.getByRole('button', { name: 'Send it now' }).click();
    await row.getByText('Delivered').waitFor();
    await row.getByRole('link', { name: 'Delivered' }).click();
    await page.getByText('Delivered at the first attempt').waitFor();
    const delivery = await stack.delivery.delivery(eventId);
    expect(page.url()).toMatch(new RegExp(`/deliveries/${delivery.id}$`));
    expect(delivery.webhook_id).toBe(id);
  });

  browserTest('is enabled from there, when it had been inactive for too long', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    await stack.api.graphql(`mutation { updateWebhook(input: { id: ${id}, active: false }) { webhook { id } } }`);
    await stack.delivery.rows(`update hookwright.webhooks set hold_until = now() - interval '1 day' where id = ${id}`);
    const eventId = await stack.delivery.emit();
    const page = await visit(open, stack, `/events/${eventId}`);
    const row = page.getByRole('row', { name: stack.receiver.url });
    await row.getByText('inactive for longer than deliveries are held').locator('visible=true').waitFor();
    await row.getByRole('link', { name: 'Enable it first' }).click();
    await page.getByRole('button', { name: 'Enable the endpoint' }).click();
    await page.getByText('The endpoint is enabled.').waitFor();
    await page.goBack();
    await row.getByRole('button', { name: 'Send it now' }).click();
    await row.getByText('Delivered').waitFor();
    expect(stack.receiver.deliveries).toBe(1);
  });
});
