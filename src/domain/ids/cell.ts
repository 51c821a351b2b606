/**
 * Cells (docs/decisions/0097): complete installations behind one address. Ids that a cell allots from its sequences
 * contain its number, so a proxy finds the cell of a tenant or a key without asking anybody.
 */

/** Each cell has as many numbers: those of cell 3 begin at 30,000,000,000,001. Without a cell they begin at 1. */
const IDS_PER_CELL = 10 ** 13;
/** The numbers of cell 899 are the last ones below 2^53. */
export const CELL_MAX = 899;

/** The counts of cells that ids of events and deliveries can name, with the ms of their windows. */
export const CELL_WINDOWS_MS: ReadonlyMap<number, number> = new Map([
  [4, 64],
  [8, 128],
  [16, 256],
]);

/** The longest of the windows: an id may contain a time that is as much apart from when it was made. */
export const CELL_WINDOW_MS_MAX = 256;

/** The cell that has allotted a number from a sequence: a tenant's, an API key's, a webhook's. */
export const cellOf = (id: number): number => Math.floor(id / IDS_PER_CELL);

/** The first and the last number of a cell. */
export const numbersOfCell = (cell: number): [first: number, last: number] => [
  cell * IDS_PER_CELL + 1,
  (cell + 1) * IDS_PER_CELL - 1,
];

/** The skill of daemons that leave a tenant alone while it moves to another cell. */
export const MOVING = { name: 'moving', since: '0.2.0' };
