import type { Locator, Page } from 'playwright-core';

/** Counts what a person clicks from now on. To choose in a list takes two. */
export async function countClicks(
  page: Page,
): Promise<{ choose: (list: Locator, name: string) => Promise<void>; count: () => Promise<number> }> {
  await page.evaluate(`globalThis.clicks = 0; addEventListener('click', () => globalThis.clicks += 1, true);`);
  return {
    choose: async (list, name) => {
      await list.selectOption(name);
      await page.evaluate('globalThis.clicks += 2');
    },
    count: () => page.evaluate<number>('globalThis.clicks'),
  };
}
