import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { createApiKey } from '../../src/operations/keys/create-api-key.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { countClicks } from '../support/browser/clicks.js';
import { visit } from '../support/browser/visit.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';
import { makeTenant } from '../support/factories.js';

async function openStack(): Promise<DashboardStack> {
  const stack = await DashboardStack.open();
  onTestFinished(() => stack[Symbol.asyncDispose]());
  return stack;
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Signs in as the operator, by the link of the start. */
async function operate(page: Page, stack: DashboardStack): Promise<void> {
  await page.goto(stack.startLink);
  await heading(page, 'Installation');
}

async function find(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: /^Find/ }).click();
  await page.getByRole('combobox').fill(text);
  await page.getByRole('option', { name: /^Search payloads for/ }).click();
}

describe('why order 815 did not arrive, from its text', () => {
  browserTest('takes three clicks in a tenant', async ({ open }) => {
    const stack = await openStack();
    await stack.delivery.webhook(`${stack.receiver.url}/vouchers`, ['voucher.emitted']);
    await stack.delivery.emit('coupon.applied', { code: 'order 815', discount_type: 'fixed' });
    await stack.delivery.emit();
    const page = await visit(open, stack, '/overview');
    await heading(page, 'Overview');
    const clicks = await countClicks(page);
    await find(page, 'order 815');
    const rows = page.getByRole('table', { name: 'Events' }).locator('tbody tr');
    await eventually(async () => (await rows.count()) === 1);
    await rows.getByRole('link').click();
    await page.getByText('No endpoint got this event.').waitFor();
    expect(clicks()).toBeLessThanOrEqual(3);
  });

  browserTest('takes three clicks in the console, over its tenants', async ({ open }) => {
    const stack = await openStack();
    await makeTenant(stack.delivery.services);
    await stack.delivery.emit('coupon.applied', { code: 'order 815', discount_type: 'fixed' });
    const { page } = await open({ origin: stack.origin });
    await operate(page, stack);
    const clicks = await countClicks(page);
    await find(page, 'order 815');
    await page.getByText('2 of 2 tenants searched.').waitFor();
    const found = page.getByRole('list', { name: /^Events of/ }).getByRole('listitem');
    expect(await found.locator('mark').allInnerTexts()).toEqual(['order 815']);
    expect(await axeViolations(page)).toEqual([]);
    await found.getByRole('link').click();
    await page.getByText('No endpoint existed when the event was emitted.').waitFor();
    expect(clicks()).toBeLessThanOrEqual(3);
  });

  browserTest('says so where no payload has it, and can be stopped', async ({ open }) => {
    const stack = await openStack();
    const { page } = await open({ origin: stack.origin });
    await operate(page, stack);
    let release = () => {};
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('query PayloadsWith')) {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      }
      await route.continue().catch(() => {}); // it was broken off
    });
    await page.goto('/console/payloads?text=815');
    await button(page, 'Stop').click();
    await page.getByText('0 of 1 tenants searched.').waitFor();
    release();
    await page.unroute('**/graphql');
    await button(page, 'Go on').click();
    await page.getByText('No matching payload').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});

describe('an event type of the catalogue', () => {
  browserTest('is emitted in four clicks, and shows who got the event', async ({ open }) => {
    const stack = await openStack();
    await stack.delivery.webhook(stack.receiver.url, ['coupon.applied']);
    const page = await visit(open, stack, '/catalogue/coupon.applied');
    await heading(page, 'coupon.applied');
    const clicks = await countClicks(page);
    await button(page, 'Emit').click();
    const dialog = page.getByRole('dialog', { name: 'Emit coupon.applied' });
    const payload = dialog.getByRole('textbox', { name: 'Payload' });
    expect(await dialog.getByLabel('Idempotency key').inputValue()).toMatch(/^dashboard-/);
    expect(await axeViolations(page)).toEqual([]);
    await payload.fill('{"code": 1}');
    await button(page, 'Emit the event').click();
    await dialog.getByText('It breaks these rules:').waitFor();
    await payload.fill('{"code": "SUMMER", "discount_type": "fixed"}');
    await button(page, 'Emit the event').click();
    await page.waitForURL(/\/events\/\d+$/);
    await page.getByText(/^It went to 1 of 1/).waitFor();
    expect(clicks()).toBeLessThanOrEqual(4);
    await eventually(() => stack.receiver.deliveries === 1);
  });

  browserTest('is scheduled in four clicks from the empty list, which says how', async ({ open }) => {
    const stack = await openStack();
    const page = await visit(open, stack, '/scheduled');
    await page.getByText('scheduleEvent(input').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const clicks = await countClicks(page);
    await page.getByRole('link', { name: 'Choose an event type to schedule' }).click();
    await page.getByRole('link', { name: 'coupon.applied' }).click();
    await button(page, 'Schedule').click();
    await button(page, 'Schedule the event').click();
    const shown = page.getByRole('dialog', { name: 'coupon.applied' });
    await shown.getByText('Scheduled', { exact: true }).first().waitFor();
    expect(clicks()).toBeLessThanOrEqual(4);
    const [event] = await stack.delivery.rows<{ minutes: number }>(
      'select extract(epoch from deliver_at - now())::integer / 60 as minutes from hookwright.scheduled_events',
    );
    expect(event!.minutes).toBeGreaterThan(55);
    expect(event!.minutes).toBeLessThanOrEqual(60);
  });

  browserTest('is not offered to those who may not emit', async ({ open }) => {
    const stack = await openStack();
    const { key } = await createApiKey(stack.delivery.services.db, stack.delivery.services.random, {
      tenantId: stack.delivery.tenantId,
      name: 'reader',
      scopes: ['webhooks:read', 'events:read'],
      by: commandLine,
    });
    const { page } = await open({ origin: stack.origin });
    await page.goto(`/console/tenants/${stack.delivery.tenantId}/catalogue/coupon.applied`);
    await page.getByLabel('API key').fill(key);
    await button(page, 'Sign in').click();
    await page.getByRole('link', { name: 'View events' }).waitFor();
    expect(await button(page, 'Emit').count()).toBe(0);
    expect(await button(page, 'Schedule').count()).toBe(0);
  });
});

describe('what failed yesterday between 2 and 4', () => {
  browserTest('is sent again in seven clicks', async ({ open }) => {
    const stack = await openStack();
    const page = await visit(open, stack, '/overview');
    await heading(page, 'Overview');
    const sent: { filter: { status?: string; since: string; until: string }; dryRun?: boolean }[] = [];
    page.on('request', (request) => {
      const body = request.postData() ?? '';
      if (body.includes('mutation RecoverDeliveries')) {
        sent.push(JSON.parse(body).variables.input);
      }
    });
    const clicks = await countClicks(page);
    await page.getByRole('link', { name: 'Deliveries', exact: true }).first().click();
    await page
      .getByRole('group', { name: 'Views' })
      .getByRole('button', { name: /^Failed/ })
      .click();
    await button(page, 'All that match').click();
    await page.getByRole('menuitem', { name: 'Send again' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send deliveries again' });
    await dialog.getByRole('button', { name: 'Yesterday' }).click();
    await eventually(async () => (await dialog.getByLabel('From: time').and(page.locator(':focus')).count()) === 1);
    await page.keyboard.type('2');
    await dialog.getByLabel('Until: time').click();
    await page.keyboard.type('4');
    const hour = (day: Date, hours: number) => new Date(day.getFullYear(), day.getMonth(), day.getDate(), hours);
    const yesterday = new Date(Date.now() - 86_400_000);
    await eventually(() => {
      const { status, since = '', until = '' } = sent.at(-1)?.filter ?? {};
      return (
        status === 'FAILED' &&
        Date.parse(since) === hour(yesterday, 2).getTime() &&
        Date.parse(until) === hour(yesterday, 4).getTime()
      );
    });
    expect(clicks()).toBeLessThanOrEqual(6); // and one that confirms
    expect(await axeViolations(page)).toEqual([]);
  });

  browserTest('is told from what failed and was tried again', async ({ open }) => {
    const stack = await openStack();
    const page = await visit(open, stack, '/deliveries');
    const views = page.getByRole('group', { name: 'Views' });
    await views.getByRole('button', { name: /^Attempts failed/ }).click();
    await page.waitForURL(/status=ATTEMPT_FAILED/);
    await button(page, 'Filter').click();
    await button(page, 'State').click();
    await page.getByText('For good: no retry is left.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});

describe('keys', () => {
  browserTest('that are pressed while the page loads have their meaning', async ({ open }) => {
    const stack = await openStack();
    const page = await visit(open, stack, '/overview');
    await heading(page, 'Overview');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/graphql', async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await page.getByText('Signing in …').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    release();
    await heading(page, 'Endpoints');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Shortcuts' }).getByText('g e').waitFor();
  });

  browserTest('that are typed while the search loads are what is searched', async ({ open }) => {
    const stack = await openStack();
    const { page } = await open({ origin: stack.origin });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/assets\/finder-.*\.js$/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`/console/tenants/${stack.delivery.tenantId}/overview`);
    await page.getByLabel('API key').fill(stack.key);
    await button(page, 'Sign in').click();
    await heading(page, 'Overview');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('gex');
    await page.keyboard.press('Backspace');
    await page.keyboard.type(' 815');
    release();
    await eventually(async () => (await page.getByRole('combobox').inputValue()) === 'ge 815');
    await page.keyboard.type('6');
    expect(await page.getByRole('combobox').inputValue()).toBe('ge 8156');
  });
});

describe('the operator', () => {
  browserTest('reads which settings are missing for notices, and a tenant does not', async ({ open }) => {
    const stack = await openStack();
    const { page } = await open({ origin: stack.origin });
    await operate(page, stack);
    await page.goto(`/console/tenants/${stack.delivery.tenantId}/overview`);
    await page.getByRole('link', { name: 'Notices' }).click();
    await page.getByText('Set SMTP_URL, MAIL_FROM, and PUBLIC_URL for API and daemon').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const own = await visit(open, stack, '/overview');
    await heading(own, 'Overview');
    expect(await own.getByRole('link', { name: 'Notices' }).count()).toBe(0);
  });

  browserTest('opens GraphiQL with the session and the tenant of the console', async ({ open }) => {
    const stack = await openStack();
    const { page } = await open({ origin: stack.origin });
    await operate(page, stack);
    await page.goto(`/console/tenants/${stack.delivery.tenantId}/overview`);
    await button(page, 'Preferences').click();
    const opened = page.context().waitForEvent('page');
    await page.getByRole('menuitem', { name: 'GraphiQL' }).click();
    const graphiql = await opened;
    await graphiql.getByRole('button', { name: /execute/i }).click();
    const result = graphiql.getByLabel('Result Window');
    await result.getByText(`"tn_${stack.delivery.tenantId}"`).waitFor();
    await result.getByText('"platform:admin"').waitFor();
  });
});
