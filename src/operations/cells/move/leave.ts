import type pg from 'pg';
import { query, type Statement } from '../../../platform/database/database.js';
import { about, auditBySql, commandLine } from '../../rows/audit.js';
import { inTransaction } from './connections.js';
import { type Move, setState } from './state.js';

const forgetAtStatement: Statement = {
  text: `update hookwright.tenant_moves set forget_at = now() + $2 * interval '1 day' where token = $1`,
};

const leaveStatement: Statement = { text: 'select hookwright.leave_tenant($1) as left_rows' };

/**
 * Step 5: the tenant is gone from the source, once it is open in the target.
 *
 * @param keepDays how long its rows stay
 */
export async function markGone(source: pg.Client, move: Move, keepDays: number): Promise<void> {
  const { token, tenantId, cell } = move;
  await inTransaction(source, async () => {
    if (await setState(source, move, ['COMMITTING'], 'OPEN')) {
      await query(source, forgetAtStatement, [token, keepDays]);
      const change = { action: 'TENANT_MOVED', after: { toCell: cell } } as const;
      await auditBySql(source, commandLine, { ...about('TENANT', null, tenantId), ...change });
    }
  });
  move.state = 'OPEN';
}

/** Ends what the tenant has left open in the source, chunk by chunk. It may be run again after any end. */
export async function endLeft(source: pg.Client, tenantId: number): Promise<void> {
  for (;;) {
    const [row] = await query<{ left_rows: number }>(source, leaveStatement, [tenantId]);
    if (row!.left_rows === 0) {
      return;
    }
  }
}
