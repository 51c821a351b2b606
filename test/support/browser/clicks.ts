import type { Page } from 'playwright-core';

/** Counts the clicks of a pointer from now on, over all documents of the page. */
export async function countClicks(page: Page): Promise<() => number> {
  let clicks = 0;
  await page.exposeFunction('noteClick', () => {
    clicks += 1;
  });
  const listen = () =>
    document.addEventListener(
      'click',
      // A key that presses a button is no click of a pointer.
      ({ isTrusted, detail }) =>
        isTrusted && detail > 0 && (globalThis as unknown as { noteClick(): void }).noteClick(),
      { capture: true },
    );
  await page.addInitScript(listen);
  await page.evaluate(listen);
  return () => clicks;
}
