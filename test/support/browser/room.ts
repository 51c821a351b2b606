import type { Page } from 'playwright-core';

/**
 * Columns of cards side by side that show less than half of the highest one: the rest of them is an empty half of the
 * page. A column shows what is in it, down to its last text or picture.
 */
export const lowColumns = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
    const shownOf = (column) => {
      const top = column.getBoundingClientRect().top;
      const ends = [...column.querySelectorAll('*')]
        .filter((one) => seen(one) && one.closest('.sr-only') === null && (one.childElementCount === 0 || one.matches('svg, canvas, button')))
        .map((one) => one.getBoundingClientRect().bottom);
      return Math.max(0, ...ends) - top;
    };
    const isPart = (element) => element.matches('section') || element.querySelector('section') !== null;
    const found = [];
    for (const grid of document.querySelectorAll('main div, main fieldset')) {
      const style = getComputedStyle(grid);
      if (style.display !== 'grid' || style.gridTemplateColumns.split(' ').length < 2) {
        continue;
      }
      const parts = [...grid.children].filter((one) => seen(one) && isPart(one));
      for (const row of Map.groupBy(parts, (one) => Math.round(one.getBoundingClientRect().top)).values()) {
        const heights = row.map(shownOf);
        const highest = Math.max(...heights);
        row.forEach((one, at) => {
          if (heights[at] < highest / 2) {
            found.push(Math.round(heights[at]) + ' of ' + Math.round(highest) + ' pixels: ' + one.innerText.slice(0, 40));
          }
        });
      }
    }
    return found;
  })()`);

/**
 * Columns of tables that are wider than one and a half times the longest text that they show, their heading too, while
 * another column of the same table is cut.
 */
export const wastefulColumns = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const SLACK_PX = 24; // the padding of a cell, and a rounding
    const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
    const range = document.createRange();
    const widthOf = (cell) => {
      const parts = [...cell.querySelectorAll('svg, input, button')].filter(seen).map((one) => one.getBoundingClientRect());
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const { parentElement, data } = texts.currentNode;
        if (data.trim() !== '' && seen(parentElement) && parentElement.getBoundingClientRect().width > 1) {
          range.selectNodeContents(texts.currentNode);
          parts.push(...range.getClientRects());
        }
      }
      const left = Math.min(...parts.map((one) => one.left));
      return parts.length === 0 ? 0 : Math.max(...parts.map((one) => one.right)) - left;
    };
    const isCut = (element) => getComputedStyle(element).textOverflow === 'ellipsis' && element.scrollWidth > element.clientWidth + 1;
    const found = [];
    for (const table of document.querySelectorAll('main table')) {
      const rows = [...table.rows].filter((row) => seen(row) && row.cells.length > 1);
      const columns = Array.from({ length: Math.max(0, ...rows.map((row) => row.cells.length)) }, (_, at) =>
        rows.map((row) => row.cells[at]).filter((cell) => cell !== undefined && seen(cell)));
      const cut = columns.filter((cells) => cells.some((cell) => isCut(cell) || [...cell.querySelectorAll('*')].some(isCut)));
      for (const cells of columns) {
        const others = cut.filter((one) => one !== cells);
        if (cells.length === 0 || others.length === 0) {
          continue;
        }
        const width = cells[0].getBoundingClientRect().width;
        const longest = Math.max(...cells.map(widthOf));
        if (width - SLACK_PX > 1.5 * longest) {
          found.push((table.ariaLabel ?? '') + ': ' + cells[0].innerText + ' has ' + Math.round(width) + ' pixels for '
            + Math.round(longest) + ', and ' + others.map((one) => one[0].innerText).join(', ') + ' is cut');
        }
      }
    }
    return found;
  })()`);
