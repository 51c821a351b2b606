import type { Page } from 'playwright-core';
import type { DashboardStack } from '../dashboard-stack.js';
import type { OpenedPage, PageOptions } from './open-page.js';

/**
 * Signs in to the console with the tenant's key, at a screen of the tenant.
 *
 * @param path such as `/events/12`
 */
export async function visit(
  open: (options?: PageOptions) => Promise<OpenedPage>,
  stack: DashboardStack,
  path: string,
  options: PageOptions = {},
): Promise<Page> {
  const { page } = await open({ origin: stack.origin, ...options });
  await page.goto(`/console/tenants/${stack.delivery.tenantId}${path}`);
  await page.getByLabel('API key').fill(stack.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  return page;
}
