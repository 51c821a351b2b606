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

describe('the overview', () => {
  browserTest(
    'leads a new tenant from an endpoint to a test, and then says that all is fine',
    async ({ open }) => {
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
    },
  );

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
    await page.getByRole('table', { name: 'Endpoints that need you' }).getByRole('link').click();
    await page.waitForURL(new RegExp(`/endpoints/${id}$`));
  });
});
