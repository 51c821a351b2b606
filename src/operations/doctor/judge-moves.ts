import type pg from 'pg';
import { thisProgram } from '../../platform/node/this-program.js';
import { type Check, check, durationText } from './check.js';

interface Move {
  tenantId: number;
  cell: number;
  state: string;
  seconds: number;
}

const statement = `
  select tenant_id as "tenantId", cell, state, extract(epoch from now() - state_since)::float8 as seconds
  from hookwright.tenant_moves
  where direction = 'OUT' and state in ('COPYING', 'DRAINING', 'CLOSED', 'COMMITTING') order by started_at`;

/** Tenants that move to another cell (docs/decisions/0099). No check while none does. */
export async function judgeMoves(pool: pg.Pool): Promise<Check[]> {
  return (await pool.query<Move>(statement)).rows.map(judge);
}

function judge({ tenantId, cell, state, seconds }: Move): Check {
  const moves = `Tenant ${tenantId} moves to cell ${cell}: ${state} for ${durationText(seconds)}`;
  return state === 'COMMITTING'
    ? check(
        'move',
        'fail',
        `${moves}. It takes no events until it is known whether that cell has it. Run: ${thisProgram} tenant move ` +
          `${tenantId} --to-url-file <file> --resume`,
      )
    : check('move', 'ok', `${moves}.`);
}
