import type pg from 'pg';
import { inChunks } from '../../platform/concurrency/in-chunks.js';
import {
  farJobsSql,
  forgetFutureRunsSql,
  futureRunsSql,
  isTooFarSql,
  runFarJobsSql,
} from '../../platform/graphile-worker/schema.js';

const CHUNK_ROWS = 10_000;

const farDeliveriesSql = `
  select id from hookwright.deliveries where status = 'PENDING' and ${isTooFarSql('due_at')} limit ${CHUNK_ROWS}`;
const isClosedTooLongSql = isTooFarSql('closed_until');
// Not now(): what others commit after the doctor's transaction has begun is not in the future.
/** No other mark is ahead of this one. */
const areMarksAheadSql = 'minutes_until > clock_timestamp()';
const isReportAheadSql = 'made_at > clock_timestamp()';

/** SQL: how many rows have a time in the future that only a clock of Postgres that was ahead can have left. */
export const futureTimesSql = `(
  select count(*)::integer from (
    (${farDeliveriesSql}) union all (${farJobsSql} limit ${CHUNK_ROWS})
    union all (select id from hookwright.webhooks where ${isClosedTooLongSql})
    union all (select null from (${futureRunsSql}) runs)
    union all (select null from hookwright.stats_progress where ${areMarksAheadSql})
    union all (select null from hookwright.installation_report where ${isReportAheadSql})) future)`;

/** Statistics are counted again from an hour ago. */
const anHourAgo = (unit: 'hour' | 'day') => `date_trunc('${unit}', now() - interval '1 hour', 'UTC')`;

const repairs = [
  `update hookwright.deliveries set due_at = now() where id in (${farDeliveriesSql}) and status = 'PENDING'`,
  runFarJobsSql(CHUNK_ROWS),
  `update hookwright.webhooks set closed_until = null where ${isClosedTooLongSql}`,
  forgetFutureRunsSql,
  `update hookwright.stats_progress
   set minutes_until = least(minutes_until, ${anHourAgo('hour')}), hours_until = least(hours_until, ${anHourAgo('hour')}),
       days_until = least(days_until, ${anHourAgo('day')}), minutes_from = least(minutes_from, ${anHourAgo('hour')}),
       hours_from = least(hours_from, ${anHourAgo('day')})
   where ${areMarksAheadSql}`,
  `update hookwright.installation_report set made_at = now() where ${isReportAheadSql}`,
];

/**
 * Corrects times that Postgres's clock has left while it was ahead: deliveries are due now, their jobs run, endpoints
 * are open, and housekeeping, statistics and the installation's report go on.
 *
 * @returns how many rows were corrected
 */
export async function repairFutureTimes(pool: pg.Pool): Promise<number> {
  let repaired = 0;
  for (const text of repairs) {
    repaired += await inChunks(CHUNK_ROWS, async () => (await pool.query(text)).rowCount ?? 0);
  }
  return repaired;
}
