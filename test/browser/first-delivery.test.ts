import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished } from 'vitest';
import { browserTest } from '../support/browser/browser-test.js';
import { visit } from '../support/browser/visit.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';
import { type Received, type Receiver, startReceiver } from '../support/receiver.js';

async function open<Part extends AsyncDisposable>(opening: Promise<Part>): Promise<Part> {
  const part = await opening;
  onTestFinished(() => part[Symbol.asyncDispose]());
  return part;
}

// A notice is a dialog, too, but not a modal one.
const dialogOf = (page: Page) => page.locator('[role=dialog]:not([aria-modal=false])');

/** Presses the button that copies a secret. @returns what the clipboard has then */
async function copySecret(page: Page): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await dialogOf(page).getByRole('button', { name: 'Copy the secret' }).click();
  await dialogOf(page).getByRole('button', { name: 'Copied' }).waitFor();
  return page.evaluate<string>('navigator.clipboard.readText()');
}

/** What a receiver does with a request. @throws WebhookVerificationError when this secret has not signed it */
function verify({ body, headers }: Received, secret: string): void {
  new Webhook(secret).verify(body.toString(), headers as Record<string, string>);
}

/** @returns what the page of a delivery says of a secret */
async function verifyInPage(page: Page, secret: string, says: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Verify the signature' }).click();
  await page.getByLabel('Signing secret').fill(secret);
  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await dialogOf(page).getByText(says).waitFor();
  await dialogOf(page).getByRole('button', { name: 'Close' }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
}

const latest = (receiver: Receiver): Received => receiver.received.at(-1)!;

describe('a newcomer', () => {
  browserTest('comes by clicks from the start to a delivery that the copied secret verifies', async (browser) => {
    const stack = await open(DashboardStack.open());
    const receiver = await open(startReceiver());
    const { page } = await browser.open({ origin: stack.origin });
    await page.goto(stack.startLink);
    await page.getByRole('link', { name: 'Tenants' }).click();
    await page.getByRole('table', { name: 'Tenants' }).getByRole('link').click();
    await page.getByRole('link', { name: 'Add an endpoint' }).click();
    await page.getByRole('textbox', { name: 'Url' }).fill(receiver.url);
    await page.getByRole('checkbox', { name: /^All events/ }).check();
    await page.getByRole('button', { name: 'Add the endpoint' }).click();

    const secret = await copySecret(page);
    // Nothing leads away from what is shown once.
    await page.keyboard.press('Control+k');
    await dialogOf(page).getByRole('button', { name: 'Send a test' }).click();
    await dialogOf(page)
      .getByText(/The endpoint answered 200 OK in/)
      .waitFor();
    verify(latest(receiver), secret);
    expect(await page.getByRole('dialog', { name: 'Find' }).count()).toBe(0);
    await dialogOf(page).getByRole('button', { name: 'Go to the endpoint' }).click();

    const rows = page.getByRole('table', { name: 'Latest deliveries' }).locator('tbody tr');
    await rows.filter({ hasText: 'webhook.test' }).filter({ hasText: 'Delivered' }).waitFor();
    await page.getByRole('heading', { level: 1 }).hover();
    await stack.delivery.emit();
    await rows.filter({ hasText: 'coupon.applied' }).filter({ hasText: 'Delivered' }).waitFor();
    verify(latest(receiver), secret);
    await rows.getByRole('link', { name: 'coupon.applied' }).click();
    await verifyInPage(page, secret, /^Valid: this secret signed the request, in every header/);

    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Your endpoint is fine: 2 deliveries in the last 24 hours').waitFor();

    await page.reload();
    await page.getByRole('button', { name: /^Find/ }).click();
    await page
      .getByRole('option', { name: /coupon\.applied/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: /^coupon\.applied/ }).waitFor();
  });
});

describe('the answer to the first test', () => {
  browserTest('is seen on a phone as it comes, below the secret and the code', async (browser) => {
    const stack = await open(DashboardStack.open());
    const page = await visit(browser.open, stack, '/endpoints/new', { width: 390, height: 844, touch: true });
    await page.getByRole('textbox', { name: 'Url' }).fill(stack.receiver.url);
    await page.getByRole('checkbox', { name: /^All events/ }).check();
    await page.getByRole('button', { name: 'Add the endpoint' }).click();
    await dialogOf(page).getByRole('button', { name: 'Send a test' }).click();
    const answer = dialogOf(page).getByText(/The endpoint answered 200 OK in/);
    await answer.waitFor();
    const [said, below] = await Promise.all([
      answer.boundingBox(),
      dialogOf(page).getByRole('button', { name: 'Go to the endpoint' }).boundingBox(),
    ]);
    expect(said!.y + said!.height).toBeLessThan(below!.y);
  });

  browserTest('is seen without live updates, too', async (browser) => {
    const stack = await open(DashboardStack.open());
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    const page = await visit(browser.open, stack, '/endpoints');
    let streams = 0;
    await page.route('**/graphql/stream', () => {
      streams += 1; // it is never answered
    });
    await page.goto(`${stack.origin}/console/tenants/${stack.delivery.tenantId}/endpoints/${id}`);
    await page.getByRole('button', { name: 'Send a test' }).first().click();
    await dialogOf(page).getByRole('button', { name: 'Send a test' }).click();
    await dialogOf(page)
      .getByText(/The endpoint answered 200 OK in/)
      .waitFor();
    expect(streams).toBeGreaterThan(0);
  });
});

describe('a secret that is rotated', () => {
  browserTest('is shown once, and signs beside the old one until a countdown ends', async (browser) => {
    const stack = await open(DashboardStack.open());
    const receiver = await open(startReceiver());
    const { id, secret: old } = await stack.delivery.webhook(receiver.url);
    const page = await visit(browser.open, stack, `/endpoints/${id}?tab=settings`);
    await page.clock.install();
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByLabel('Overlap in hours').fill('1');
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    const fresh = await copySecret(page);
    expect(fresh).not.toBe(old);
    await dialogOf(page).getByRole('button', { name: 'Close' }).click();
    await page.getByText(/The previous one is valid too, and ends in (1h|59m|60m)/).waitFor();
    expect(await page.content()).not.toContain(fresh);

    await stack.delivery.emit();
    await eventually(() => receiver.received.length === 1);
    verify(latest(receiver), old);
    verify(latest(receiver), fresh);
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('table', { name: 'Latest deliveries' }).getByRole('link').click();
    await verifyInPage(page, old, /^Valid: this is the secret from before the rotation/);
    await verifyInPage(page, fresh, /^Valid in webhook-signature: this is the secret from after the rotation/);
  });
});
