import { afterAll, beforeAll, describe, expect } from 'vitest';
import { browserTest } from '../support/browser/browser-test.js';
import { visit } from '../support/browser/visit.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';

let stack: DashboardStack;
let id: number;
beforeAll(async () => {
  stack = await DashboardStack.open();
  ({ id } = await stack.delivery.webhook(`${stack.receiver.url}/${'x'.repeat(1_900)}`));
  const content = { format: 'TEMPLATE', template: { text: 'y'.repeat(3_000) } };
  await stack.api.graphql(
    `mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id } } }`,
    {
      input: { id: `wh_${id}`, content },
    },
  );
});
afterAll(() => stack[Symbol.asyncDispose]());

describe('a url of 1,900 characters, and a template in one line of 3,000', () => {
  browserTest('fit into the width of each screen that shows them', async ({ open }) => {
    const page = await visit(open, stack, '/overview', { width: 390 });
    const beyond = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    await page.getByText('xxx').first().waitFor();
    expect(await beyond(), 'the first steps').toBe(0);

    await stack.receiver.goAway();
    for (let count = 0; count < 10; count += 1) {
      await stack.delivery.emit();
    }
    await eventually(async () => !(await stack.delivery.webhookRow(id)).active);
    const [delivery] = await stack.delivery.deliveries();
    for (const path of [
      '/overview',
      '/endpoints',
      `/endpoints/${id}`,
      `/endpoints/${id}?tab=settings`,
      `/endpoints/${id}?do=test`,
      `/endpoints/${id}?do=edit`,
      `/deliveries?endpoint=${id}`,
      `/deliveries/${delivery!.id}`,
    ]) {
      await page.goto(`/console/tenants/${stack.delivery.tenantId}${path}`);
      await page.getByText('xxx').filter({ visible: true }).first().waitFor();
      expect.soft(await beyond(), path).toBe(0);
    }
  });
});
