import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { OneTimeCode } from '../../src/api/dashboard/one-time-code.js';
import { browserTest } from '../support/browser/browser-test.js';
import { DashboardSite } from '../support/dashboard-site.js';
import { DashboardStack } from '../support/dashboard-stack.js';

describe('who came by a link that works once', () => {
  browserTest('is signed in in a second tab, too, and nobody in another browser is', async ({ open }) => {
    const code = new OneTimeCode(randomBytes);
    const folder = join(import.meta.dirname, '../../dist/dashboard');
    const site = await DashboardSite.open({ startCode: code, folder });
    onTestFinished(() => site[Symbol.asyncDispose]());
    const { page } = await open({ origin: site.origin });
    await page.goto(`/console/#code=${code.text}`);
    await page.getByRole('heading', { level: 1, name: 'Installation' }).waitFor();

    const second = await page.context().newPage();
    await second.goto('/console/tenants');
    await second.getByRole('heading', { level: 1, name: 'Tenants' }).waitFor();

    const other = await open({ origin: site.origin });
    await other.page.goto('/console/tenants');
    await other.page.getByLabel('API key').waitFor();
  });

  browserTest('is led from the first screen to the first endpoint', async ({ open }) => {
    const stack = await DashboardStack.open();
    onTestFinished(() => stack[Symbol.asyncDispose]());
    const { page } = await open({ origin: stack.origin });
    await page.goto(stack.startLink);
    await page.getByText('Nothing is sent until you add an endpoint.').waitFor();
    await page.getByRole('link', { name: 'Add the first endpoint' }).click();
    await page.getByRole('link', { name: 'Add an endpoint' }).waitFor();
  });
});
