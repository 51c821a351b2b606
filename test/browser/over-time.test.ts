import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { visit } from '../support/browser/visit.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';
import { QueueClock } from '../support/queue-over-time.js';
import { postGraphql } from '../support/served-api.js';

const OUTAGE_MINUTES = 20;

async function openStack(): Promise<DashboardStack> {
  const stack = await DashboardStack.open();
  onTestFinished(() => stack[Symbol.asyncDispose]());
  return stack;
}

/** The receiver is away for twenty minutes of a clock, in which deliveries pile up; then it comes back. */
async function outage(stack: DashboardStack): Promise<{ webhookId: number }> {
  const { delivery, receiver } = stack;
  const { id: webhookId } = await delivery.webhook(receiver.url);
  const clock = new QueueClock(delivery);
  await clock.start();
  await clock.count();
  await receiver.goAway();
  await delivery.emits(10);
  await eventually(async () => !(await delivery.webhookRow(webhookId)).active);
  // Those that were in hand are held a moment later.
  await eventually(async () => (await delivery.deliveries(`status = 'PENDING'`)).length === 0, 40_000);
  for (let minute = 0; minute < OUTAGE_MINUTES; minute += 1) {
    await delivery.emits(3);
    expect(await clock.count()).toBe(3);
  }
  await receiver.comeBack();
  await delivery.change(webhookId, { active: true });
  await eventually(async () => (await delivery.deliveries(`status in ('HELD', 'PENDING')`)).length === 0);
  expect(await clock.count()).toBe(0);
  return { webhookId };
}

const since = () => `since=${new Date(Date.now() - 70 * 60_000).toISOString()}`;

/** The held deliveries that a chart has in its table, those of the outage. */
const heldIn = async (page: Page) => {
  const figure = page.locator('figure').filter({ hasText: 'Queue over time' });
  await figure.waitFor({ state: 'attached' });
  const rows = await figure
    .locator('tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')));
  return rows.map(([, held = '']) => Number(held)).filter((held) => held > 0);
};

/** It rises each minute, and is over then. */
function expectRise(held: number[]) {
  expect(held).toHaveLength(OUTAGE_MINUTES);
  expect(held.at(-1)! - held[0]!).toBe(3 * (OUTAGE_MINUTES - 1));
  expect(held.every((count, at) => at === 0 || count - held[at - 1]! === 3)).toBe(true);
}

describe('the queue over time', () => {
  for (const width of [1280, 390]) {
    browserTest(`rises and falls with an outage, for endpoint and tenant, at ${width}`, async ({ open }) => {
      const stack = await openStack();
      const { webhookId } = await outage(stack);
      const page = await visit(open, stack, `/endpoints/${webhookId}?${since()}`, { width });
      expectRise(await heldIn(page));
      expect(await axeViolations(page)).toEqual([]);
      await page.goto(`/console/tenants/${stack.delivery.tenantId}/overview?${since()}`);
      expectRise(await heldIn(page));
      await page.getByText(/^Peak \d+/).waitFor();
      const failures = page.locator('figure').filter({ hasText: 'Failures by reason over time' });
      await failures.getByText('the connection is refused').first().waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      expect(await axeViolations(page)).toEqual([]);
    });
  }

  browserTest('is that of all tenants on the page of the installation', async ({ open }) => {
    const stack = await openStack();
    await outage(stack);
    const { page } = await open({ origin: stack.origin });
    await page.goto(stack.startLink);
    await page.getByRole('heading', { level: 1, name: 'Installation' }).waitFor();
    await page.goto(`/console/?${since()}`);
    expectRise(await heldIn(page));
  });

  browserTest('is in the portal, of its own tenant', async ({ open }) => {
    const stack = await openStack();
    const { webhookId } = await outage(stack);
    const made = await postGraphql(stack.origin, stack.key, {
      query: 'mutation { createPortalSession(input: {capabilities: [VIEW]}) { url } }',
    });
    const { page } = await open({ origin: stack.origin });
    await page.goto(made.data.createPortalSession.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    for (const path of ['/overview', `/endpoints/${webhookId}`]) {
      await page.goto(`/portal${path}?${since()}`);
      expectRise(await heldIn(page));
    }
  });
});

describe('failures by reason', () => {
  browserTest('lead to the deliveries that failed so, from the legend and from a bar', async ({ open }) => {
    const stack = await openStack();
    const { webhookId: id } = await stack.delivery.endpoint((_, response) => void response.writeHead(503).end());
    await stack.delivery.emits(4);
    await eventually(async () => (await stack.delivery.rows('select from hookwright.failure_stats')).length > 0);
    const page = await visit(open, stack, `/endpoints/${id}?range=1h`);
    const figure = page.locator('figure').filter({ hasText: 'Failures by reason over time' });
    await figure.getByRole('link', { name: '503 Service Unavailable' }).click();
    await page.waitForURL(/\/deliveries\?.*error=HTTP_503/);
    expect(new URL(page.url()).searchParams.get('endpoint')).toBe(String(id));
    expect(new URL(page.url()).searchParams.get('range')).toBe('1h');
    await page.goBack();
    const over = figure.locator('.u-over');
    await over.scrollIntoViewIfNeeded();
    const box = (await over.boundingBox())!;
    // The newest minute is at the right end, and its bar reaches up from the ground.
    await eventually(async () => {
      for (let left = 1; left <= 8 && page.url().includes('/endpoints/'); left += 1) {
        await page.mouse.click(box.x + box.width - left, box.y + box.height - 4);
      }
      return page.url().includes('/deliveries?');
    });
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('error')).toBe('HTTP_503');
    expect(Date.parse(searchParams.get('until')!) - Date.parse(searchParams.get('since')!)).toBe(60_000);
  });

  browserTest('and the queue say when there is nothing to show', async ({ open }) => {
    const stack = await openStack();
    await stack.delivery.webhook(stack.receiver.url);
    await stack.delivery.emit();
    await eventually(() => stack.receiver.deliveries === 1);
    const page = await visit(open, stack, '/overview');
    await page.getByText('Nothing was queued in the last 24 hours.').waitFor();
    await page.getByText('No attempt failed in the last 24 hours.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});
