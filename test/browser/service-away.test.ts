import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { ParentSite } from '../support/browser/parent-site.js';
import { visit } from '../support/browser/visit.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { DatabaseProxy } from '../support/database-proxy.js';

let proxy: DatabaseProxy;
let stack: DashboardStack;
let parent: ParentSite;
beforeAll(async () => {
  parent = await ParentSite.open();
  stack = await DashboardStack.open({}, async (url) => {
    proxy = await DatabaseProxy.open(url);
    return proxy.url;
  });
  await stack.delivery.webhook(stack.receiver.url);
});
afterEach(() => proxy.bringBack());
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await Promise.all([proxy.close(), parent[Symbol.asyncDispose]()]);
});

const AWAY = [/status of 503/];
const overview = { name: 'Overview', level: 1 } as const;

async function portalLink(): Promise<string> {
  const { body } = await stack.api.graphql(
    'mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url } }',
    { input: { capabilities: ['VIEW'], parentOrigins: [parent.origin] } },
  );
  return body.data.createPortalSession.url;
}

describe('while Postgres is away', () => {
  browserTest('the link of a portal leads to a page that waits, and goes on by itself', async ({ open }) => {
    const { page } = await open({ allow: AWAY });
    const link = await portalLink();
    proxy.takeAway();
    await page.goto(link);
    await page.getByRole('heading', { name: 'The service is not available right now.' }).waitFor();
    await page.getByText('This page tries again by itself.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    proxy.bringBack();
    await page.getByRole('heading', overview).waitFor();
  });

  browserTest('so does a frame of the site that shows the portal', async ({ open }) => {
    const { page } = await open({ allow: AWAY });
    const link = await portalLink();
    proxy.takeAway();
    await page.goto(parent.page('/', `<iframe src="${link}" title="Webhooks"></iframe>`));
    const frame = page.frameLocator('iframe');
    await frame.getByText('This page tries again by itself.').waitFor();
    proxy.bringBack();
    await frame.getByRole('heading', overview).waitFor();
  });

  browserTest('a portal whose page has loaded keeps its code until it can use it', async ({ open }) => {
    const { page } = await open({ allow: AWAY });
    const link = await portalLink();
    let posts = 0;
    await page.route('**/portal/s/*', async (route) => {
      if (route.request().method() === 'POST' && ++posts === 1) {
        proxy.takeAway();
      }
      await route.continue();
    });
    await page.goto(link);
    await page.getByRole('heading', { name: 'The service is unreachable.' }).waitFor();
    proxy.bringBack();
    await page.getByRole('heading', overview).waitFor();
  });

  const screens: [path: string, back: (page: Page) => Promise<void>][] = [
    ['', (page) => page.getByRole('heading', overview).waitFor()],
    ['/deliveries', (page) => page.getByText('No deliveries').waitFor()],
    ['/endpoints', (page) => page.getByRole('table', { name: 'Endpoints' }).getByText('127.0.0.1').first().waitFor()],
  ];
  for (const [path, back] of screens) {
    browserTest(`the console opened at ${path || 'its overview'} is there when Postgres is`, async ({ open }) => {
      const page = await visit((options) => open({ ...options, allow: AWAY }), stack, path);
      await back(page);
      proxy.takeAway();
      await page.reload();
      await page.getByRole('alert').waitFor();
      proxy.bringBack();
      await back(page);
      await page.getByRole('alert').waitFor({ state: 'detached' });
    });
  }

  browserTest('a screen that is opened then shows its error only until Postgres is back', async ({ open }) => {
    const page = await visit((options) => open({ ...options, allow: AWAY }), stack, '');
    await page.getByRole('link', { name: 'Endpoints' }).first().waitFor();
    proxy.takeAway();
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Deliveries' }).click();
    await page.getByRole('alert').waitFor();
    proxy.bringBack();
    await page.getByText('No deliveries').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });
});
