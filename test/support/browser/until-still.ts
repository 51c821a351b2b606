import type { Page } from 'playwright-core';

const STILL_WITHIN_MS = 10_000;

/**
 * Waits until nothing has moved on the page for so long. Not until the network is idle: pages that are live keep a stream
 * open. Pages that never rest are taken as they are.
 */
export async function untilStill(page: Page, stillMs = 400): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    let timer = setTimeout(resolve, ${stillMs});
    const observer = new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(resolve, ${stillMs});
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    setTimeout(resolve, ${STILL_WITHIN_MS});
  })`);
  await page.evaluate('document.fonts.ready.then(() => undefined)');
}
