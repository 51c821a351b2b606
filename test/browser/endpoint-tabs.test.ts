import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { countClicks } from '../support/browser/count-clicks.js';
import { answerOneByOne, layoutShift } from '../support/browser/layout-shift.js';
import { lowColumns } from '../support/browser/room.js';
import { untilStill } from '../support/browser/until-still.js';
import { visit } from '../support/browser/visit.js';
import { AUTHORITY, GOOD, KEY } from '../support/certificates.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';

/** The two tabs of an endpoint's page: what is where, how high they are, and how few clicks the usual tasks take. */

const HEIGHT_MAX = { 1280: 1_400, 390: 2_200 } as const;
const SHIFT_MAX = 0.05;

async function openStack(settings?: Record<string, string>): Promise<DashboardStack> {
  const stack = await DashboardStack.open(settings);
  onTestFinished(() => stack[Symbol.asyncDispose]());
  return stack;
}

const tabOf = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Endpoint', exact: true }).getByRole('link', { name });
const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name });

const SHAPE = `subscription {
  event {
    id
    ... on CouponApplied { code discount_type }
  }
}`;

/** All that a tenant and the operator can set. */
const everyOption = () => ({
  url: 'https://receiver.example.com/hooks/of/the/shop?tenant=acme&mode=push',
  name: 'Coupons of the shop',
  description: 'Tells the shop which coupons were applied, so that it can count them.',
  metadata: { team: 'payments', cost_center: '4711' },
  externalId: 'shop/coupons-7',
  eventTypes: ['booking.canceled', 'booking.created', 'coupon.applied', 'voucher.emitted', 'webhook.disabled'],
  content: {
    filter: {
      all: [
        { field: { path: 'code', op: 'STARTS_WITH', value: 'SUMMER' } },
        { field: { path: 'discount_type', op: 'IN', value: ['percent', 'fixed'] } },
        { field: { path: 'discount_typ', op: 'EXISTS' } },
      ],
    },
    format: 'TEMPLATE',
    template: { text: '{{code}} was applied', type: '{{discount_type}}' },
    shape: SHAPE,
  },
  ordering: {
    ...{ by: 'KEY', keyPath: 'code', keep: 'LATEST', onFailure: 'BLOCK' },
    ...{ settleSeconds: 5, settleMaxSeconds: 60 },
  },
  delivery: {
    method: 'PUT',
    timeoutMs: 20_000,
    retryDelaysSeconds: [300, 900, 3_600, 10_800, 28_800, 43_200],
    recovery: 'AUTOMATIC',
    ratePerSecond: 2.5,
    concurrencyMax: 12,
    signing: 'SECRET_AND_KEY',
    setHeaders: ['X-Shop', 'X-Region', 'X-Secret'].map((name) => ({ name, value: name, secret: name === 'X-Secret' })),
    auth: {
      oauth2: {
        ...{ tokenUrl: 'https://id.example.com/oauth2/token', clientId: 'hooks', clientSecret: randomUUID() },
        ...{ scope: 'hooks:write hooks:read', audience: 'https://receiver.example.com' },
      },
    },
    tls: { caPem: AUTHORITY, clientCertificatePem: GOOD, clientKeyPem: KEY },
  },
});

/** An endpoint with every option, five keys of which are blocked and one waits, and with many reasons of failures. */
async function openFull(): Promise<{ stack: DashboardStack; id: number }> {
  const stack = await openStack({ MAX_RETRIES: '0' });
  const { id } = await openBlocked(stack, ['A', 'B', 'C', 'D', 'E']);
  const { body } = await stack.api.graphql(
    `mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id } } }`,
    { input: { id: `wh_${id}`, ...everyOption() } },
  );
  expect(body.errors).toBeUndefined();
  await stack.delivery.change(id, { compat: 'svix' });
  await stack.delivery.rows(`
    insert into hookwright.verifications (webhook_id, tenant_id, host, status, checked_at, method)
    values (${id}, ${stack.delivery.tenantId}, 'receiver.example.com', 'VERIFIED', now(), 'CHALLENGE')`);
  await stack.delivery.rows(`
    update hookwright.deliveries d
    set last_error_code = (array['TLS_FAILED', 'HTTP_503', 'TIMEOUT', 'DNS_FAILED', 'HTTP_400'])[1 + position % 5]
    from (select id, row_number() over (order by id) as position from hookwright.deliveries) numbered
    where numbered.id = d.id and status = 'FAILED'`);
  return { stack, id };
}

/** An endpoint in order by key, whose first delivery of each of these keys has failed for good. */
async function openBlocked(stack: DashboardStack, codes: readonly string[]): Promise<{ id: number }> {
  const { id } = await stack.delivery.webhook(stack.receiver.url, ['coupon.applied']);
  await stack.delivery.change(id, { by: 'KEY', keyPath: 'code', onFailure: 'BLOCK' });
  await stack.receiver.goAway();
  const emit = (code: string) => stack.delivery.emit('coupon.applied', { code, discount_type: 'fixed' });
  const first = await Promise.all(codes.map(emit));
  for (const event of first) {
    await stack.delivery.reaches(event, 'FAILED');
  }
  await Promise.all(codes.map(emit));
  return { id };
}

const pageHeight = (page: Page) => page.evaluate<number>('document.documentElement.scrollHeight');

describe('the page of an endpoint with every option', () => {
  for (const width of [1280, 390] as const) {
    browserTest(`is at most ${HEIGHT_MAX[width]} pixels high on both tabs, in ${width} pixels`, async ({ open }) => {
      const { stack, id } = await openFull();
      const page = await visit(open, stack, `/endpoints/${id}`, { width });
      await page
        .getByText(/^Blocked for .+ by delivery \S+; 1 waiting\. It failed for good: /)
        .first()
        .waitFor();
      await page.getByText('Why deliveries failed').waitFor();
      await untilStill(page);
      expect(await pageHeight(page)).toBeLessThanOrEqual(HEIGHT_MAX[width]);
      expect(await lowColumns(page)).toEqual([]);
      expect(await axeViolations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Show all 5' }).first().click();
      expect(await page.getByRole('button', { name: 'Unblock' }).count()).toBe(5);
      await tabOf(page, 'Settings').click();
      for (const name of ['Setup', 'Filter and format', 'Ordering', 'Rate and retries', 'TLS', 'Signatures']) {
        await page.getByRole('heading', { name, exact: true }).waitFor();
      }
      await untilStill(page);
      expect(await pageHeight(page)).toBeLessThanOrEqual(HEIGHT_MAX[width]);
      expect(await lowColumns(page)).toEqual([]);
      expect(await axeViolations(page)).toEqual([]);
      await page.getByText('Show the shape').click();
      await page.getByText('... on CouponApplied').waitFor();
    });
  }

  browserTest('does not move while it loads', async ({ open }) => {
    const { stack, id } = await openFull();
    const page = await visit(open, stack, '/overview');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await answerOneByOne(page);
    for (const tab of ['', '?tab=settings']) {
      await page.goto(`/console/tenants/${stack.delivery.tenantId}/endpoints/${id}${tab}`);
      await page.getByRole('heading', { name: tab === '' ? 'Why deliveries failed' : 'Signatures' }).waitFor();
      await untilStill(page);
      const { sum, moved } = await layoutShift(page);
      expect.soft(sum, `${tab}\n${moved.join('\n')}`).toBeLessThanOrEqual(SHIFT_MAX);
    }
  });
});

describe('a tab of an endpoint', () => {
  browserTest('is in the address, by its link and by keyboard, and the way back leads to it', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    const page = await visit(open, stack, `/endpoints/${id}?range=7d`);
    await page.getByRole('heading', { name: 'Coming up' }).waitFor();
    expect(await tabOf(page, 'Activity').getAttribute('aria-current')).toBe('page');
    await tabOf(page, 'Settings').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Setup' }).waitFor();
    expect(new URL(page.url()).search).toBe('?range=7d&tab=settings');
    await page.goBack();
    await page.getByRole('heading', { name: 'Coming up' }).waitFor();
    expect(new URL(page.url()).search).toBe('?range=7d');
    await page.keyboard.press('t');
    await page.getByRole('heading', { name: 'Setup' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Setup' }).waitFor();
    await page.keyboard.press('t');
    await page.getByRole('heading', { name: 'Coming up' }).waitFor();
  });

  browserTest('is that of the action in the address, and stays below an action that begins there', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    await stack.delivery.rows(`update hookwright.webhook_options set external_id = 'crm-17' where webhook_id = ${id}`);
    const page = await visit(open, stack, `/endpoints/${id}?do=content`);
    await dialogOf(page, 'Filter and format').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Setup' }).waitFor();
    expect(new URL(page.url()).search).toBe('?tab=settings');
    await page.goto(`/console/tenants/${stack.delivery.tenantId}/endpoints/wh_${id}?do=pause`);
    await page.getByRole('heading', { name: 'Coming up' }).waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await dialogOf(page, 'Edit the endpoint').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Coming up' }).waitFor();
    await eventually(() => new URL(page.url()).search === '');
  });
});

describe('a blocked key', () => {
  browserTest('is named on the overview, and by the failed delivery, which unblocks it', async ({ open }) => {
    const stack = await openStack({ MAX_RETRIES: '0' });
    const { id } = await openBlocked(stack, ['A']);
    const [failed] = await stack.delivery.rows<{ id: string }>(
      `select id from hookwright.deliveries where status = 'FAILED'`,
    );
    const page = await visit(open, stack, '/overview');
    await page.getByText('1 endpoint has blocked keys:').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByText('1 endpoint has blocked keys:').locator('..').getByRole('link').click();
    await page.waitForURL((url) => url.pathname.endsWith(`/endpoints/${id}`));
    await page.getByRole('link', { name: /^delivery / }).click();
    await page.waitForURL((url) => url.pathname.endsWith(`/deliveries/${failed!.id}`));
    await page.getByText('It blocks its key: 1 delivery waits.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Skip the failed one' }).click();
    await stack.receiver.comeBack();
    await dialogOf(page, 'Unblock the key').getByRole('button', { name: 'Unblock' }).click();
    await page.getByText('It blocks its key').waitFor({ state: 'detached' });
    await eventually(() => stack.receiver.deliveries === 1);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Still to be sent').waitFor();
    await page.getByText('1 endpoint has blocked keys:').waitFor({ state: 'detached' });
  });
});

describe('clicks', () => {
  browserTest('from the list of endpoints a key is unblocked in three', async ({ open }) => {
    const stack = await openStack({ MAX_RETRIES: '0' });
    await openBlocked(stack, ['A', 'B']);
    const page = await visit(open, stack, '/endpoints');
    const link = page.getByRole('table', { name: 'Endpoints' }).getByRole('link');
    await link.waitFor();
    const { count } = await countClicks(page);
    await link.click();
    await page.getByRole('button', { name: 'Unblock' }).first().click();
    await dialogOf(page, 'Unblock the key')
      .getByText(/^Blocked for .+ by delivery \S+; 1 waiting\. /)
      .waitFor();
    await stack.receiver.comeBack();
    await dialogOf(page, 'Unblock the key').getByRole('button', { name: 'Unblock' }).click();
    await page.getByText('The key is unblocked.').waitFor();
    expect(await count()).toBe(3);
    await eventually(() => stack.receiver.deliveries === 2);
  });

  browserTest('from the list of endpoints a secret is rotated in four', async ({ open }) => {
    const stack = await openStack();
    await stack.delivery.webhook(stack.receiver.url);
    const page = await visit(open, stack, '/endpoints');
    const link = page.getByRole('table', { name: 'Endpoints' }).getByRole('link');
    await link.waitFor();
    const { count } = await countClicks(page);
    await link.click();
    await tabOf(page, 'Settings').click();
    await page.getByText('Hidden. Rotate to get a new one.').waitFor();
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await dialogOf(page, 'The new signing secret')
      .getByText(/^whsec_/)
      .waitFor();
    expect(await count()).toBe(4);
  });
});
