import type pg from 'pg';
import { type FirstMinutes, nextRollUp, type RollUpProgress, type RollUpStep } from '../../domain/stats/roll-up.js';
import { STATS_KEPT_MS } from '../../domain/stats/stats.js';
import { query, type Statement, transaction, type WithCommit } from '../../platform/database/database.js';
import { PLATFORM } from '../../platform/database/tenant-database.js';
import { forgetRows } from '../housekeeping/forget.js';
import { failureSteps } from './roll-up-failures.js';
import { queueSteps } from './roll-up-queue.js';
import { rollUpSteps } from './roll-up-steps.js';
import { eachBucketSql, STATS_KEY } from './stats-rows.js';

/** Condition: outcomes wrote the row; it is not a sum. The same as in the index `delivery_stats_written`. */
export const isWrittenSql = `webhook_id <> 0 and event_type <> ''`;
const isSumSql = `(webhook_id = 0 or event_type = '')`;

const INTEGER_MAX = 2_147_483_647;

const sumsSql = `
  least(sum(successes), ${INTEGER_MAX})::integer as successes, least(sum(failures), ${INTEGER_MAX})::integer as failures,
  array[${eachBucketSql((count) => `least(sum(${count}), ${INTEGER_MAX})`)}]::integer[]
    as latency_histogram`;

/** Replaces rows; unchanged ones are left alone. */
const replaceSql = `
  on conflict (${STATS_KEY}) do update
  set successes = excluded.successes, failures = excluded.failures, latency_histogram = excluded.latency_histogram
  where (s.successes, s.failures) is distinct from (excluded.successes, excluded.failures)`;

/**
 * Rows per webhook and event type, and their sums over webhooks, over event types, and over both. Sums of all tenants
 * have the tenant 0. Sums are made of the new rows, which are a fraction of the rows that these are made of.
 */
function rollSql(source: string, into: 'MINUTE' | 'HOUR' | 'DAY'): string {
  const bucket = `date_trunc('${into.toLowerCase()}', bucket, 'UTC')`;
  const rolled =
    into === 'MINUTE'
      ? `select * from ${source}`
      : `select tenant_id, webhook_id, event_type, ${bucket} as bucket, ${sumsSql}
         from ${source} group by tenant_id, webhook_id, event_type, ${bucket}`;
  return `
    insert into hookwright.delivery_stats as s (${STATS_KEY}, successes, failures, latency_histogram)
    select coalesce(tenant_id, ${PLATFORM}), coalesce(webhook_id, 0), coalesce(event_type, ''), '${into}', bucket, ${sumsSql}
    from (${rolled}) rolled
    group by bucket, grouping sets
      ((tenant_id, webhook_id, event_type), (tenant_id, webhook_id), (tenant_id, event_type), (tenant_id), (event_type), ())
    ${into === 'MINUTE' ? 'having grouping(webhook_id, event_type) > 0' : ''}
    ${replaceSql}`;
}

const outcomeSteps = rollUpSteps({
  table: 'delivery_stats',
  subject: '',
  rows: { written: isWrittenSql, sum: isSumSql },
  rollSql,
});

/** Outcomes, failures by reason, and the queue go one way, by the same marks. */
const stepStatements = (kind: RollUpStep['kind']): Statement[] =>
  [outcomeSteps, failureSteps, queueSteps].flatMap((steps) => steps[kind] ?? []);

const firstMinuteSql = (mark: string) => `(
  select extract(epoch from min(bucket))::float8 * 1000 from hookwright.delivery_stats
  where resolution = 'MINUTE' and ${isWrittenSql} and bucket >= ${mark})`;

/** A day of a million busy webhooks takes a minute, which other statements may not. */
const STEP_TIMEOUT_MS = 600_000;

/** A daemon that finds the row locked leaves the work to the other one. */
const progressStatement: Statement = {
  name: 'lock_stats_progress',
  text: `
    select set_config('statement_timeout', '${STEP_TIMEOUT_MS}', true), clock_timestamp() as now, json_build_object(
             'minutesUntil', ${firstMinuteSql('minutes_until')}, 'hoursUntil', ${firstMinuteSql('hours_until')},
             'minutesFrom', ${firstMinuteSql('minutes_from')}) as "firstMinutes",
           minutes_until as "minutesUntil", hours_until as "hoursUntil", days_until as "daysUntil", minutes_from as "minutesFrom", hours_from as "hoursFrom"
    from hookwright.stats_progress for update skip locked`,
};

const progressToStatement: Statement = {
  name: 'set_stats_progress',
  text: `
    update hookwright.stats_progress
    set minutes_until = $1, hours_until = $2, days_until = $3, minutes_from = $4, hours_from = $5`,
};

/**
 * Rolls statistics up: minutes to hours and days, each with its sums, and deletes rows beyond their retention. Each
 * step is a transaction that moves a mark of progress, so it can be interrupted at any point, run by several daemons at
 * once, and goes on where it stopped.
 *
 * Nothing is counted twice: while an hour's minutes exist, rolling it up again replaces its row. They are deleted with
 * its last roll-up. A minute that comes still later is deleted.
 *
 * @returns the number of steps
 */
export async function rollUpStats(pool: pg.Pool): Promise<number> {
  let steps = 0;
  while (await transaction(pool, takeStep)) {
    steps += 1;
  }
  await forgetExpired(pool);
  return steps;
}

/** Each condition is by an index of its table. */
async function forgetExpired(pool: pg.Pool): Promise<void> {
  const isMinute = `resolution = 'MINUTE' and bucket < (select minutes_from from hookwright.stats_progress)`;
  const isHour = `resolution = 'HOUR' and bucket < (select hours_from from hookwright.stats_progress)`;
  const isTooOld = (time: string) => `${time} < now() - ${STATS_KEPT_MS.DAY} * interval '1 millisecond'`;
  const isDay = `resolution = 'DAY' and ${isTooOld('bucket')}`;
  const expired: Readonly<Record<string, readonly string[]>> = {
    delivery_stats: [`${isMinute} and ${isWrittenSql}`, `${isMinute} and ${isSumSql}`, isHour, isDay],
    failure_stats: [`${isMinute} and webhook_id <> 0`, `${isMinute} and webhook_id = 0`, isHour, isDay],
    queue_stats: [isMinute, isHour, isDay],
    queue_gaps: [isTooOld('until')],
  };
  for (const [table, conditions] of Object.entries(expired)) {
    for (const condition of conditions) {
      await forgetRows(pool, table, condition);
    }
  }
}

async function takeStep(client: pg.PoolClient, withCommit: WithCommit): Promise<boolean> {
  const [row] = await query<RollUpProgress & { now: Date; firstMinutes: FirstMinutes }>(client, progressStatement, []);
  if (row === undefined) {
    return false;
  }
  const { now, firstMinutes, ...progress } = row;
  const step = nextRollUp(progress, now, firstMinutes);
  if (step === null) {
    return false;
  }
  for (const one of stepStatements(step.kind)) {
    const statement = { ...one, query_timeout: STEP_TIMEOUT_MS };
    await query(client, statement, [step.from, step.until]); // a commit that is sent with it would not wait for so long
  }
  const { minutesUntil, hoursUntil, daysUntil, minutesFrom, hoursFrom } = step.progress;
  withCommit(query(client, progressToStatement, [minutesUntil, hoursUntil, daysUntil, minutesFrom, hoursFrom]));
  return true;
}
