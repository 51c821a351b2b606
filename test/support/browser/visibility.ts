import type { Page } from 'playwright-core';

/** Another tab is in front of this one, or its window is minimized. A browser without windows shows all of its tabs. */
export const hide = (page: Page): Promise<void> => setHidden(page, true);

export const show = (page: Page): Promise<void> => setHidden(page, false);

async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate(`{
    const define = (name, value) => Object.defineProperty(document, name, { configurable: true, value });
    define('hidden', ${hidden});
    define('visibilityState', '${hidden ? 'hidden' : 'visible'}');
    document.dispatchEvent(new Event('visibilitychange'));
  }`);
}
