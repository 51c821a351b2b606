import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { browserTest } from '../support/browser/browser-test.js';
import { INSECURE_HOST } from '../support/browser/open-page.js';
import { hide, show } from '../support/browser/visibility.js';
import { visit } from '../support/browser/visit.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';
import { makeTenant } from '../support/factories.js';

let stack: DashboardStack;
let webhookId: number;
beforeEach(async () => {
  stack = await DashboardStack.open();
  webhookId = (await stack.delivery.webhook(stack.receiver.url)).id;
});
afterEach(() => stack[Symbol.asyncDispose]());

const light = (page: Page, text: string) =>
  page.getByRole('status').getByText(text, { exact: true }).waitFor({ timeout: 20_000 });
const delivered = (page: Page) =>
  page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr[aria-rowindex]').filter({ hasText: 'Delivered' });
const shows = (page: Page, count: number) => eventually(async () => (await delivered(page).count()) === count);
const streams = (count: number) =>
  eventually(() => stack.streamsOpen === count || Promise.reject(`${stack.streamsOpen} streams are open`), 20_000);

/** A tab beside another one, with its session. */
async function openBeside(page: Page, path: string): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(`${new URL(page.url()).origin}/console/tenants/${stack.delivery.tenantId}${path}`);
  await tab.mouse.move(0, 0);
  return tab;
}

/** Keeps the scripts of a tab busy from now on. */
const keepBusy = (page: Page, forMs: number) =>
  page.evaluate(`setTimeout(() => { const end = Date.now() + ${forMs}; while (Date.now() < end); })`);

/** Signs in, and shows these screens in a tab each. */
async function openTabs(open: Parameters<typeof visit>[0], paths: readonly string[], origin = stack.origin) {
  const [first = '', ...others] = paths;
  const page = await visit(open, stack, first, { origin });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.mouse.move(0, 0);
  const tabs = await Promise.all(others.map((path) => openBeside(page, path)));
  await Promise.all(tabs.map((tab) => tab.getByRole('heading', { level: 1 }).waitFor()));
  return [page, ...tabs];
}

const pauseWebhook = () =>
  stack.api.graphql('mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id } } }', {
    input: { id: `wh_${webhookId}`, active: false },
  });

describe('tabs of one session, over HTTP/1.1', () => {
  browserTest(
    'share a stream: eight overviews are live, lead to other screens, and follow there too',
    async ({ open }) => {
      const tabs = await openTabs(
        open,
        Array.from({ length: 8 }, () => ''),
      );
      await Promise.all(tabs.map((tab) => light(tab, 'Live')));
      await streams(1);
      const go = (tab: Page, name: string) =>
        tab.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name }).click();
      await Promise.all(tabs.map((tab, at) => go(tab, at % 2 === 0 ? 'Deliveries' : 'Endpoints')));
      await Promise.all(
        tabs.map((tab, at) =>
          tab.getByRole('heading', { level: 1, name: at % 2 === 0 ? 'Deliveries' : 'Endpoints' }).waitFor(),
        ),
      );
      await Promise.all(tabs.map((tab) => light(tab, 'Live')));
      await stack.delivery.emit();
      await Promise.all(tabs.filter((_, at) => at % 2 === 0).map((tab) => shows(tab, 1)));
      await pauseWebhook();
      const paused = (tab: Page) => tab.getByText('Paused').filter({ visible: true }).first();
      await Promise.all(tabs.filter((_, at) => at % 2 === 1).map((tab) => paused(tab).waitFor()));
      expect(stack.streamsOpen).toBe(1);
    },
  );

  browserTest('are signed in although the first one is busy', async ({ open }) => {
    const [page] = (await openTabs(open, [''])) as [Page];
    await keepBusy(page, 3_000);
    const tab = await openBeside(page, '');
    await light(tab, 'Live');
  });

  browserTest('are live although the service answers slowly', async ({ open }) => {
    const [page] = (await openTabs(open, [''])) as [Page];
    await page.context().route('**/health/live', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      await route.continue().catch(() => {});
    });
    await page.reload();
    await light(page, 'Live');
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    await light(page, 'Live');
  });

  browserTest('go on when the tab that has the stream is closed, hidden or has crashed', async ({ open }) => {
    const [first, second, third, fourth] = (await openTabs(
      open,
      Array.from({ length: 4 }, () => '/deliveries'),
    )) as [Page, Page, Page, Page];
    await light(fourth, 'Live');
    await first.close();
    await stack.delivery.emit();
    await shows(fourth, 1);
    await hide(second);
    await stack.delivery.emit();
    await shows(fourth, 2);
    const devtools = await third.context().newCDPSession(third);
    void devtools.send('Page.crash').catch(() => {});
    await third.waitForEvent('crash');
    await stack.delivery.emit();
    await shows(fourth, 3);
    await streams(1);
  });

  browserTest('that nobody sees have no stream, and go on from where they were', async ({ open }) => {
    const tabs = (await openTabs(open, ['/deliveries', '/deliveries'])) as [Page, Page];
    await Promise.all(tabs.map((tab) => light(tab, 'Live')));
    await stack.delivery.emit();
    await Promise.all(tabs.map((tab) => shows(tab, 1)));
    await Promise.all(tabs.map(hide));
    await streams(0);
    await stack.delivery.emit();
    await stack.delivery.noDeliveryJobs();
    const asked: string[] = [];
    tabs[1].on('request', (request) => asked.push(request.postData() ?? ''));
    await show(tabs[1]);
    await shows(tabs[1], 2);
    expect(asked.filter((body) => body.includes('"operationName":"Deliveries"'))).toEqual([]);
    expect(await delivered(tabs[0]).count()).toBe(1);
    // The other one is further behind than the stream is now.
    await show(tabs[0]);
    await shows(tabs[0], 2);
    await streams(1);
  });

  browserTest('all end when the session is revoked, those that nobody sees too', async ({ open }) => {
    const openAllowing: typeof open = (options) => open({ ...options, allow: [/401/] });
    const tabs = await openTabs(openAllowing, ['/deliveries', '/deliveries', '/keys']);
    await light(tabs[1]!, 'Live');
    await hide(tabs[1]!);
    await stack.delivery.rows(`update hookwright.api_keys set revoked_at = now() where tenant_id is not null`);
    await Promise.all(tabs.map((tab) => tab.getByText('The service refused this key').waitFor()));
  });

  browserTest('all end when somebody signs out in one of them', async ({ open }) => {
    const [page, other] = (await openTabs(open, ['/deliveries', '/keys'])) as [Page, Page];
    await page.getByRole('button', { name: 'Preferences' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByText('You have signed out.').waitFor();
    await streams(0);
  });
});

describe('two sessions in one browser', () => {
  browserTest('have a stream each, and hear nothing of each other', async ({ open }) => {
    const [page] = (await openTabs(open, ['/deliveries'])) as [Page];
    const other = await makeTenant(stack.delivery.services);
    const tab = await page.context().newPage();
    await tab.goto(`${stack.origin}/portal/`);
    const { body } = await stack.api.graphql(
      'mutation { createPortalSession(input: { capabilities: [VIEW] }) { url } }',
    );
    await tab.goto(body.data.createPortalSession.url);
    await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await tab.goto(`${stack.origin}/portal/deliveries`);
    const third = await page.context().newPage();
    await third.addInitScript(
      `sessionStorage.setItem('hookwright.session', '${JSON.stringify({ token: other.key, expiresAt: null })}')`,
    );
    await third.goto(`${stack.origin}/console/tenants/${other.id}/deliveries`);
    await Promise.all([page, tab, third].map((one) => light(one, 'Live')));
    await streams(3);
    await stack.delivery.emit();
    await Promise.all([page, tab].map((one) => shows(one, 1)));
    expect(await delivered(third).count()).toBe(0);
  });
});

describe('tabs over plain http, where browsers have no locks', () => {
  browserTest(
    'have a stream each while they are seen; when no connection is free the page says so',
    async ({ open }) => {
      const origin = `http://${INSECURE_HOST}:${stack.api.port}`;
      const openAllowing: typeof open = (options) => open({ ...options, allow: [/Cross-Origin-Opener-Policy/] });
      const tabs = await openTabs(openAllowing, ['/deliveries', '/deliveries'], origin);
      await streams(2);
      await hide(tabs[0]!);
      await streams(1);
      await show(tabs[0]!);
      await streams(2);
      for (let count = 2; count < 7; count += 1) {
        const tab = await openBeside(tabs[0]!, '');
        await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
        await light(tab, count < 5 ? 'Live' : 'Not live: no connection is free');
        tabs.push(tab);
      }
      await stack.delivery.emit();
      await Promise.all(tabs.slice(0, 2).map((tab) => shows(tab, 1)));
      expect(stack.streamsOpen).toBe(5);
    },
  );
});
