import type pg from 'pg';
import { LATENCY_BUCKETS } from '../../src/domain/stats/latency.js';
import { PLATFORM } from '../../src/platform/database/tenant-database.js';

/** Minutes are kept for so long before the moment to which everything is seeded. */
const minutesFromSql = `date_trunc('hour', $1::timestamptz - interval '49 hours')`;
const marks = {
  MINUTE: { from: minutesFromSql, until: `date_trunc('minute', $1::timestamptz - interval '30 seconds')` },
  HOUR: { from: `'-infinity'::timestamptz`, until: `date_trunc('hour', $1::timestamptz - interval '30 seconds')` },
};

/** Writes the statistics of a day's deliveries as the roll-up leaves them, which goes on after them. @param ago 0: the day of `until` */
export async function seedStats(client: pg.ClientBase, until: Date, ago: number): Promise<void> {
  for (const resolution of ['HOUR', 'MINUTE'] as const) {
    await client.query(ofDeliveriesSql(resolution), [until, ago]);
  }
}

/** Writes the days, and how far the roll-up has come. */
export async function finishStats(client: pg.ClientBase, until: Date): Promise<void> {
  await client.query(daysSql, [until]);
  await client.query(
    `update hookwright.stats_progress
     set minutes_until = ${marks.MINUTE.until}, hours_until = ${marks.HOUR.until}, minutes_from = ${minutesFromSql},
         days_until = date_trunc('day', $1::timestamptz),
         hours_from = date_trunc('day', $1::timestamptz - interval '91 days')`,
    [until],
  );
}

const dayStartSql = `date_trunc('day', $1::timestamptz) - interval '1 day' * $2::integer`;

/** Sums have 0 for the tenant or the webhook, or no event type. */
const keySql = `coalesce(tenant_id, ${PLATFORM}), coalesce(webhook_id, 0), coalesce(event_type, '')`;
const setsSql = `grouping sets
  ((tenant_id, webhook_id, event_type), (tenant_id, webhook_id), (tenant_id, event_type), (tenant_id), (event_type), ())`;
const insertSql = `
  insert into hookwright.delivery_stats
    (tenant_id, webhook_id, event_type, resolution, bucket, successes, failures, latency_histogram)`;

/** Most durations are near each other, and a few are long. */
const histogramSql = `array[${Array.from({ length: LATENCY_BUCKETS }, (_, place) => {
  const part: Record<number, string> = { 8: 'n - n / 4 - n / 20', 10: 'n / 4', 14: 'n / 20' };
  return part[place] ?? '0';
}).join(', ')}]::integer[]`;

const ofDeliveriesSql = (resolution: 'MINUTE' | 'HOUR') => `
  ${insertSql}
  select ${keySql}, '${resolution}', bucket, successes, n - successes, ${histogramSql}
  from (
    select tenant_id, webhook_id, event_type, bucket, count(*) filter (where status = 'SUCCEEDED') as successes,
           count(*) as n
    from (
      select tenant_id, webhook_id, event_type, status, date_trunc('${resolution}', finished_at) as bucket
      from hookwright.deliveries
      where attempt_count > 0 and id >= hookwright.id_at(${dayStartSql})
        and id < hookwright.id_at(${dayStartSql} + interval '1 day')) ended
    where bucket >= ${marks[resolution].from} and bucket < ${marks[resolution].until}
      and bucket >= ${dayStartSql} and bucket < ${dayStartSql} + interval '1 day'
    group by bucket, ${setsSql}) counted`;

const daysSql = `
  ${insertSql}
  select tenant_id, webhook_id, event_type, 'DAY', day, successes, n - successes, ${histogramSql}
  from (
    select tenant_id, webhook_id, event_type, date_trunc('day', bucket) as day, sum(successes)::integer as successes,
           sum(successes + failures)::integer as n
    from hookwright.delivery_stats where resolution = 'HOUR' and bucket < date_trunc('day', $1::timestamptz)
    group by tenant_id, webhook_id, event_type, day) summed`;
