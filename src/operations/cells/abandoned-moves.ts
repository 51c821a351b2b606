import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';

/** SQL: whether a mover may have died with a tenant closed (Duty.worthIt). */
export const worthReopeningSql = `exists (
  select from hookwright.tenant_moves
  where state in ('DRAINING', 'CLOSED') and changed_at < now() - interval '60 seconds')`;

const reopenStatement: Statement = {
  name: 'reopen_abandoned',
  text: 'select hookwright.reopen_abandoned() as opened',
};

/**
 * Opens tenants again whose mover has been silent for a minute. `tenant move … --resume` goes on with the move.
 *
 * @returns how many
 */
export async function reopenAbandoned(pool: pg.Pool): Promise<number> {
  return (await query<{ opened: number }>(pool, reopenStatement, []))[0]!.opened;
}
