import { afterAll, beforeAll } from 'vitest';
import { enableCell } from '../../src/operations/installation/enable-cell.js';
import { browserTest } from '../support/browser/browser-test.js';
import { ParentSite } from '../support/browser/parent-site.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';
import { moveAway } from '../support/moving.js';
import { onServer } from '../support/on-server.js';

/** Pages whose tenant moves to another cell while they are open (docs/decisions/0099). */

let stack: DashboardStack;
let parent: ParentSite;
beforeAll(async () => {
  [stack, parent] = await Promise.all([DashboardStack.open(), ParentSite.open()]);
  await onServer(stack.delivery.databaseUrl, (client) => enableCell(client, { number: null, of: 16 }));
});
afterAll(() => Promise.all([stack, parent].map((part) => part[Symbol.asyncDispose]())));

browserTest('a framed portal ends, and says to the page around it that its tenant has moved', async ({ open }) => {
  const { page } = await open({ allow: [/421/] });
  await page.exposeFunction('nextSession', async () => {
    const { body } = await stack.api.graphql(
      'mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url } }',
      { input: { capabilities: ['MANAGE_ENDPOINTS'], parentOrigins: [parent.origin] } },
    );
    return body.data.createPortalSession.url;
  });
  await page.goto(
    parent.page(
      '/',
      `<div id="webhooks"></div><script src="${stack.origin}/portal/embed.js"></script>
       <script>
         const ended = [];
         Hookwright.mount(webhooks, { session: nextSession, onEnded: (why) => ended.push(why) });
       </script>`,
    ),
  );
  const frame = page.frameLocator('iframe');
  await frame.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await moveAway(stack.delivery.databaseUrl, stack.delivery.tenantId);
  await frame.getByText('Your webhooks have moved.').waitFor({ timeout: 15_000 });
  await eventually(async () => (await page.evaluate<string[]>('ended'))[0] === 'moved');
});
