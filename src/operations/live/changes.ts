import type pg from 'pg';
import { query, type Statement } from '../../database/database.js';
import { type ChangePosition, RESUMABLE_MS } from '../../domain/ids/change-position.js';

/** What one statement changed of one tenant. */
export interface Change {
  tenantId: number;
  kind: 'DELIVERY' | 'WEBHOOK';
  ids: readonly number[];
  /** Of each delivery its webhook; of each webhook itself. */
  webhookIds: readonly number[];
}

interface ChangesRead {
  /** Where the next read goes on. */
  position: ChangePosition;
  changes: Change[];
  /** There were more than were asked for. */
  isCut: boolean;
  /**
   * A transaction with a lower id may have looked before changes were wanted, and have written none down; one with this
   * id or a higher one has not.
   */
  completeFrom: bigint;
}

/** The channel on which transactions tell that they changed something. What it was is read, never told. */
export const CHANGES_CHANNEL = 'hookwright_changes';

/** Longer than changes can be asked for, so that a client that comes back in time finds them written down. */
const WANTED_SECONDS = RESUMABLE_MS / 1_000 + 60;
/** After the transaction that has written them has ended. */
const KEPT_SECONDS = RESUMABLE_MS / 1_000 + 60;

const wantStatement: Statement = {
  name: 'want_changes',
  text: 'select hookwright.want_changes($1, $2) as epoch',
};
const readStatement: Statement = {
  name: 'read_changes',
  text: 'select * from hookwright.read_changes($1::pg_snapshot, $2::bigint[], $3)',
};

/** Has changes of all tenants written down for the coming minutes. @returns the epoch that they belong to */
export async function wantChanges(pool: pg.Pool): Promise<string> {
  const [row] = await query<{ epoch: string }>(pool, wantStatement, [WANTED_SECONDS, KEPT_SECONDS]);
  return row!.epoch;
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

/** Before all transactions. Of no tenant's changes, it is where to begin. */
export const START = '1:1:';

/**
 * Reads what tenants changed since a snapshot, in one statement with the snapshot that it goes up to.
 *
 * @param changesMax no more than this many are read
 * @returns null while changes are not written down: nobody wanted them, or Postgres has lost them in a crash
 */
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
