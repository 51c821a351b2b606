import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { PLATFORM_ADMIN } from '../../src/domain/keys/scopes.js';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';
import { makeKey } from '../support/factories.js';

async function openStack(): Promise<DashboardStack> {
  const stack = await DashboardStack.open();
  onTestFinished(() => stack[Symbol.asyncDispose]());
  return stack;
}

/** Signs the operator in, at a screen of the tenant. */
async function enter(stack: DashboardStack, page: Page, screen: string): Promise<void> {
  const { services, tenantId } = stack.delivery;
  const { key } = await makeKey(services, null, [PLATFORM_ADMIN]);
  await page.goto(`/console/tenants/${tenantId}${screen}`);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.mouse.move(0, 0);
}

const coupon = (code: string) => ({ code, discount_type: 'fixed' });
const WIDTHS = [1280, 390];

/** At a desk and on a phone: nothing is cut off, and nobody is kept out. */
async function inAllWidths(page: Page, name: string): Promise<void> {
  const { height } = page.viewportSize()!;
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height });
    expect(await axeViolations(page)).toEqual([]);
    const tooWide = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect([width, tooWide]).toEqual([width, 0]);
    await page.screenshot({ path: `/tmp/erasure-${name}-${width}.png` });
  }
  await page.setViewportSize({ width: WIDTHS[0]!, height });
}

describe('the operator', () => {
  browserTest('erases one event with a reason, and sees that its payload is gone', async ({ open }) => {
    const stack = await openStack();
    const id = await stack.delivery.emit('coupon.applied', coupon('GONE'));
    const { page } = await open({ origin: stack.origin });
    await enter(stack, page, `/events/${id}`);
    await page.getByText('GONE').waitFor();
    await page.getByRole('button', { name: 'Erase' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase the payload?' });
    const button = dialog.getByRole('button', { name: 'Erase for good' });
    expect(await button.isDisabled()).toBe(true);
    await dialog.getByLabel('Reason').fill('Request 118');
    await inAllWidths(page, 'one');
    await button.click();
    await page.getByText('Erased:').waitFor();
    await page.getByRole('button', { name: 'Erase' }).waitFor({ state: 'detached' });
    expect(await page.getByText('GONE').count()).toBe(0);
    const [row] = await stack.delivery.rows<{ body: string }>(`select body from hookwright.events where id = ${id}`);
    expect(row).toEqual({ body: '{}' });
  });

  browserTest('reads of an erased event that it is erased, on its page and in the list', async ({ open }) => {
    const stack = await openStack();
    const id = await stack.delivery.emit('coupon.applied', coupon('GONE'));
    await stack.delivery.rows(
      `select hookwright.erase_events(tenant_id, array[id]) from hookwright.events where id = ${id}`,
    );
    const { page } = await open({ origin: stack.origin });
    await enter(stack, page, `/events/${id}`);
    await page.getByText('Erased:').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Events' }).first().click();
    await page.getByRole('row', { name: 'coupon.applied Erased' }).waitFor();
  });

  browserTest('counts the events that match a condition, and starts their erasure', async ({ open }) => {
    const stack = await openStack();
    await stack.delivery.emit('coupon.applied', coupon('42'));
    await stack.delivery.emit('coupon.applied', coupon('42'));
    const other = await stack.delivery.emit('coupon.applied', coupon('43'));
    const { page } = await open({ origin: stack.origin });
    await enter(stack, page, '/events');
    await page.getByRole('button', { name: 'Erase matching …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase matching events' });
    await dialog.getByRole('button', { name: 'Erase 3 events' }).waitFor();
    await dialog.getByLabel('Field').fill('code');
    await dialog.getByLabel('Value').fill('"42"');
    const button = dialog.getByRole('button', { name: 'Erase 2 events' });
    await button.waitFor();
    expect(await button.isDisabled()).toBe(true);
    await dialog.getByLabel('Reason').fill('Request 118');
    await inAllWidths(page, 'matching');
    await button.click();
    await dialog.getByRole('link', { name: 'Open the operation' }).click();
    await page.getByRole('heading', { level: 1, name: 'Erase events' }).waitFor();
    await page.getByText('Completed').first().waitFor();
    await page.getByText('code is …').waitFor();
    await inAllWidths(page, 'operation');
    const left = await stack.delivery.rows<{ id: number }>(`select id from hookwright.events where erased_at is null`);
    expect(left.map(({ id }) => Number(id))).toEqual([other]);
  });

  browserTest('sets the retention of a tenant, which the tenant reads', async ({ open }) => {
    const stack = await openStack();
    const { page } = await open({ origin: stack.origin });
    await enter(stack, page, '/settings');
    const days = page.getByLabel('Days for which payloads are kept');
    const save = page.locator('form', { has: days }).getByRole('button', { name: 'Save' });
    await days.fill('30');
    await save.click();
    await page.getByText('must be less than 30').waitFor();
    await days.fill('7');
    await inAllWidths(page, 'retention');
    await save.click();
    await eventually(async () => {
      const [row] = await stack.delivery.rows<{ retention_days: number }>(
        `select retention_days from hookwright.tenants where id = ${stack.delivery.tenantId}`,
      );
      return row!.retention_days === 7;
    });
    await page.goto(`/console/tenants/${stack.delivery.tenantId}/events`);
    await page.getByText('Payloads are kept for 7 days.').waitFor();
  });
});

browserTest('the portal says how long payloads are kept, and offers no erasure', async ({ open }) => {
  const stack = await openStack();
  const id = await stack.delivery.emit('coupon.applied', coupon('STAYS'));
  const { body } = await stack.api.graphql(
    `mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url } }`,
    { input: { capabilities: ['VIEW', 'BULK'] } },
  );
  const { page } = await open({ origin: stack.origin });
  await page.goto(body.data.createPortalSession.url);
  await page.getByRole('link', { name: 'Events' }).click();
  await page.getByText('Payloads are kept for 30 days.').waitFor();
  expect(await page.getByRole('button', { name: /^Erase/ }).count()).toBe(0);
  await page.getByRole('table', { name: 'Events' }).getByRole('link').first().click();
  await page.waitForURL(`**/events/${id}`);
  await page.getByText('STAYS').waitFor();
  expect(await page.getByRole('button', { name: /^Erase/ }).count()).toBe(0);
});
