import { afterAll, beforeAll, describe } from 'vitest';
import { browserTest } from '../support/browser/browser-test.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';

let stack: DashboardStack;
beforeAll(async () => {
  stack = await DashboardStack.open();
});
afterAll(() => stack[Symbol.asyncDispose]());

describe('a browser whose clock is five minutes ahead', () => {
  browserTest('hears of the daemons that run', async ({ open }) => {
    const { page } = await open({ origin: stack.origin });
    await page.clock.install({ time: Date.now() + 300_000 });
    await page.goto(stack.startLink);
    await page.getByRole('table', { name: 'Daemons' }).waitFor();
    // The first report may come after the table.
    await eventually(async () => (await page.getByText('Nothing is delivered').count()) === 0);
  });
});
