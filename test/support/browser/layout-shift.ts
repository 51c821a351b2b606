import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';

const BETWEEN_ANSWERS_MS = 150;

/** What moved on a page although nobody touched it: how much of the window, by how much of its height. */
interface LayoutShift {
  sum: number;
  /** Class names of what moved most, with its places. */
  moved: string[];
}

/** Answers of the API come one after the other, so that whatever moves for one of them moves. Before the first page. */
export async function answerOneByOne(page: Page): Promise<void> {
  await page.addInitScript(`
    globalThis.shifts = [];
    new PerformanceObserver((list) => globalThis.shifts.push(...list.getEntries()))
      .observe({ type: 'layout-shift', buffered: true });`);
  let last = Promise.resolve();
  await page.route('**/graphql', async (route) => {
    last = last.then(() => delay(BETWEEN_ANSWERS_MS));
    await last;
    await route.continue();
  });
}

/** Since the page began to load. */
export async function layoutShift(page: Page): Promise<LayoutShift> {
  return await page.evaluate<LayoutShift>(`(() => {
    const own = globalThis.shifts.filter(({ hadRecentInput }) => !hadRecentInput);
    const placeOf = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ');
    const moved = own.filter(({ value }) => value > 0.005).flatMap(({ value, sources }) =>
      sources.map(({ node, previousRect, currentRect }) => value.toFixed(3) + ' ' + (node?.className ?? node?.nodeName)
        + ': ' + placeOf(previousRect) + ' → ' + placeOf(currentRect)));
    return { sum: own.reduce((sum, { value }) => sum + value, 0), moved };
  })()`);
}
