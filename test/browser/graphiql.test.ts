import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { browserTest } from '../support/browser/browser-test.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';

let stack: DashboardStack;
beforeAll(async () => {
  stack = await DashboardStack.open();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function runWithKey(page: Page): Promise<void> {
  await page.getByText('"Authorization": "Bearer "').click();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.insertText(stack.key);
  await page.getByRole('button', { name: /execute/i }).click();
}

describe('GraphiQL', () => {
  browserTest('asks nobody but the service, and runs its first query with a key', async ({ open }) => {
    const { page } = await open({ origin: stack.origin });
    const asked = new Set<string>();
    page.on('request', (request) => asked.add(new URL(request.url()).origin));
    await page.goto('/graphiql');
    await runWithKey(page);
    await page.getByLabel('Result Window').getByText('"coupon.applied"').waitFor();
    expect([...asked]).toEqual([stack.origin]);
  });

  browserTest('runs its own scripts, and none that somebody has put into the page', async ({ open }) => {
    const { page } = await open({ origin: stack.origin, allow: [/forbids inline|failed: csp|Content Security/] });
    await page.goto('/graphiql');
    await runWithKey(page);
    await page.getByLabel('Result Window').getByText('"coupon.applied"').waitFor();
    const ran = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.intruder = true';
      document.body.append(script);
      const image = document.createElement('div');
      image.innerHTML = '<img src="x:" onerror="globalThis.intruder = true">';
      document.body.append(image);
      return new Promise((resolve) => {
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          if (effectiveDirective === 'script-src-attr') {
            resolve((globalThis as { intruder?: boolean }).intruder === true);
          }
        });
      });
    });
    expect(ran).toBe(false);
  });

  browserTest('shows a delivery that has arrived', async ({ open }) => {
    await stack.delivery.webhook(stack.receiver.url);
    await stack.delivery.emit();
    await eventually(() => stack.receiver.deliveries === 1);
    const { page } = await open({ origin: stack.origin });
    const query = encodeURIComponent('{ deliveries(first: 1) { edges { node { status } } } }');
    await page.goto(`/graphiql?query=${query}`);
    await runWithKey(page);
    await page.getByLabel('Result Window').getByText('"SUCCEEDED"').waitFor();
  });
});
