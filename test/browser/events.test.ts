import { afterAll, beforeAll, describe, expect } from 'vitest';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { visit } from '../support/browser/visit.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';

let stack: DashboardStack;
beforeAll(async () => {
  stack = await DashboardStack.open();
});
afterAll(() => stack[Symbol.asyncDispose]());

describe('an event', () => {
  browserTest('is found by its payload, and says who did not get it and what helps', async ({ open }) => {
    await stack.delivery.webhook(`${stack.receiver.url}/vouchers`, ['voucher.emitted']);
    const eventId = await stack.delivery.emit('coupon.applied', { code: 'FIND-ME', discount_type: 'fixed' });
    await stack.delivery.emit();
    const later = await stack.delivery.webhook(`${stack.receiver.url}/later`, ['coupon.applied']);
    const page = await visit(open, stack, '/events');
    const rows = page.getByRole('table', { name: 'Events' }).locator('tbody tr');
    await eventually(async () => (await rows.count()) === 2);

    await page.getByLabel('Text in the payload').fill('FI');
    await page.getByText('at least 3 characters').waitFor();
    await page.getByLabel('Text in the payload').fill('FIND-ME');
    await eventually(async () => (await rows.count()) === 1);
    expect(new URL(page.url()).searchParams.get('text')).toBe('FIND-ME');
    expect(await rows.locator('td[data-name=Payload]').innerText()).toBe('code FIND-ME discount_type fixed');
    expect(await rows.locator('mark').allInnerTexts()).toEqual(['FIND-ME']);
    await rows.getByRole('link').click();

    await page.getByText('No endpoint got this event.').waitFor();
    await page.getByRole('row', { name: /vouchers.*not subscribed/ }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const row = page.getByRole('row', { name: /\/later/ });
    await row.getByText('added after the event was emitted').locator('visible=true').waitFor();
    await row.getByRole('button', { name: 'Send it now' }).click();
    await row.getByText('Delivered').waitFor();
    expect((await stack.delivery.deliveries(`event_id = ${eventId}`)).map((one) => one.webhook_id)).toEqual([later.id]);
    await page.getByText('It went to 1 of 2 endpoints: 1 delivered.').waitFor();
  });
});

describe('the fates of an event', () => {
  browserTest('begin with what surprises, and fold the endpoints that do not want it', async ({ open }) => {
    const { delivery, receiver } = stack;
    const wanted = await delivery.webhook(`${receiver.url}/wanted`, ['coupon.applied']);
    const failing = await delivery.webhook(`${receiver.url}/failing`, ['coupon.applied']);
    for (let count = 0; count < 5; count += 1) {
      await delivery.webhook(`${receiver.url}/other/${count}`, ['voucher.emitted']);
    }
    const eventId = await delivery.emit();
    await eventually(
      async () => (await delivery.deliveries(`event_id = ${eventId} and status = 'SUCCEEDED'`)).length > 1,
    );
    await delivery.rows(`update hookwright.deliveries set status = 'FAILED', last_error_code = 'TIMEOUT', finished_at = now()
      where event_id = ${eventId} and webhook_id = ${failing.id} returning id`);
    const page = await visit(open, stack, `/events/${eventId}`);
    const rows = page.getByRole('table', { name: 'Endpoints' }).locator('tbody tr');
    await rows.first().getByText('/failing').waitFor();
    await rows.first().getByText('Failed', { exact: true }).waitFor();
    const paths = async () => (await rows.allInnerTexts()).map((text) => /\/(\w+)/.exec(text.split(':').at(-1)!)?.[1]);
    expect(await page.getByText(`/wanted`).count()).toBeGreaterThan(0);
    const shown = (await paths()).length;
    await page.getByText(/\d+ are not subscribed\./).waitFor();
    await page.getByRole('button', { name: 'Show them' }).click();
    await eventually(async () => (await paths()).length >= shown + 5);
    await page.getByRole('button', { name: 'Hide them' }).click();
    await eventually(async () => (await paths()).length === shown);
    expect(wanted.id).toBeGreaterThan(0);
  });
});

describe('a scheduled event', () => {
  browserTest('is listed with its time, shows its payload, and is canceled after a question', async ({ open }) => {
    await stack.delivery.rows(
      `select from hookwright.schedule(${stack.delivery.tenantId}, 'coupon.applied',
         '{"code":"LATER","discount_type":"fixed"}', now() + interval '1 hour', 'BK-1-reminder')`,
    );
    const page = await visit(open, stack, '/events');
    await page.getByRole('link', { name: 'Scheduled' }).click();
    const rows = page.getByRole('table', { name: 'Scheduled' }).locator('tbody tr');
    await rows.getByRole('button', { name: 'coupon.applied' }).click();
    const dialog = page.getByRole('dialog', { name: 'coupon.applied' });
    await dialog.getByText('LATER').waitFor();
    await dialog.getByText('BK-1-reminder').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel the event' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel the event' }).click();
    await dialog.getByText('Canceled').first().waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await rows.getByText('Canceled').waitFor();
    await page.getByLabel('State').selectOption('SCHEDULED');
    await page.getByText('No matching events').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});

describe('the list of events', () => {
  browserTest('lets new events wait while somebody looks, and then shows them without a gap', async ({ open }) => {
    await stack.delivery.webhook(stack.receiver.url, ['coupon.applied']);
    for (let count = 0; count < 60; count += 1) {
      await stack.delivery.emit();
    }
    const page = await visit(open, stack, '/events');
    const numbers = page.getByRole('table', { name: 'Events' }).locator('tbody td[data-name=Number]');
    await page.getByRole('button', { name: 'Show more' }).click();
    await eventually(async () => (await numbers.count()) >= 60);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();

    const before = await numbers.allInnerTexts();
    for (let count = 0; count < 5; count += 1) {
      await stack.delivery.emit();
    }
    const show = page.getByRole('button', { name: 'Show new events' });
    await show.waitFor();
    expect(await numbers.allInnerTexts()).toEqual(before);
    await show.click();
    const newest = await stack.delivery.rows<{ id: number }>(
      'select id from hookwright.events order by id desc limit 50',
    );
    await eventually(async () => (await numbers.first().innerText()) === `${newest[0]?.id}`);
    expect((await numbers.allInnerTexts()).slice(0, 50)).toEqual(newest.map(({ id }) => `${id}`));
  });
});

describe('an event type', () => {
  browserTest('shows its properties, and sends an edited sample once that fits the schema', async ({ open }) => {
    const { id } = await stack.delivery.webhook(`${stack.receiver.url}/test`, ['booking.created']);
    const page = await visit(open, stack, '/catalogue');
    await page.getByLabel('Find an event type').fill('booking created');
    await page.getByRole('link', { name: 'booking.created' }).click();
    await page.getByRole('row', { name: /booking_code required string/ }).waitFor();
    await page.getByRole('table', { name: 'Subscribers' }).getByRole('link').waitFor();
    expect(await axeViolations(page)).toEqual([]);

    const payload = page.getByLabel('Payload', { exact: true });
    await payload.fill('{\n  "booking_code": 5,\n  "local_number": "1",\n  "brand": "A"\n}');
    await page.getByLabel('Endpoint').selectOption(`wh_${id}`);
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('button', { name: 'line 2' }).waitFor();
    await page.getByText('must be a string').waitFor();

    await payload.fill('{\n  "booking_code": "BK-5",\n  "local_number": "1",\n  "brand": "A"\n}');
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/The endpoint answered 200/).waitFor();
    const [delivery] = await stack.delivery.deliveries(`webhook_id = ${id}`);
    expect(delivery?.status).toBe('SUCCEEDED');
  });
});

describe('an event type that nobody gets', () => {
  browserTest('leads to a new endpoint that has it chosen', async ({ open }) => {
    const page = await visit(open, stack, '/catalogue/booking.canceled');
    await page.getByText('No endpoint is subscribed to it.').waitFor();
    await page.getByRole('link', { name: 'Add an endpoint' }).last().click();
    expect(await page.getByRole('checkbox', { name: /booking\.canceled/ }).isChecked()).toBe(true);
  });
});

describe('a key', () => {
  browserTest('is shown once, can be revoked, and is in the audit log', async ({ open }) => {
    const page = await visit(open, stack, '/keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('<b>checkout</b>');
    await page.getByLabel(/^emit events/).check();
    await page.getByRole('button', { name: 'Create the key' }).click();
    const text = await page.getByText(/^hw_\d+_\w+$/).innerText();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Copy the key' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    const works = async () =>
      (
        await fetch(`${stack.origin}/graphql`, {
          method: 'POST',
          headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' },
          body: '{"query":"{ viewer { scopes } }"}',
        })
      ).status === 200;
    expect(await works()).toBe(true);

    const row = page.getByRole('row', { name: /<b>checkout<\/b>/ });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('It was last used').or(page.getByText('It was never used')).waitFor();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await row.waitFor({ state: 'detached' });
    await eventually(async () => !(await works()));

    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('button', { name: 'Key created' }).first().click();
    await page.getByRole('dialog').getByText('<b>checkout</b>').first().waitFor();
    expect(new URL(page.url()).searchParams.has('entry')).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
  });
});
