import type pg from 'pg';
import { type ChangePosition, RESUMABLE_MS } from '../../domain/ids/change-position.js';
import { query, type Statement } from '../../platform/database/database.js';

export interface Change {
  tenantId: number;
  kind: 'DELIVERY' | 'WEBHOOK';
  ids: readonly number[];
  /** The webhook of each delivery; for a webhook its own id. */
  webhookIds: readonly number[];
}

interface ChangesRead {
  /** The next read continues here. */
  position: ChangePosition;
  changes: Change[];
  /** There were more changes than requested. */
  isCut: boolean;
  /**
   * Transactions with a lower id may have begun before changes were wanted, and have recorded none. Transactions with
   * this id or a higher one have recorded theirs.
   */
  completeFrom: bigint;
}

/** The channel of notices that something has changed. The changes themselves are read. */
export const CHANGES_CHANNEL = 'hookwright_changes';

/** Longer than a client may be away. */
const WANTED_SECONDS = RESUMABLE_MS / 1_000 + 60;
/** Counted from the end of the transaction that recorded them. */
const KEPT_SECONDS = RESUMABLE_MS / 1_000 + 60;

const wantStatement: Statement = { name: 'want_changes', text: 'select hookwright.want_changes($1, $2)' };
const readStatement: Statement = {
  name: 'read_changes',
  text: 'select * from hookwright.read_changes($1::pg_snapshot, $2::bigint[], $3)',
};

/** Makes transactions record changes of all tenants for the coming minutes. */
export async function wantChanges(pool: pg.Pool): Promise<void> {
  await query(pool, wantStatement, [WANTED_SECONDS, KEPT_SECONDS]);
}

interface Row {
  epoch: string;
  complete_from: string | null;
  snapshot: string;
  read_at_ms: number;
  tenant_id: number | null;
  kind: Change['kind'];
  ids: string[];
  webhook_ids: string[];
}

/** A position before all transactions. */
export const START = '1:1:';

/** @returns null while changes are not recorded: none were wanted, or Postgres has lost them in a crash */
export async function readChanges(
  pool: pg.Pool,
  tenantIds: readonly number[],
  since: string,
  changesMax: number,
): Promise<ChangesRead | null> {
  const rows = await query<Row>(pool, readStatement, [since, [...tenantIds], changesMax + 1]);
  const [first] = rows;
  if (first === undefined) {
    return null;
  }
  const changes = rows.filter(({ tenant_id }) => tenant_id !== null).slice(0, changesMax);
  return {
    position: { epoch: first.epoch, snapshot: first.snapshot, readAtMs: first.read_at_ms },
    changes: changes.map(({ tenant_id, kind, ids, webhook_ids }) => ({
      tenantId: tenant_id as number,
      kind,
      ids: ids.map(Number),
      webhookIds: webhook_ids.map(Number),
    })),
    isCut: rows.length > changesMax,
    completeFrom: BigInt(first.complete_from ?? 0),
  };
}
