import type pg from 'pg';
import { query, type Statement } from '../../../platform/database/database.js';
import { thisProgram } from '../../../platform/node/this-program.js';

export type MoveState = 'COPYING' | 'DRAINING' | 'CLOSED' | 'COMMITTING' | 'OPEN' | 'DONE' | 'ABORTED';

/** The tenant is open here, or may be opened again. */
export const BEFORE_COMMITTING: readonly MoveState[] = ['COPYING', 'DRAINING', 'CLOSED'];

/** The row of a move in the source. */
export interface Move {
  token: string;
  tenantId: number;
  /** The cell that it moves to. */
  cell: number;
  state: MoveState;
  /** The time in the words of Postgres. Null: nothing is copied yet. */
  copiedBefore: string | null;
  /** The day in the words of Postgres. */
  dayDone: string | null;
}

const COLUMNS = `token::text, tenant_id::float8 as "tenantId", cell, state, copied_before::text as "copiedBefore",
  day_done::text as "dayDone"`;

const latestStatement: Statement = {
  text: `
    select ${COLUMNS}
    from (select * from hookwright.tenant_moves
          where tenant_id = $1 and direction = 'OUT' order by started_at desc limit 1) latest
    where state not in ('OPEN', 'DONE') or exists (
      select from hookwright.tenants t where t.id = latest.tenant_id and t.moving = 'GONE')`,
};

/** The latest move of a tenant out of this cell. @returns null for none, and when it has come back since */
export async function latestMove(client: pg.Client, tenantId: number): Promise<Move | null> {
  const [row] = await query<Move>(client, latestStatement, [tenantId]);
  return row ?? null;
}

const beginStatement: Statement = {
  text: `
    insert into hookwright.tenant_moves (token, tenant_id, direction, cell, state)
    values (gen_random_uuid(), $1, 'OUT', $2, 'COPYING') returning ${COLUMNS}`,
};

export async function beginMove(client: pg.Client, tenantId: number, cell: number): Promise<Move> {
  const [row] = await query<Move>(client, beginStatement, [tenantId, cell]);
  return row!;
}

const markStatement: Statement = { text: 'select hookwright.set_moving($1, $2)' };

const stateStatement: Statement = {
  text: `
    update hookwright.tenant_moves set state = $3, changed_at = clock_timestamp(), state_since = clock_timestamp()
    where token = $1 and state = any($2::text[]) returning state`,
};

/** The mark of a tenant whose move has this state. */
const MARKS: Readonly<Partial<Record<MoveState, string>>> = {
  DRAINING: 'DRAINING',
  CLOSED: 'CLOSED',
  COMMITTING: 'CLOSED',
  OPEN: 'GONE',
  DONE: 'GONE',
};

/**
 * Brings a move to another state, with the tenant's mark, inside the caller's transaction.
 *
 * @param from the states of which it may have one
 * @returns false: it has another one, so nothing is changed
 */
export async function setState(
  client: pg.Client,
  { token, tenantId }: Pick<Move, 'token' | 'tenantId'>,
  from: readonly MoveState[],
  to: MoveState,
): Promise<boolean> {
  const [row] = await query(client, stateStatement, [token, from, to]);
  if (row === undefined) {
    return false;
  }
  await query(client, markStatement, [tenantId, MARKS[to] ?? null]);
  return true;
}

const copiedStatement: Statement = {
  text: `
    update hookwright.tenant_moves
    set copied_before = $2::timestamptz, day_done = $3::date, changed_at = clock_timestamp() where token = $1`,
};

/** Notes how far the days are copied. */
export async function noteCopied(client: pg.Client, token: string, before: string, day: string | null): Promise<void> {
  await query(client, copiedStatement, [token, before, day]);
}

const renewStatement: Statement = {
  text: 'update hookwright.tenant_moves set token = gen_random_uuid() where token = $1 returning token::text as token',
};

/** Gives a move another token: the target has said for ever that the former one never comes. */
export async function renewToken(client: pg.Client, token: string): Promise<string> {
  const [row] = await query<{ token: string }>(client, renewStatement, [token]);
  return row!.token;
}

/**
 * A sentence about a move that has failed before the target could have the tenant.
 *
 * @param isOpen whether the tenant is open here
 */
export function whatNext({ tenantId }: Move, isOpen: boolean): string {
  const resume = `"${thisProgram} tenant move ${tenantId} --to-url-file <file> --resume" goes on`;
  return isOpen
    ? `The tenant is open here: ${resume}, --abort takes it back.`
    : `The service opens the tenant within a minute, if it is closed; ${resume}.`;
}
