import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { query, type Statement } from '../../../platform/database/database.js';

const LOOK_MS = 50;

const positionStatement: Statement = { text: 'select pg_current_wal_insert_lsn()::text as lsn' };

/** Standbys, not programs that stream changes or a backup. Only some logins see how far they are. */
const standbysStatement: Statement = {
  text: `
    select count(*)::integer as count, coalesce(bool_or(flush_lsn >= $1::pg_lsn), false) as flushed,
           bool_and(state is null) is true as hidden
    from pg_stat_replication s
    where s.state is null or s.state in ('streaming', 'catchup') and not exists (
      select from pg_replication_slots l where l.active_pid = s.pid and l.slot_type = 'logical')`,
};

/** Nothing that a later try of this command would change. */
export class StandbyLacking extends Error {
  override readonly name = 'StandbyLacking';
}

/** Whether a standby follows now. */
export async function hasStandby(client: pg.Client): Promise<boolean> {
  return (await query<{ count: number }>(client, standbysStatement, ['0/0']))[0]!.count > 0;
}

/**
 * Waits until a standby has what was committed over this connection, if there are any: else a failover could take it
 * back, and the tenant would be open in both cells.
 *
 * @param cell whose
 * @param had there was one: it is away now, or becomes the primary without what was committed
 * @throws StandbyLacking when none has it by then, or nobody may know
 */
export async function waitForStandby(client: pg.Client, cell: number, withinMs: number, had: boolean): Promise<void> {
  const [position] = await query<{ lsn: string }>(client, positionStatement, []);
  const endsAt = performance.now() + withinMs;
  for (;;) {
    const [row] = await query<{ count: number; flushed: boolean; hidden: boolean }>(client, standbysStatement, [
      position!.lsn,
    ]);
    const { count, flushed, hidden } = row!;
    if (flushed || (count === 0 && !had)) {
      return;
    }
    if (hidden) {
      throw new StandbyLacking(
        `This login does not see how far the standbys of cell ${cell} are. Have an administrator run there: grant pg_read_all_stats to its owner; or give --without-standby.`,
      );
    }
    if (performance.now() >= endsAt) {
      throw new StandbyLacking(
        `No standby of cell ${cell} has followed within ${withinMs / 1000} s. --without-standby does not wait for one.`,
      );
    }
    await delay(LOOK_MS);
  }
}
