import type { Locator } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { visit } from '../support/browser/visit.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';

async function openStack(settings?: Record<string, string>): Promise<DashboardStack> {
  const stack = await DashboardStack.open(settings);
  onTestFinished(() => stack[Symbol.asyncDispose]());
  return stack;
}

/** How many pixels of a canvas have a colour of styles.css. */
const pixelsOf = (canvas: Locator, colour: string) =>
  canvas.evaluate((element, name) => {
    const read = (pen: CanvasRenderingContext2D | null, width: number, height: number) =>
      pen?.getImageData(0, 0, width, height).data ?? new Uint8ClampedArray();
    const one = document.createElement('canvas').getContext('2d');
    if (one !== null) {
      one.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
      one.fillRect(0, 0, 1, 1);
    }
    const wanted = read(one, 1, 1).join();
    const drawn = element as HTMLCanvasElement;
    const data = read(drawn.getContext('2d'), drawn.width, drawn.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      count += data.subarray(at, at + 4).join() === wanted ? 1 : 0;
    }
    return count;
  }, colour);

describe('the overview', () => {
  browserTest('leads a new tenant from an endpoint to a test, and then says that all is fine', async ({ open }) => {
    const stack = await openStack();
    const page = await visit(open, stack, '/overview');
    await page.getByRole('link', { name: 'Add an endpoint' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);

    await stack.delivery.webhook(stack.receiver.url);
    await page.reload();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.waitForURL(/\/deliveries\/\d+$/);
    await eventually(() => stack.receiver.deliveries === 1);

    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Your endpoint is fine: 1 delivery in the last 24 hours').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  browserTest('shows how long attempts took when all of them were within one hour', async ({ open }) => {
    const stack = await openStack();
    await stack.delivery.webhook(stack.receiver.url);
    await stack.delivery.emit();
    await eventually(() => stack.receiver.deliveries === 1);
    const page = await visit(open, stack, '/overview');
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
    // Its figures are there from now on when it is made.
    await page.getByRole('link', { name: 'Overview' }).click();
    const chart = page.locator('figure').filter({ hasText: 'Duration of an attempt over time' });
    await eventually(async () => (await pixelsOf(chart.locator('canvas'), 'warn')) > 0);
  });

  browserTest('names the endpoint that needs somebody, and leads to it', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    await stack.receiver.goAway();
    for (let count = 0; count < 10; count += 1) {
      await stack.delivery.emit();
    }
    await eventually(async () => !(await stack.delivery.webhookRow(id)).active);
    const page = await visit(open, stack, '/overview', { theme: 'dark', width: 390 });
    await page.getByText('needs you.').waitFor();
    await page.getByText('Ten attempts failed in a row').locator('visible=true').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('table', { name: 'Endpoints needing attention' }).getByRole('link').click();
    await page.waitForURL(new RegExp(`/endpoints/${id}$`));
    await page.getByRole('button', { name: 'Check it' }).click();
    await page.getByText(/The test failed after .* because the connection is refused/).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  browserTest(
    'names the pause that an endpoint asked for, and counts no delivery as late that waits for it',
    async ({ open }) => {
      const stack = await openStack();
      const { id } = await stack.delivery.webhook(stack.receiver.url);
      await stack.delivery.emit();
      await eventually(() => stack.receiver.deliveries === 1);
      await stack.delivery.rows(
        `update hookwright.webhooks set closed_until = now() + interval '50 minutes' where id = ${id}`,
      );
      await stack.delivery.emit();
      await stack.delivery.emit();
      await stack.delivery.rows(`update hookwright.deliveries set due_at = now() - interval '14 minutes'
                               where status = 'PENDING'`);
      const page = await visit(open, stack, '/overview');
      await page.getByText('No endpoint is failing or disabled. 1 delivery arrived').waitFor();
      await page.getByText('2 due now').waitFor();
      await page.getByText('2 wait for one endpoint, which asked for a pause until').waitFor();
      expect(await page.getByText('the oldest').count()).toBe(0);
      expect(await axeViolations(page)).toEqual([]);
      await stack.delivery.rows(`update hookwright.webhooks set closed_until = null where id = ${id}`);
      await page.reload();
      await page.getByText('Deliveries wait longer than usual').waitFor();
      await page.getByText('2 due now; the oldest was due').waitFor();
    },
  );

  browserTest('says that nothing is to be done about a pause, and never that all is fine', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    await stack.delivery.emit();
    await eventually(() => stack.receiver.deliveries === 1);
    await stack.api.graphql(`mutation { updateWebhook(input: { id: ${id}, active: false }) { webhook { id } } }`);
    await stack.delivery.emit();
    const page = await visit(open, stack, '/overview');
    await page.getByText('No endpoint is failing or disabled. 1 delivery arrived').waitFor();
    await page.getByText('1 endpoint is paused. Nothing to do.').waitFor();
    expect(await page.getByText('Endpoints needing attention').count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
  });
});

describe('an address of something that does not exist', () => {
  browserTest('says so, and offers to search and to go back, not to try again', async ({ open }) => {
    const stack = await openStack();
    const page = await visit(open, stack, '/deliveries/999');
    await page.getByText('There is no delivery dl_999.').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('main').getByRole('button', { name: 'Find' }).click();
    await page.getByRole('dialog', { name: 'Find' }).getByRole('combobox').press('Escape');
    await page.getByRole('main').getByRole('link', { name: 'Deliveries' }).last().click();
    await page.getByText('No deliveries').waitFor();
  });
});
