import type { Page } from 'playwright-core';

/** A box beside others that is less wide is a label, and one that is less high is a line. */
const COLUMN = { width: 240, height: 120 };

/**
 * Columns that show less than half of what the highest column beside them shows, each in words. What a column shows ends
 * with the last text, field or picture in it: a frame that is stretched does not count.
 */
export function unevenColumns(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const isLeaf = (element) => element.childElementCount === 0 || element.matches('svg, canvas, button, select, input');
    const shownEnd = (element) => Math.max(...[element, ...element.querySelectorAll('*')]
      .filter((one) => isLeaf(one) && one.checkVisibility() && one.getBoundingClientRect().width > 1)
      .map((one) => one.getBoundingClientRect().bottom));
    return [...document.querySelectorAll('main *')].filter((one) => one.closest('figure') === null).flatMap((parent) => {
      const columns = [...parent.children].map((element) => ({ element, box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.width >= ${COLUMN.width} && box.height > 0)
        .map(({ element, box }) => ({ element, box, height: shownEnd(element) - box.top }));
      return columns.flatMap((one) => {
        const beside = columns.filter(({ box }) => box.top < one.box.bottom && box.bottom > one.box.top);
        const highest = Math.max(...beside.map(({ height }) => height));
        return highest >= ${COLUMN.height} && one.height < highest / 2
          ? [Math.round(one.height) + ' beside ' + Math.round(highest) + ' pixels: ' + one.element.innerText.slice(0, 60)]
          : [];
      });
    });
  })()`);
}
