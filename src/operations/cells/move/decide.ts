import type pg from 'pg';
import { query, type Statement } from '../../../platform/database/database.js';
import { SQL_STATE, sqlStateOf } from '../../../platform/database/driver/sql-state.js';
import type { Move } from './state.js';

const insertStatement: Statement = {
  text: `
    insert into hookwright.tenant_moves (token, tenant_id, direction, cell, state)
    values ($1, $2, 'IN', $3, $4)`,
};

/** Notes in the target's transaction that the tenant comes. @throws what says that it never can */
export async function noteArrival(target: pg.Client, { token, tenantId }: Move, from: number): Promise<void> {
  await query(target, insertStatement, [token, tenantId, from, 'OPEN']);
}

const stateStatement: Statement = { text: 'select state from hookwright.tenant_moves where token = $1' };

/**
 * Decides for ever whether a tenant has come, by an insert of the same key as `noteArrival` makes. It waits for a
 * commit under way, and never looks before: one that waits for a standby is invisible.
 */
export async function decide(target: pg.Client, { token, tenantId }: Move, from: number): Promise<'OPEN' | 'ABORTED'> {
  try {
    await query(target, insertStatement, [token, tenantId, from, 'ABORTED']);
    return 'ABORTED';
  } catch (error) {
    if (sqlStateOf(error) !== SQL_STATE.UNIQUE_VIOLATION) {
      throw error;
    }
  }
  const [row] = await query<{ state: 'OPEN' | 'ABORTED' }>(target, stateStatement, [token]);
  return row!.state;
}
