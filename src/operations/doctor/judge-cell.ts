import type pg from 'pg';
import { numbersOfCell } from '../../domain/ids/cell.js';
import { readOwnCell } from '../cells/own-cell.js';
import { readSequences } from '../installation/enable-cell.js';
import { type Check, failIf } from './check.js';

/** Whether numbers of a cell say which one it is. No check for an installation that is none. */
export async function judgeCell(pool: pg.Pool): Promise<Check[]> {
  const own = await readOwnCell(pool);
  if (own === null) {
    return [];
  }
  const [first, last] = numbersOfCell(own.number);
  const outside = (await readSequences(pool))
    .filter(({ last: used }) => used !== null && !(Number(used) >= first && Number(used) <= last))
    .map(({ owner }) => owner);
  return [
    failIf(
      outside.length > 0,
      'cell',
      `Cell ${own.number} of ${own.of}, but these allot numbers of another one: ${outside.join(', ')}. Requests ` +
        `with such numbers go to the wrong cell: set the sequences to ${first} or later (docs/cells.md).`,
      `Cell ${own.number} of ${own.of}; its sequences are inside its numbers.`,
    ),
  ];
}
