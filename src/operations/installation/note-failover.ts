import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';

/** The state of the server, as a daemon last saw it. */
export interface Heard {
  /** By Postgres's clock. */
  at: Date;
  /** Null: the server does not tell. */
  timeline: number | null;
  isSynchronous: boolean;
}

/** A daemon looks this often. */
export const HEARD_EVERY_SECONDS = 5;

/**
 * `pg_last_xact_replay_timestamp` stays that of the last commit that the server got as a standby. A lower timeline is
 * another cluster's, into which the tables were restored.
 */
const noteStatement: Statement = {
  name: 'note_failover',
  text: `
    with noted as (
      update hookwright.housekeeping
      set timeline = $1::integer,
          failed_over_at = case when timeline < $1 then clock_timestamp() end,
          failed_over_from = timeline,
          failover_was_synchronous = $2::boolean,
          failover_lost_seconds = (
            select $4::float8 + greatest(0, lost)
            from (select extract(epoch from $3::timestamptz - pg_last_xact_replay_timestamp()) as lost) known
            where lost is not null)
      where timeline is distinct from $1)
    select clock_timestamp() as at, current_setting('synchronous_standby_names') <> '' as "isSynchronous"`,
};

/**
 * Writes down a failover since the last look of any daemon.
 *
 * @param timeline of the connections that this process has now; null: unknown
 * @param before the result of this daemon's look before this one
 */
export async function noteFailover(pool: pg.Pool, timeline: number | null, before?: Heard): Promise<Heard> {
  const old = before !== undefined && before.timeline !== timeline ? before : undefined;
  const values = [timeline, old?.isSynchronous, old?.at, HEARD_EVERY_SECONDS];
  const [row] = await query<Omit<Heard, 'timeline'>>(pool, noteStatement, values);
  return { ...row!, timeline };
}

const unknownStatement: Statement = {
  name: 'note_unknown_outcomes',
  text: `
    with gone as (
      select asked.id from unnest($1::bigint[]) as asked(id)
      where not exists (select from hookwright.deliveries d where d.id = asked.id)),
    noted as (
      update hookwright.housekeeping
      set unknown_outcomes = case when unknown_on is not distinct from $2 then unknown_outcomes else 0 end
                             + (select count(*) from gone),
          unknown_on = $2::integer
      where exists (select from gone))
    select id from gone`,
};

/** @returns those of the deliveries that are not in the table. They are counted for the doctor */
export async function noteUnknownOutcomes(
  pool: pg.Pool,
  deliveryIds: readonly number[],
  timeline: number | null,
): Promise<number[]> {
  const rows = await query<{ id: number }>(pool, unknownStatement, [deliveryIds, timeline]);
  return rows.map(({ id }) => id);
}
