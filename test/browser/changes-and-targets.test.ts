import { describe, expect, onTestFinished } from 'vitest';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { visit } from '../support/browser/visit.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { couponEmit } from '../support/factories.js';

async function openStack(): Promise<DashboardStack> {
  const stack = await DashboardStack.open();
  onTestFinished(() => stack[Symbol.asyncDispose]());
  return stack;
}

describe('an event that names its endpoints and the state before', () => {
  browserTest('goes below the URL of the one, and its pages say where and what was before', async ({ open }) => {
    const stack = await openStack();
    const { tenantId, services } = stack.delivery;
    const { id } = await stack.delivery.webhook(`${stack.receiver.url}/below`, ['coupon.applied']);
    const other = await stack.delivery.webhook(`${stack.receiver.url}/other`, ['coupon.applied']);
    const page = await visit(open, stack, `/endpoints/${id}?tab=settings&do=headers`);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Addresses below the URL').check();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('It only gets events that name such an address.').first().waitFor();
    await dialog.waitFor({ state: 'detached' });

    const path = '/actions/7f3?x=1';
    const [sent] = await services.emitter.emit([
      couponEmit(tenantId, { to: [{ webhookId: id, path }], previous: '{"code":"BEFORE","discount_type":"fixed"}' }),
    ]);
    const [unnamed] = await services.emitter.emit([couponEmit(tenantId, {})]);
    const eventId = (sent as { eventId: number }).eventId;
    await page.goto(`/console/tenants/${tenantId}/deliveries`);
    await page.getByText(path, { exact: true }).first().waitFor();
    expect(await page.getByText(path, { exact: true }).count()).toBe(1);
    const delivery = await stack.delivery.delivery(eventId);
    await page.goto(`/console/tenants/${tenantId}/deliveries/${delivery.id}`);
    await page.getByText('Address below the URL').waitFor();
    await page.getByText(path, { exact: true }).first().waitFor();

    await page.goto(`/console/tenants/${tenantId}/events/${eventId}`);
    await page.getByRole('heading', { name: 'Before the change' }).waitFor();
    await page.getByText('"BEFORE"').waitFor();
    await page.getByRole('cell', { name: 'The event was for other endpoints only, like a test.' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.goto(`/console/tenants/${tenantId}/events/${(unnamed as { eventId: number }).eventId}`);
    await page
      .getByRole('cell', { name: 'The endpoint only gets events that name an address below its URL.' })
      .waitFor();
    expect(await page.getByRole('heading', { name: 'Before the change' }).count()).toBe(0);
    expect((await stack.delivery.delivery((unnamed as { eventId: number }).eventId)).webhook_id).toBe(other.id);
  });

  browserTest('meets a filter that asks what has changed', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url, ['coupon.applied']);
    const page = await visit(open, stack, `/endpoints/${id}?tab=settings&do=content`);
    const dialog = page.getByRole('dialog');
    await dialog
      .getByRole('button', { name: /condition/i })
      .first()
      .click();
    await dialog.getByLabel('Field').fill('code');
    await dialog.getByLabel('Comparison').selectOption({ label: 'changed to' });
    await dialog.getByLabel('Value').fill('SUMMER');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('changed to').first().waitFor();
  });
});
