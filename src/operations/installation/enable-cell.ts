import type pg from 'pg';
import { CELL_MAX, CELL_WINDOWS_MS, numbersOfCell } from '../../domain/ids/cell.js';
import { query, type SqlTarget } from '../../platform/database/database.js';
import { thisProgram } from '../../platform/node/this-program.js';
import { nextIdSql } from '../cells/next-id.js';
import { type OwnCell, readOwnCell } from '../cells/own-cell.js';
import { inPatientTransaction } from './lock-patience.js';

const SIZES = [...CELL_WINDOWS_MS.keys()];

/** Which cell a database is to be. Null as the number: the first one, 0, with all that it has. */
export interface WantedCell {
  number: number | null;
  of: number;
}

/** @throws Error with a sentence for a number or a count that no cell has */
export function requireCell({ number, of }: WantedCell): void {
  if (!CELL_WINDOWS_MS.has(of)) {
    throw new Error(`Ids can name 4, 8 or 16 cells: --of ${SIZES.join(', --of ')}. ${of} is none of these.`);
  }
  if (number !== null && !(Number.isInteger(number) && number >= 1 && number <= CELL_MAX)) {
    throw new Error(
      `A new cell has a number from 1 to ${CELL_MAX}, not ${number}. The installation that is there already becomes ` +
        `cell 0 by "${thisProgram} cell enable --of ${of}".`,
    );
  }
  if (number !== null && number % of === 0) {
    throw new Error(
      `Cell ${number} of ${of} would make the same ids of events as cell 0: ${number} divided by ${of} leaves nothing. ` +
        `Choose another number, such as ${number === of ? 1 : number + 1}.`,
    );
  }
}

/** Sequences of identity columns. */
const SEQUENCES = `
  select s.oid::regclass::text as sequence, t.relname as owner, pg_sequence_last_value(s.oid)::text as last
  from pg_class s
  join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid and d.deptype = 'i'
    and d.refclassid = 'pg_class'::regclass
  join pg_class t on t.oid = d.refobjid
  where s.relkind = 'S' and s.relnamespace = 'hookwright'::regnamespace
  order by t.relname`;

interface Sequence {
  sequence: string;
  owner: string;
  /** Null: it was never used. */
  last: string | null;
}

export const readSequences = (sql: SqlTarget): Promise<Sequence[]> => query<Sequence>(sql, { text: SEQUENCES }, []);

/**
 * Makes a migrated database a cell, in one transaction: its number, its sequences and `next_id`. Again for the same
 * cell it changes nothing, so that a start may ask for it each time.
 *
 * @param client holds the lock of migrations
 * @throws Error with a sentence when it is another cell already, or is to become a new one and is not empty
 */
export async function enableCell(client: pg.Client, wanted: WantedCell): Promise<OwnCell> {
  requireCell(wanted);
  const number = wanted.number ?? 0;
  const own = await readOwnCell(client);
  if (own !== null) {
    requireSame(own, { number, of: wanted.of });
    return own;
  }
  const cell = { number, of: wanted.of };
  await inPatientTransaction(client, async () => {
    if (number > 0) {
      await client.query('lock table hookwright.tenants, hookwright.api_keys in share row exclusive mode');
      await beginSequences(client, number);
    }
    await client.query('insert into hookwright.cell (number, "of") values ($1, $2)', [number, cell.of]);
    await client.query(nextIdSql(cell));
  });
  return cell;
}

function requireSame(own: OwnCell, { number, of }: OwnCell): void {
  if (own.number !== number || own.of !== of) {
    throw new Error(
      `This database is cell ${own.number} of ${own.of} for ever, as the ids in it say, and cannot become cell ` +
        `${number} of ${of}.`,
    );
  }
}

/** Numbers are nobody's while no sequence was used. */
async function beginSequences(client: pg.Client, number: number): Promise<void> {
  const sequences = await readSequences(client);
  const used = sequences.filter(({ last }) => last !== null).map(({ owner }) => owner);
  const { rows } = await client.query<{ events: boolean }>('select exists (select from hookwright.events) as events');
  if (used.length > 0 || rows[0]!.events) {
    throw new Error(
      `Only an empty database becomes cell ${number}: this one has been used (${used.join(', ') || 'events'}). ` +
        'Make a new one for the cell; a tenant cannot change the cell that its number names.',
    );
  }
  const [first] = numbersOfCell(number);
  for (const { sequence } of sequences) {
    await client.query('select setval($1::regclass, $2, false)', [sequence, first]);
  }
}
