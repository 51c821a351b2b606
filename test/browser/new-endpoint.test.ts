import type { Locator, Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { registerEventType } from '../../src/operations/event-types/register-event-type.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { countClicks } from '../support/browser/count-clicks.js';
import { visit } from '../support/browser/visit.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';
import { startReceiver } from '../support/receiver.js';

const SLACK = 'https://hooks.slack.com/services/T0/B0/x';
const MADE = 'The endpoint is ready';

const schema = {
  type: 'object',
  properties: {
    status: { type: 'string' },
    total: { type: 'number' },
    customer: { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } },
  },
};
const order = (total: number, status = 'paid') => ({ status, total, customer: { id: 'c-7', name: 'Ada' } });

/** A tenant with an event type for orders, two of which were emitted. */
async function openShop(): Promise<DashboardStack> {
  const stack = await DashboardStack.open();
  onTestFinished(() => stack[Symbol.asyncDispose]());
  const { db } = stack.delivery.services;
  await registerEventType(db, { name: 'order.changed', description: 'An order has changed.', schema }, commandLine);
  await stack.delivery.emit('order.changed', order(20));
  await stack.delivery.emit('order.changed', order(1_250));
  return stack;
}

const dryRun = (page: Page) => page.getByRole('region', { name: 'Dry run' });
const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name });
const rowsOf = (stack: DashboardStack, table: string) =>
  stack.delivery.rows<Record<string, unknown>>(`select * from hookwright.${table}`);

describe('a new endpoint', () => {
  browserTest('takes seven clicks to send paid orders above 1,000 to Slack, and sends no other', async ({ open }) => {
    const stack = await openShop();
    const page = await visit(open, stack, '/endpoints');
    const add = page.getByRole('link', { name: 'Add an endpoint' }).first();
    await add.waitFor();
    const { choose, count } = await countClicks(page);
    await add.click();
    await page.getByRole('textbox', { name: 'Url' }).waitFor();
    await page.keyboard.type(SLACK);
    await page.getByRole('checkbox', { name: /^order\.changed/ }).click();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.keyboard.type('status');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('paid');
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.keyboard.type('total');
    await choose(page.getByRole('combobox', { name: 'Comparison' }).last(), 'is greater than');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('1000');
    await dryRun(page).getByText('1 of your last 2 events match.').waitFor();
    await stack.delivery.emit('order.changed', order(30)); // nothing is there that could get it
    await page.getByRole('button', { name: 'Add the endpoint' }).click();
    await dialogOf(page, MADE).waitFor();
    expect(await count()).toBe(7);

    await stack.delivery.emit('order.changed', order(999));
    await stack.delivery.emit('order.changed', order(5_000, 'refunded'));
    const wanted = await stack.delivery.emit('order.changed', order(1_001));
    expect((await rowsOf(stack, 'deliveries')).map(({ event_id }) => Number(event_id))).toEqual([wanted]);
    expect(await rowsOf(stack, 'webhook_contents')).toEqual([expect.objectContaining({ format: 'SLACK' })]);
  });

  for (const width of [390, 1280]) {
    browserTest(`has its format, shape and order by keyboard, in a window of ${width} pixels`, async ({ open }) => {
      const stack = await openShop();
      const receiver = await startReceiver();
      onTestFinished(() => receiver[Symbol.asyncDispose]());
      const page = await visit(open, stack, '/endpoints/new', { width, theme: width === 390 ? 'dark' : 'light' });
      await page.getByRole('textbox', { name: 'Url' }).fill(SLACK);
      await page.getByText('Chosen by the URL.').waitFor();
      await page.getByRole('textbox', { name: 'Url' }).fill(receiver.url);
      expect(await dryRun(page).count()).toBe(0);
      await page.getByRole('combobox', { name: 'Format' }).selectOption('Discord message');
      await dryRun(page).getByText('Choose at least one event type.').waitFor();
      expect(await page.getByRole('button', { name: 'Add the endpoint' }).getAttribute('title')).toMatch(/^Choose/);
      await page.getByRole('checkbox', { name: /^order\.changed/ }).check();
      await dryRun(page).getByText('2 of your last 2 events match.').waitFor();
      const text = page.getByRole('textbox', { name: 'Text' });
      await text.fill('{{customer.nam}} paid');
      await page.getByText('No subscribed type has customer.nam in its schema.').waitFor();
      await text.fill('{{customer.name}} paid');
      await dryRun(page).getByText('Ada paid').waitFor();

      await page.getByRole('combobox', { name: 'Format' }).selectOption('JSON');
      await page.getByRole('button', { name: 'Send a part of it' }).focus();
      await page.keyboard.press('Enter');
      await page.keyboard.type('subscription { event { ... on OrderChanged { total } } }');
      await dryRun(page).getByText('1250').first().waitFor();
      await page.getByRole('button', { name: 'More options' }).focus();
      await page.keyboard.press('Enter');
      await page.keyboard.type('Shop');
      await page.getByRole('radio', { name: /^None/ }).focus();
      await page.keyboard.press('ArrowDown');
      await page.getByRole('combobox', { name: 'Key in the payload' }).fill('customer..id');
      expect(await axeViolations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Add the endpoint' }).click();
      await page.getByText(/with dots between them/).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.getByRole('combobox', { name: 'Key in the payload' }).fill('customer.id');
      await page.getByRole('button', { name: 'Add the endpoint' }).click();
      await dialogOf(page, MADE).waitFor();

      await stack.delivery.emit('order.changed', order(7));
      await eventually(() => receiver.received.length === 1);
      expect(receiver.received[0]!.body.toString()).toContain('{"total":7}');
      expect((await rowsOf(stack, 'deliveries'))[0]!['ordering_key']).not.toBeNull();
    });
  }

  browserTest(
    'is refused while a condition lacks its value; what the service refuses stands there',
    async ({ open }) => {
      const stack = await openShop();
      const page = await visit(open, stack, '/endpoints/new?type=order.changed');
      await page.getByRole('textbox', { name: 'Url' }).fill(stack.receiver.url);
      await page.getByRole('button', { name: 'Add a condition' }).click();
      await page.keyboard.type('total');
      const add = page.getByRole('button', { name: 'Add the endpoint' });
      expect(await add.getAttribute('title')).toBe('A condition lacks its field or its value.');
      await page.keyboard.press('Enter');
      await page.getByRole('textbox', { name: 'Value' }).fill('20');
      await dryRun(page).getByText('1 of your last 2 events match.').waitFor();
      await page.getByRole('combobox', { name: 'Field' }).fill('a..b');
      await add.click();
      await page
        .getByText(/^must be 1 to 10 names/)
        .first()
        .waitFor();
      expect(await rowsOf(stack, 'webhooks')).toEqual([]);
      expect(await axeViolations(page)).toEqual([]);
    },
  );

  browserTest('has no such fields for a session of the portal without MANAGE_OPTIONS', async ({ open }) => {
    const stack = await openShop();
    const { page } = await open({ origin: stack.origin, locale: 'de-DE' });
    const { body } = await stack.api.graphql(
      `mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url } }`,
      { input: { capabilities: ['MANAGE_ENDPOINTS'], path: '/endpoints/new' } },
    );
    await page.goto(body.data.createPortalSession.url);
    await page.getByRole('textbox', { name: 'Url' }).fill(SLACK);
    await page.getByRole('checkbox', { name: /^order\.changed/ }).check();
    expect(await page.getByText('Filter und Format').count()).toBe(0);
    expect(await page.getByText('Reihenfolge').count()).toBe(0);
    await page.getByRole('button', { name: 'Endpunkt hinzufügen' }).click();
    await dialogOf(page, 'Der Endpunkt ist bereit').waitFor();
    expect(await rowsOf(stack, 'webhook_contents')).toEqual([]);
  });
});

/** An endpoint for orders that holds three of them. */
async function openHolding(active: boolean): Promise<{ stack: DashboardStack; id: number; events: number[] }> {
  const stack = await openShop();
  const { id } = await stack.delivery.webhook(stack.receiver.url, ['order.changed', 'coupon.applied']);
  await stack.delivery.change(id, { active: false });
  const events = [];
  for (const total of [1, 2, 3]) {
    events.push(await stack.delivery.emit('order.changed', order(total)));
  }
  if (active) {
    await stack.delivery.change(id, { active: true, held: 'KEEP' });
  }
  await eventually(async () => (await stack.delivery.deliveries(`status = 'HELD'`)).length === 3);
  return { stack, id, events };
}

/** Sets a filter that none of them meets. */
async function setFilter(page: Page): Promise<Locator> {
  const dialog = dialogOf(page, 'Filter and format');
  await dialog.getByRole('combobox', { name: 'Field' }).fill('total');
  await dialog.getByRole('textbox', { name: 'Value' }).fill('9');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const asked = dialogOf(page, 'Held deliveries');
  await asked.getByText('3 held deliveries were made before this change.').waitFor();
  return asked;
}

describe('deliveries that were held before a change', () => {
  browserTest('of the filter of an active endpoint are sent as they were made', async ({ open }) => {
    const { stack, id, events } = await openHolding(true);
    const page = await visit(open, stack, `/endpoints/${id}?do=content`);
    const asked = await setFilter(page);
    expect(await axeViolations(page)).toEqual([]);
    await asked.getByRole('button', { name: 'Send 3' }).click();
    await page.getByText('3 held deliveries are being sent.').waitFor();
    for (const event of events) {
      await stack.delivery.reaches(event, 'SUCCEEDED');
    }
  });

  browserTest('of the filter of a paused one are discarded, and later ones stay held', async ({ open }) => {
    const { stack, id, events } = await openHolding(false);
    const page = await visit(open, stack, `/endpoints/${id}?do=content`, { width: 390 });
    const asked = await setFilter(page);
    expect(await axeViolations(page)).toEqual([]);
    await asked.getByRole('radio', { name: /^Discard/ }).check();
    await asked.getByRole('button', { name: 'Discard 3' }).click();
    await page.getByText('3 held deliveries are being canceled.').waitFor();
    for (const event of events) {
      await stack.delivery.reaches(event, 'CANCELED');
    }
    const later = await stack.delivery.emit('order.changed', order(9));
    expect((await stack.delivery.delivery(later)).status).toBe('HELD');
    expect((await stack.delivery.webhookRow(id)).active).toBe(false);
  });

  browserTest('of a type that is no longer subscribed to are asked about, too', async ({ open }) => {
    const { stack, id, events } = await openHolding(false);
    const page = await visit(open, stack, `/endpoints/${id}?do=edit`);
    const edit = dialogOf(page, 'Edit the endpoint');
    await edit.getByRole('checkbox', { name: /^order\.changed/ }).uncheck();
    await edit.getByRole('button', { name: 'Save' }).click();
    const asked = dialogOf(page, 'Held deliveries');
    await asked.getByRole('radio', { name: /^Send all 3 later/ }).waitFor();
    await asked.getByRole('button', { name: 'Keep them' }).click();
    await asked.waitFor({ state: 'detached' });
    expect((await stack.delivery.delivery(events[0]!)).status).toBe('HELD');
  });

  browserTest('are discarded at an active endpoint without any change', async ({ open }) => {
    const { stack, id, events } = await openHolding(true);
    const page = await visit(open, stack, `/endpoints/${id}?do=release`);
    const decide = dialogOf(page, 'Decide about held deliveries');
    await decide.getByRole('radio', { name: /^Discard/ }).check();
    await decide.getByRole('button', { name: 'Discard 3' }).click();
    for (const event of events) {
      await stack.delivery.reaches(event, 'CANCELED');
    }
  });
});
