import type { OwnCell } from './own-cell.js';

/** Bits of an id that are no time, without cells and with them: a sequence, then also the cell. */
const BITS = 12;
/** The bits of a window's ms and of the sequence: 65,536 ids a window, whatever the number of cells. */
const WINDOW_BITS = 16;

/**
 * SQL: makes `next_id` for a cell (docs/decisions/0098). The lowest bits are the cell; above them the sequence fills
 * the window: its high bits are the milliseconds within it. One `nextval` that is used once keeps the function one that
 * Postgres inlines, as without cells.
 */
export function nextIdSql({ number, of }: OwnCell): string {
  const cellBits = Math.log2(of);
  const free = 2 ** (WINDOW_BITS + cellBits);
  if (free < 2 ** BITS || !Number.isInteger(cellBits)) {
    throw new RangeError(`There is no window for ${of} cells.`);
  }
  return `
    create or replace function hookwright.next_id() returns bigint
    language sql volatile
    return (hookwright.id_at(hookwright.id_clock()) & ${-free})
      | ((nextval('hookwright.id_sequence') << ${cellBits}) & ${free - of}) | ${number % of}`;
}
