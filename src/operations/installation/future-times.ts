import type pg from 'pg';
import { ASK_PAUSE_MS_MAX } from '../../domain/challenges/ask-times.js';
import { RETRY_MS_MAX } from '../../domain/deliveries/retry-policy.js';
import { SETTLE_SECONDS_MAX } from '../../domain/fields/ordering-fields.js';
import { PAUSE_MS_MAX, PROBE_MS_MAX } from '../../domain/pacing/probes.js';
import { PUT_OFF_MS_MAX } from '../../domain/pacing/put-off-times.js';
import { inChunks } from '../../platform/concurrency/in-chunks.js';
import { farJobsSql, runFarJobsSql } from '../../platform/graphile-worker/far-jobs.js';
import { forgetFutureRunsSql, futureRunsSql } from '../../platform/graphile-worker/schema.js';
import { pendingSql } from '../jobs/tasks.js';
import { PAUSE_MINUTES_MAX } from '../webhooks/probe-webhooks.js';
import type { Search } from './search-parts.js';

const CHUNK_ROWS = 10_000;

/**
 * Clocks of two servers differ by less after a failover. Every other limit is that of the rule by which a time is set,
 * whatever the options of its webhook are now (docs/decisions/0064).
 */
const SLACK_MS = 15 * 60_000;
const JOB_MS_MAX = PUT_OFF_MS_MAX + SLACK_MS;

/** SQL condition: the time is later than anything waits. @param waitMs the longest that the rules let it wait */
const isTooFarSql = (time: string, waitMs: number) =>
  `${time} > now() + interval '1 millisecond' * ${waitMs + SLACK_MS}`;

const farDeliveriesSql = `
  select id from hookwright.deliveries
  where status = 'PENDING' and ${isTooFarSql('due_at', RETRY_MS_MAX)} limit ${CHUNK_ROWS}`;
/** A delivery waits for a retry, or until its key is quiet: any other is due at once. */
const isFirstTooFarSql = `attempt_count = attempts_before
  and (settling_since is null or ${isTooFarSql('due_at', SETTLE_SECONDS_MAX * 1_000)})`;
const isUnexplainedSql = `status = 'PENDING' and ${isTooFarSql('due_at', 0)} and ${isFirstTooFarSql}`;
/** Among retries, of which there may be a million. The jobs of such deliveries are found besides. */
export const unexplainedTimes = {
  unexplained: {
    table: 'hookwright.deliveries',
    where: `status = 'PENDING' and ${isTooFarSql('due_at', 0)} and not ${isTooFarSql('due_at', RETRY_MS_MAX)}`,
    columns: 'id, due_at, attempt_count, attempts_before, settling_since',
    order: { due_at: 'timestamptz' },
    key: { id: 'bigint' },
    isFault: isFirstTooFarSql,
  },
} satisfies Record<string, Search>;
const isClosedTooLongSql = isTooFarSql('closed_until', PAUSE_MS_MAX);
const isProbedTooLateSql = isTooFarSql('next_probe_at', PROBE_MS_MAX);
const isRecoveryTooLateSql = isTooFarSql('next_probe_at', PAUSE_MINUTES_MAX * 60_000);
const isAskTooLateSql = isTooFarSql('next_at', ASK_PAUSE_MS_MAX);
const isHostAheadSql = isTooFarSql('last_at', 0);
// Not now(): what others commit after the doctor's transaction has begun is not in the future.
/** No other mark is ahead of this one. */
const areMarksAheadSql = 'minutes_until > clock_timestamp()';
const isReportAheadSql = 'made_at > clock_timestamp()';

/**
 * SQL: how many rows have a time in the future that only a clock of Postgres that was ahead can have left, besides
 * `unexplainedTimes`. The probes of active webhooks have no index, and are not counted.
 */
export const futureTimesSql = `(
  select count(*)::integer from (
    (${farDeliveriesSql}) union all (${farJobsSql(pendingSql, JOB_MS_MAX)} limit ${CHUNK_ROWS})
    union all (select id from hookwright.webhooks where ${isClosedTooLongSql})
    union all (select webhook_id from hookwright.webhook_recoveries where ${isRecoveryTooLateSql})
    union all (select webhook_id from hookwright.verifications where ${isAskTooLateSql})
    union all (select null from hookwright.challenge_hosts where ${isHostAheadSql})
    union all (select null from (${futureRunsSql}) runs)
    union all (select null from hookwright.stats_progress where ${areMarksAheadSql})
    union all (select null from hookwright.installation_report where ${isReportAheadSql})) future)`;

/** Statistics are counted again from an hour ago. */
const anHourAgo = (unit: 'hour' | 'day') => `date_trunc('${unit}', now() - interval '1 hour', 'UTC')`;

const dueNow = (which: string) => `
  update hookwright.deliveries set due_at = now() where id in (${which}) and status = 'PENDING'`;

const repairs = [
  dueNow(farDeliveriesSql),
  dueNow(`select id from hookwright.deliveries where ${isUnexplainedSql} limit ${CHUNK_ROWS}`),
  runFarJobsSql(pendingSql, JOB_MS_MAX, CHUNK_ROWS),
  `update hookwright.webhooks set closed_until = null where ${isClosedTooLongSql}`,
  `update hookwright.webhooks set next_probe_at = null where ${isProbedTooLateSql}`,
  `update hookwright.webhook_recoveries set next_probe_at = now() where ${isRecoveryTooLateSql}`,
  `update hookwright.verifications set next_at = now() where ${isAskTooLateSql}`,
  `delete from hookwright.challenge_hosts where ${isHostAheadSql}`,
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
 * are open and probed, and housekeeping, statistics and the installation's report go on. What a schedule, a pause or a
 * put-off explains keeps its time.
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
