import { describe, expect, onTestFinished } from 'vitest';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { visit } from '../support/browser/visit.js';
import { DashboardStack } from '../support/dashboard-stack.js';

describe('an endpoint that waits until a key is quiet', () => {
  browserTest('is set so, and pages of deliveries say until when, and which one took a place', async ({ open }) => {
    const stack = await DashboardStack.open();
    onTestFinished(() => stack[Symbol.asyncDispose]());
    const { id } = await stack.delivery.webhook(stack.receiver.url, ['coupon.applied']);
    await stack.delivery.change(id, { by: 'KEY', keyPath: 'code' });
    const page = await visit(open, stack, `/endpoints/${id}?tab=settings&do=order`);
    const dialog = page.getByRole('dialog', { name: 'Ordering' });
    await dialog.getByRole('radio', { name: 'The newest alone' }).check();
    await dialog.getByLabel('Wait until quiet for').fill('600');
    await dialog.getByLabel('Wait at most').fill('60');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('must be at least `settleSeconds`, which is 600').waitFor();
    await dialog.getByLabel('Wait at most').fill('1800');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The newest, once quiet for 10 min, at most 30 min').waitFor();

    const [former] = await stack.delivery.emits(2);
    const first = await stack.delivery.delivery(former!);
    await page.goto(`/console/tenants/${stack.delivery.tenantId}/deliveries/${first.id}`);
    await page.getByText('A later event of its key took its place.').waitFor();
    await page.getByRole('link', { name: /^Open delivery/ }).click();
    await page.getByText(/^It waits for its key to be quiet, and settles until /).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});
