import type { Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { browserTest } from '../support/browser/browser-test.js';
import { visit } from '../support/browser/visit.js';
import { DashboardStack } from '../support/dashboard-stack.js';

let stack: DashboardStack;
beforeAll(async () => {
  stack = await DashboardStack.open();
  await stack.delivery.webhook(stack.receiver.url);
});
afterAll(() => stack[Symbol.asyncDispose]());

/** What a screen asks for, once it is known who asks. */
const isOfScreen = (answer: Response) =>
  answer.url().endsWith('/graphql') && answer.request().postDataJSON().operationName !== 'Viewer';

const screens = (tenant: string) => [
  `${tenant}/overview`,
  `${tenant}/events`,
  `${tenant}/endpoints/1`,
  `${tenant}/deliveries`,
  `${tenant}/keys`,
  `${tenant}/audit`,
  '/console',
  '/console/worst',
  '/console/audit',
];

describe('an address that anybody may have written', () => {
  browserTest('shows each screen, whatever it says of the range, the time and the state', async ({ open }) => {
    const { page } = await open({ origin: stack.origin });
    await page.goto(stack.startLink);
    await page.getByRole('heading', { name: 'Installation', level: 1 }).waitFor();
    const searches = ['range=constructor&state=toString&by=valueOf', 'since=2026-01-01&until=soon'];
    for (const path of screens(`/console/tenants/${stack.delivery.tenantId}`)) {
      for (const search of searches) {
        const [answer] = await Promise.all([page.waitForResponse(isOfScreen), page.goto(`${path}?${search}`)]);
        expect(answer.status(), `${path}?${search}`).toBe(200);
        await page.getByRole('heading', { level: 1 }).waitFor();
      }
    }
  });

  browserTest('shows English for a language that there is not', async ({ open }) => {
    const page = await visit(open, stack, '/overview');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    for (const locale of ['constructor', 'de-%25%25', 'en-US@posix', '__proto__']) {
      await page.goto(`/console/tenants/${stack.delivery.tenantId}/overview?locale=${locale}`);
      await page.locator('html[lang=en]').waitFor();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    }
  });
});
