import pg from 'pg';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { rollUpStats } from '../../src/operations/stats/roll-up-stats.js';
import { poolOptions } from '../../src/platform/database/database.js';
import { DeliveryStack } from '../support/delivery-stack.js';

const stack = await DeliveryStack.open();
beforeEach(() => stack.rows('truncate hookwright.delivery_stats'));
afterAll(() => stack[Symbol.asyncDispose]());

const roll = () => rollUpStats(stack.services.db.pool);

/** Outcomes of a minute, as they are written: added to what stands there. Times are SQL. */
async function write(
  time: string,
  successes: number,
  { webhookId = 7, eventType = 'coupon.applied', resolution = 'MINUTE' } = {},
) {
  await stack.rows(`
    insert into hookwright.delivery_stats as s
      (tenant_id, webhook_id, event_type, resolution, bucket, successes, failures, latency_histogram)
    values (${stack.tenantId}, ${webhookId}, '${eventType}', '${resolution}', date_trunc('${resolution}', ${time}), ${successes}, 1,
            array_fill(0, array[23]) || array[${successes + 1}])
    on conflict (tenant_id, webhook_id, event_type, resolution, bucket) do update
    set successes = s.successes + excluded.successes, failures = s.failures + excluded.failures,
        latency_histogram = hookwright.add_histograms(s.latency_histogram, excluded.latency_histogram)`);
}

/** Sets the marks: nothing since these days has been rolled up. */
async function progressAt(time: string, hoursFrom = time): Promise<void> {
  await stack.rows(`
    update hookwright.stats_progress p
    set minutes_until = day, hours_until = day, days_until = day, minutes_from = day, hours_from = date_trunc('day', ${hoursFrom})
    from (select date_trunc('day', ${time}) as day) as from_`);
}

interface Sum {
  rows: number;
  successes: number;
  failures: number;
  slowest: number;
}

const isWritten = `webhook_id <> 0 and event_type <> ''`;
const sumOf = async (resolution: string, where = isWritten): Promise<Sum> =>
  (
    await stack.rows<Sum>(
      `select count(*)::int as rows, coalesce(sum(successes), 0)::int as successes,
              coalesce(sum(failures), 0)::int as failures, coalesce(sum(latency_histogram[24]), 0)::int as slowest
       from hookwright.delivery_stats where tenant_id <> 0 and resolution = '${resolution}' and ${where}`,
    )
  )[0]!;
const everything = () => stack.rows(`select * from hookwright.delivery_stats order by 1, 2, 3, 4, 5`);

const hoursAgo = (hours: number) => `date_trunc('hour', now()) - interval '${hours} hours'`;
const daysAgo = (days: number) => `date_trunc('day', now()) - interval '${days} days' + interval '12 hours'`;

describe('rolling statistics up', () => {
  test('makes hours and days of minutes, each with its sums', async () => {
    await progressAt(daysAgo(2));
    await write(daysAgo(1), 2);
    await write(`${daysAgo(1)} + interval '1 minute'`, 3);
    await write(daysAgo(1), 10, { eventType: 'booking.created' });
    await write(daysAgo(1), 100, { webhookId: 8 });
    await roll();
    for (const resolution of ['HOUR', 'DAY']) {
      expect(await sumOf(resolution)).toEqual({ rows: 3, successes: 115, failures: 4, slowest: 119 });
      const of = async (webhookId: number, eventType: string) =>
        (await sumOf(resolution, `webhook_id = ${webhookId} and event_type = '${eventType}'`)).successes;
      expect(await of(7, 'coupon.applied')).toBe(5);
      expect(await of(0, 'coupon.applied')).toBe(105);
      expect(await of(7, '')).toBe(15);
      expect(await of(0, '')).toBe(115);
    }
    expect(await sumOf('MINUTE', `webhook_id = 0 and event_type = ''`)).toMatchObject({
      rows: 2,
      successes: 115,
    });
  });

  test('may take longer than other statements', async () => {
    await progressAt(daysAgo(2));
    await write(daysAgo(1), 2);
    await stack.rows(`
      create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.7); return null; end';
      create trigger slow after insert on hookwright.delivery_stats for each statement when (pg_trigger_depth() = 0)
        execute function slow()`);
    await using pool = Object.assign(
      new pg.Pool({ ...poolOptions(stack.databaseUrl, 1), query_timeout: 500, statement_timeout: 400 }),
      {
        [Symbol.asyncDispose]: () => pool.end(),
      },
    );
    expect(await rollUpStats(pool)).toBeGreaterThan(3);
    await stack.rows('drop trigger slow on hookwright.delivery_stats');
  });

  test('again changes nothing, from any point on and by several daemons at once', async () => {
    await progressAt(daysAgo(3));
    for (const hours of [2, 3, 26, 30, 60]) {
      await write(hoursAgo(hours), hours);
    }
    await roll();
    const rolled = await everything();
    await roll();
    expect(await everything()).toEqual(rolled);
    // As after a crash before any mark was moved, as far as the minutes are there.
    await stack.rows(
      `update hookwright.stats_progress set minutes_until = minutes_from, hours_until = minutes_from, days_until = hours_from`,
    );
    await Promise.all([roll(), roll(), roll()]);
    expect(await everything()).toEqual(rolled);
    expect(await sumOf('HOUR')).toMatchObject({ rows: 5, successes: 121, failures: 5 });
  });

  test('keeps tenants apart', async () => {
    await progressAt(daysAgo(1));
    await write(hoursAgo(2), 1);
    await stack.rows(
      `insert into hookwright.delivery_stats
       select tenant_id + 1, webhook_id + 1, event_type, resolution, bucket, 50, 0, latency_histogram
       from hookwright.delivery_stats`,
    );
    await roll();
    const where = (tenantId: number) => `tenant_id = ${tenantId} and webhook_id = 0 and event_type = ''`;
    expect((await sumOf('HOUR', where(stack.tenantId))).successes).toBe(1);
    expect((await sumOf('HOUR', where(stack.tenantId + 1))).successes).toBe(50);
  });

  test('catches up after an outage of weeks, though minutes are kept for two days', async () => {
    await progressAt(daysAgo(20));
    await write(daysAgo(20), 20);
    await write(daysAgo(10), 10);
    await roll();
    expect(await sumOf('MINUTE', 'true')).toMatchObject({ rows: 0 });
    expect(await sumOf('HOUR')).toEqual({ rows: 2, successes: 30, failures: 2, slowest: 32 });
    expect(await sumOf('DAY', `webhook_id = 0 and event_type = ''`)).toMatchObject({ rows: 2, successes: 30 });
  });
});

describe('an outcome that is late', () => {
  test('by a moment is in the next roll-up of its minute', async () => {
    await progressAt(daysAgo(1));
    await write(`now() - interval '2 minutes'`, 1);
    await roll();
    await write(`now() - interval '2 minutes'`, 5);
    await stack.rows(`update hookwright.stats_progress set minutes_until = minutes_until - interval '1 minute'`);
    await roll();
    expect(await sumOf('MINUTE', `webhook_id = 0 and event_type = ''`)).toMatchObject({ successes: 6 });
  });

  test('by hours is in its hour at the latest when the minutes go, and once', async () => {
    await progressAt(daysAgo(2), daysAgo(3)); // passHours moves rows back, perhaps into the day before
    await write(hoursAgo(47), 1);
    await roll();
    await write(hoursAgo(47), 5);
    await roll();
    const kept = await sumOf('MINUTE');
    expect(kept).toMatchObject({ rows: 1, successes: 6 });
    await passHours(4);
    await roll();
    expect(await sumOf('MINUTE', 'true')).toMatchObject({ rows: 0 });
    expect(await sumOf('HOUR')).toEqual({ rows: 1, successes: 6, failures: 2, slowest: 8 });
    expect(await sumOf('HOUR', `webhook_id = 0 and event_type = ''`)).toMatchObject({ successes: 6 });
  });

  test('by days, when its minutes are gone, goes without a trace', async () => {
    await progressAt(daysAgo(4));
    await write(daysAgo(4), 1);
    await roll();
    const rolled = await everything();
    await write(daysAgo(4), 5);
    await write(daysAgo(100), 5, { resolution: 'HOUR' });
    await roll();
    expect(await everything()).toEqual(rolled);
  });
});

describe('retention', () => {
  test('minutes go after 49 hours, hours after 91 days, days after 731', async () => {
    await progressAt(daysAgo(3), daysAgo(95));
    await write(hoursAgo(48), 1);
    await write(hoursAgo(51), 2);
    await write(daysAgo(90), 4, { resolution: 'HOUR' });
    await write(daysAgo(93), 8, { resolution: 'HOUR' });
    await roll();
    expect(await sumOf('MINUTE')).toMatchObject({ rows: 1, successes: 1 });
    expect(await sumOf('HOUR')).toMatchObject({ rows: 3, successes: 7 });
    expect(await sumOf('DAY', `bucket < now() - interval '10 days' and ${isWritten}`)).toMatchObject({
      rows: 1,
      successes: 8,
    });
  });

  test('days go after two years, in whatever number', async () => {
    await progressAt(daysAgo(0));
    await stack.rows(
      `insert into hookwright.delivery_stats
       select ${stack.tenantId}, webhook, 'coupon.applied', 'DAY', ${daysAgo(0)} - days * interval '1 day', 1, 0, '{1}'
       from generate_series(1, 5001) as webhook, (values (730), (732)) as v(days)`,
    );
    await roll();
    const [left] = await stack.rows(
      `select count(*)::int as rows, min(bucket) > now() - interval '731 days' as young from hookwright.delivery_stats`,
    );
    expect(left).toEqual({ rows: 5001, young: true });
  });
});

/** Moves everything further into the past, as if this time had passed. */
async function passHours(hours: number): Promise<void> {
  const by = `interval '${hours} hours'`;
  await stack.rows(`update hookwright.delivery_stats set bucket = bucket - ${by} where resolution <> 'DAY'`);
  await stack.rows(`delete from hookwright.delivery_stats where resolution = 'DAY'`);
  await stack.rows(
    `update hookwright.stats_progress
     set minutes_until = minutes_until - ${by}, hours_until = hours_until - ${by}, minutes_from = minutes_from - ${by}`,
  );
}
