import { cellOf } from '../../domain/ids/cell.js';
import { type ApiError, notFound, tenantElsewhere } from '../../errors.js';
import { query, type SqlTarget, type Statement } from '../../platform/database/database.js';

/** The number of an installation among the cells behind one address (docs/decisions/0097). */
export interface OwnCell {
  number: number;
  /** Ids of events and deliveries are distinct among as many cells. */
  of: number;
}

const readStatement: Statement = { name: 'read_own_cell', text: 'select number, "of" from hookwright.cell' };

/** Read only where something was not found, and by commands. @returns null: the installation is no cell */
export async function readOwnCell(sql: SqlTarget): Promise<OwnCell | null> {
  const [row] = await query<{ number: number; of: number }>(sql, readStatement, []);
  return row ?? null;
}

/** The cell that a number from a sequence names. @returns null: it is this one, or the installation is no cell */
export function otherCellOf(id: number, own: OwnCell | null): number | null {
  const cell = cellOf(id);
  return own === null || own.number === cell ? null : cell;
}

const readHome: Statement = { name: 'read_home_of_tenant', text: 'select hookwright.home_of($1) as home' };

/** The cell that a tenant lives in, if that is another one: it has moved there, or its number says so. */
export async function cellOfMissing(sql: SqlTarget, id: number): Promise<number | null> {
  const own = await readOwnCell(sql);
  if (own === null) {
    return null;
  }
  const [row] = await query<{ home: number | null }>(sql, readHome, [id]);
  const cell = row?.home ?? cellOf(id);
  return cell === own.number ? null : cell;
}

/**
 * The error for a tenant that is not here: with cells it may live in another one.
 *
 * @param named what the request names it by
 */
export async function missingTenant(sql: SqlTarget, id: number, named: string | number = id): Promise<ApiError> {
  const cell = await cellOfMissing(sql, id);
  return cell === null ? notFound('tenant', named) : tenantElsewhere(cell, `Tenant ${named}`);
}
