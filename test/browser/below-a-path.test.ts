import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserTest } from '../support/browser/browser-test.js';
import { ParentSite } from '../support/browser/parent-site.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';
import { ownPort } from '../support/loopback.js';
import { skipsNginxTests, startNginx } from '../support/nginx.js';

/** The service at `/hooks` of an origin: behind nginx that takes the path out of requests, and behind one that does not. */
const PATH = '/hooks';

describe.skipIf(skipsNginxTests)('below a path', () => {
  let stack: DashboardStack;
  let parent: ParentSite;
  let addresses: Record<'kept' | 'stripped', string>;
  const parts = new AsyncDisposableStack();
  beforeAll(async () => {
    const port = await ownPort();
    const PUBLIC_URL = `http://127.0.0.1:${port}${PATH}`;
    stack = parts.use(await DashboardStack.open({ PUBLIC_URL }));
    parent = parts.use(await ParentSite.open());
    await stack.delivery.webhook(stack.receiver.url);
    const kept = parts.use(await startNginx([stack.api.port], { port, path: PATH }));
    const stripped = parts.use(await startNginx([stack.api.port], { path: PATH, strips: true }));
    addresses = { kept: kept.origin + PATH, stripped: stripped.origin + PATH };
  });
  afterAll(() => parts.disposeAsync());

  const screen = (address: string) => `${address}/console/tenants/${stack.delivery.tenantId}/deliveries`;
  const signIn = {
    kept: async (page: Page, address: string) => {
      await page.goto(screen(address));
      await page.getByLabel('API key').fill(stack.key);
      await page.getByRole('button', { name: 'Sign in' }).click();
    },
    stripped: async (page: Page, address: string) => {
      await page.goto(address + stack.startLink);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.goto(screen(address));
    },
  };

  for (const way of ['kept', 'stripped'] as const) {
    browserTest(`with the path ${way}, the console signs in, lists and follows what happens`, async ({ open }) => {
      const { page } = await open({ origin: new URL(addresses[way]).origin });
      await signIn[way](page, addresses[way]);
      await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
      const rows = page.getByRole('link', { name: 'coupon.applied' });
      const before = await rows.count();
      await stack.delivery.emit();
      await rows.nth(before).waitFor();
      await page.getByRole('link', { name: 'Endpoints', exact: true }).click();
      await page.getByText(new URL(stack.receiver.url).host).first().waitFor();
      expect(new URL(page.url()).pathname).toBe(`${PATH}/console/tenants/${stack.delivery.tenantId}/endpoints`);
      await page.reload();
      await page.getByText(new URL(stack.receiver.url).host).first().waitFor();
    });
  }

  test('GraphiQL asks below the path', async () => {
    const page = async () => (await fetch(`${addresses.kept}/graphiql`)).text();
    await eventually(async () => (await page()).includes('"/hooks/graphql"'), 40_000); // made at the first request
  });

  browserTest('the portal opens in a frame of another site, and stays below the path', async ({ open }) => {
    const { page } = await open({ origin: parent.origin });
    const session = async () => {
      const { body } = await stack.api.graphql(
        'mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url } }',
        { input: { capabilities: ['MANAGE_ENDPOINTS'], parentOrigins: [parent.origin] } },
      );
      return body.data.createPortalSession.url as string;
    };
    expect(await session()).toMatch(new RegExp(`^${addresses.kept}/portal/s/`));
    await page.exposeFunction('nextSession', session);
    await page.goto(
      parent.page(
        '/',
        `<div id="webhooks"></div><script src="${addresses.kept}/portal/embed.js"></script>
         <script>Hookwright.mount(webhooks, { session: nextSession });</script>`,
      ),
    );
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await frame.getByRole('link', { name: 'Endpoints', exact: true }).first().click();
    await frame.getByText(new URL(stack.receiver.url).host).first().waitFor();
    const inner = page.frames().find((one) => one.url().startsWith(addresses.kept));
    expect(new URL(inner!.url()).pathname).toBe(`${PATH}/portal/endpoints`);
  });
});
