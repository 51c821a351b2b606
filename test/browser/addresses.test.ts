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

  browserTest('leads from ids of the API to the page with the number', async ({ open }) => {
    const { tenantId } = stack.delivery;
    const page = await visit(open, stack, '/overview');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await stack.delivery.rows(`update hookwright.tenants set external_id = 'a/b' where id = ${tenantId}`);
    const tenant = `/console/tenants/${tenantId}`;
    for (const [asked, shown] of [
      [`/console/tenants/${tenantId}/endpoints/wh_1`, `${tenant}/endpoints/1`],
      [`/console/tenants/tn_${tenantId}/endpoints?q=a`, `${tenant}/endpoints?q=a`],
      [`/console/tenants/tn_${tenantId}/deliveries/dl_7`, `${tenant}/deliveries/7`],
      [`/console/tenants/ext:a%2Fb/events/ev_7`, `${tenant}/events/7`],
    ]) {
      await page.goto(`${asked}`);
      await page.waitForURL(`${stack.origin}${shown}`);
    }
    await page.goto(`${tenant}/endpoints/wh_1`);
    await page.getByRole('heading', { level: 1, name: '127.0.0.1' }).waitFor();
  });

  browserTest('leads home where there is no such page', async ({ open }) => {
    const page = await visit(open, stack, '/overview');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.goto('/console/nowhere/at/all');
    await page.getByText('Page not found').waitFor();
    await page.getByRole('link', { name: 'Home page' }).click();
    await page.waitForURL(`${stack.origin}/console/**`);
    await page.getByRole('heading', { level: 1 }).waitFor();
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
