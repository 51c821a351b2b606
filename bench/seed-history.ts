import { LATENCY_BUCKETS } from '../src/domain/stats/latency.js';
import { rollUpStats } from '../src/operations/stats/roll-up-stats.js';
import type { BenchDatabase } from './database.js';

/** A past to put into the tables. */
interface History {
  /** The tenant that is measured: it has two fifths of the webhooks, and the busiest ones. */
  tenantId: number;
  deliveries: number;
  /** Deliveries go back so far; statistics three times as far. */
  days: number;
  webhooks: number;
}

/** Made by the product beforehand: it does not start with tenants whose data keys it cannot read. */
export const OTHER_TENANTS = 3;
/** A tenth of all deliveries is pending, half of those due. They are of the last third of the time. */
const PENDING_DAYS_PART = 3;
const MINUTES_KEPT_HOURS = 49;

/**
 * Puts deliveries into the tables, with the statistics as the daemon would have left them: those of the older days are
 * written as hours, those of the last two days as minutes, and the product's own roll-up does the rest. Events and
 * attempts, which no page of deliveries reads, are left out.
 *
 * @returns the measured tenant's webhooks: the busiest one, a quiet one, and one that is paused; and how many deliveries
 *   there are, which is no less than was asked for
 */
export async function seedHistory(
  { pool }: BenchDatabase,
  history: History,
): Promise<{ webhookIds: number[]; seeded: number }> {
  const { tenantId, deliveries, days, webhooks } = history;
  const client = await pool.connect();
  try {
    await client.query('set synchronous_commit = off'); // of this session alone, which nobody measures
    await client.query(`set timezone = 'UTC'`);
    const { rows } = await client.query<{ id: string }>(webhooksSql, [tenantId, webhooks]);
    const perDay = Math.ceil(deliveries / days);
    let seeded = 0;
    for (let daysAgo = days - 1; daysAgo >= 0; daysAgo--) {
      for (const parent of ['events', 'deliveries', 'attempts']) {
        await client.query(`select hookwright.make_partition($1, current_date - $2::integer)`, [parent, daysAgo]);
      }
      const recent = daysAgo < days / PENDING_DAYS_PART;
      seeded += (await client.query(deliveriesSql, [daysAgo, perDay, recent])).rowCount ?? 0;
      await client.query(statsSql('hour', 'cube (webhook_id, event_type)', `bucket < ${minutesFromSql}`), [daysAgo]);
      await client.query(statsSql('minute', 'webhook_id, event_type', `bucket >= ${minutesFromSql}`), [daysAgo]);
    }
    await client.query(olderStatsSql, [days]);
    await client.query(progressSql, [days]);
    await client.query('vacuum (analyze) hookwright.delivery_stats');
    await rollUpStats(pool);
    await client.query('vacuum (analyze)');
    const [busy, quiet, paused] = [rows[0]!, rows[Math.floor(webhooks / 3)]!, rows[1]!];
    return { webhookIds: [busy, quiet, paused].map(({ id }) => Number(id)), seeded };
  } finally {
    client.release(true);
  }
}

const minutesFromSql = `date_trunc('hour', now() - interval '${MINUTES_KEPT_HOURS} hours')`;

/** The second one is paused. Their secrets are none: nothing is sent to them. */
const webhooksSql = `
  insert into hookwright.webhooks (tenant_id, url, event_types, sealed_secret, active)
  select case when i <= $2::integer * 2 / 5 then $1::bigint
              else (select id from hookwright.tenants where id <> $1 order by id offset i % ${OTHER_TENANTS} limit 1) end,
         'https://receiver.example.com/' || i, '{*}', '', i <> 2
  from generate_series(1, $2) as i order by i returning id`;

const deliveriesSql = `
  with targets as materialized (
    select array_agg(id order by id) as ids, array_agg(tenant_id order by id) as tenants,
           array_agg(active order by id) as active from hookwright.webhooks),
  types as materialized (select array_agg(name order by name) as names from hookwright.event_types where not reserved),
  made as (
    select hookwright.id_at(at) | (i & 4095) as id, at, random() as chance,
           1 + floor(cardinality(targets.ids) * random() ^ 1.5)::integer as target,
           1 + floor(cardinality(types.names) * random() ^ 2)::integer as type
    from targets, types, generate_series(0, $2::integer - 1) as i
    cross join lateral (
      select begun + i * (least(begun + interval '1 day', now()) - begun) / $2 as at
      from (select (current_date - $1::integer)::timestamptz as begun) as day) as moment),
  states as (
    select made.*, case when not targets.active[target] and $3::boolean then 'HELD'
                        when chance < 0.3 and $3 then 'PENDING'
                        when chance > 0.98 then 'FAILED' else 'SUCCEEDED' end::hookwright.delivery_status as status
    from made, targets)
  insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, attempt_count, due_at,
                                     finished_at, last_status_code)
  select id, targets.tenants[target], id, targets.ids[target], types.names[type], status, (status <> 'HELD')::integer,
         case when status = 'PENDING' and chance < 0.15 then now() + chance * interval '6 hours' else at end,
         case when status in ('SUCCEEDED', 'FAILED') then at + interval '1 second' end,
         case when status <> 'HELD' then case status when 'SUCCEEDED' then 200 else 503 end end
  from states, targets, types order by id`;

/** @param series what rows are of: sums have null for a webhook or an event type */
function statsSql(unit: 'hour' | 'minute', series: string, where: string): string {
  const histogram = Array.from({ length: LATENCY_BUCKETS }, (_, index) => `count(*) filter (where place = ${index})`);
  return `
    insert into hookwright.delivery_stats
      (tenant_id, webhook_id, event_type, resolution, bucket, successes, failures, latency_histogram)
    select tenant_id, coalesce(webhook_id, 0), coalesce(event_type, ''), '${unit.toUpperCase()}', bucket,
           count(*) filter (where status = 'SUCCEEDED'), count(*) filter (where status <> 'SUCCEEDED'),
           array[${histogram.join(', ')}]::integer[]
    from (
      select tenant_id, webhook_id, event_type, status, floor(6 + 6 * random() + 6 * random() ^ 8)::integer as place,
             date_trunc('${unit}', to_timestamp(((id >> 12) + 1735689600000) / 1000.0)) as bucket
      from hookwright.deliveries
      where status <> 'HELD' and id >= hookwright.id_at((current_date - $1::integer)::timestamptz)
        and id < hookwright.id_at((current_date - $1 + 1)::timestamptz)) as ended
    where ${where}
    group by tenant_id, bucket, ${series}`;
}

/** Two times as far back again, the same hours. */
const olderStatsSql = `
  insert into hookwright.delivery_stats
  select tenant_id, webhook_id, event_type, resolution, bucket - times * $1 * interval '1 day', successes, failures,
         latency_histogram
  from hookwright.delivery_stats, generate_series(1, 2) as times where resolution = 'HOUR'`;

const progressSql = `
  update hookwright.stats_progress
  set minutes_until = ${minutesFromSql}, hours_until = ${minutesFromSql}, minutes_from = ${minutesFromSql},
      days_until = current_date - 3 * $1::integer, hours_from = current_date - 3 * $1`;
