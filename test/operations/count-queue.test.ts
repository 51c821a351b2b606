import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { queueBuckets } from '../../src/domain/stats/queue.js';
import { SearchSlots } from '../../src/operations/explorer/search.js';
import { countQueue } from '../../src/operations/queue/count-queue.js';
import { readQueue } from '../../src/operations/queue/read-queue.js';
import { rollUpStats } from '../../src/operations/stats/roll-up-stats.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { QueueClock } from '../support/queue-over-time.js';

const stack = await DeliveryStack.open();
const { pool } = stack.services.db;
let clock: QueueClock;
beforeEach(async () => {
  await stack.rows('truncate hookwright.queue_stats, hookwright.deliveries');
  clock = new QueueClock(stack);
  await clock.start();
});
afterAll(() => stack[Symbol.asyncDispose]());

const deps = { db: stack.services.db, searches: new SearchSlots(10, 10_000) };

/** What was queued in each minute of the clock: due and held, or null. */
async function queued(webhookId = 0, tenantId = stack.tenantId) {
  const range = { since: clock.at(0), until: clock.at(clock.minutes), resolution: 'MINUTE' } as const;
  const read = await readQueue(deps, tenantId, [webhookId], range);
  return queueBuckets(range, read.get(webhookId) ?? []).map(({ due, held }) => (due === null ? null : [due, held]));
}

/** Deliveries of webhooks that need not exist. */
const write = (count: number, status: 'PENDING' | 'HELD', webhookId: string, tenantId = `${stack.tenantId}`) =>
  stack.rows(`
    insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, due_at)
    select hookwright.next_id(), ${tenantId}, 1, ${webhookId}, 'coupon.applied', '${status}',
           now() - interval '90 seconds'
    from generate_series(1, ${count}) n`);

describe('the queue over time', () => {
  test('rises and falls with what is due and held, for the installation, the tenant and the webhook', async () => {
    await clock.count();
    await write(2, 'PENDING', '7');
    expect(await clock.count()).toBe(3);
    await write(3, 'HELD', '7');
    await write(1, 'HELD', '8');
    expect(await clock.count()).toBe(4);
    await stack.rows('delete from hookwright.deliveries');
    expect(await clock.count()).toBe(0);
    expect(await queued(0, 0)).toEqual([
      [0, 0],
      [2, 0],
      [2, 4],
      [0, 0],
    ]);
    expect(await queued()).toEqual([
      [0, 0],
      [2, 0],
      [2, 4],
      [0, 0],
    ]);
    expect(await queued(7)).toEqual([
      [0, 0],
      [2, 0],
      [2, 3],
      [0, 0],
    ]);
    expect(await queued(8)).toEqual([
      [0, 0],
      [0, 0],
      [0, 1],
      [0, 0],
    ]);
    const [row] = await stack.rows<{ oldest_seconds: number }>(
      `select oldest_seconds from hookwright.queue_stats where webhook_id = 7 order by bucket limit 1`,
    );
    expect(row!.oldest_seconds).toBeGreaterThanOrEqual(90);
    expect(row!.oldest_seconds).toBeLessThan(120);
  });

  test('is counted by one daemon', async () => {
    await write(2, 'HELD', '7');
    await clock.report();
    const rows = await Promise.all([1, 2, 3].map(() => countQueue(pool, clock.at(0))));
    expect(rows.toSorted()).toEqual([0, 0, 3]);
  });

  test('has no figures for minutes that nobody counted', async () => {
    await write(1, 'HELD', '7');
    await clock.count();
    clock.minutes += 3;
    await clock.count();
    clock.minutes += 1;
    expect(await queued()).toEqual([[0, 1], null, null, null, [0, 1], null]);
  });

  test('counts a webhook up to 1,000, and says that there is more', async () => {
    await write(1_500, 'HELD', '7');
    await write(999, 'HELD', '8');
    // Pages become visible once the log of their commits is on disk.
    await eventually(async () => {
      await stack.rows('vacuum analyze hookwright.deliveries');
      const [part] = await stack.rows<{ visible: boolean }>(
        `select bool_and(relallvisible = relpages) as visible from pg_class
         where relname like 'deliveries\\_%' and relkind = 'r' and relpages > 0`,
      );
      return part!.visible;
    });
    await clock.count();
    const rows = await stack.rows(
      `select webhook_id::integer as id, held, is_more as more from hookwright.queue_stats order by 1, tenant_id`,
    );
    expect(rows).toEqual([
      { id: 0, held: 2_499, more: false },
      { id: 0, held: 1_999, more: true },
      { id: 7, held: 1_000, more: true },
      { id: 8, held: 999, more: false },
    ]);
  });

  test('says that there is more where no daemon has reported of late', async () => {
    await write(500, 'HELD', '7');
    await stack.rows('truncate hookwright.installation_report');
    expect(await countQueue(pool, clock.at(0))).toBe(3);
    const [row] = await stack.rows(`select held, is_more from hookwright.queue_stats where webhook_id = 7`);
    expect(row).toEqual({ held: 200, is_more: true });
  });

  test('counts webhooks of one outage, though no vacuum has been there', async () => {
    await write(2_000, 'HELD', '7 + n % 4');
    await clock.count();
    const rows = await stack.rows(
      'select webhook_id::integer as id, held, is_more as more from hookwright.queue_stats where webhook_id > 0 order by 1',
    );
    expect(rows).toEqual([7, 8, 9, 10].map((id) => ({ id, held: 500, more: false })));
  });

  test('takes the due deliveries that daemons have in hand where it cannot count all', async () => {
    // No vacuum has been there, and each delivery of the webhook is in another block.
    await write(60_000, 'PENDING', 'case when n % 60 = 0 then 7 else n end');
    await stack.rows(`update hookwright.deliveries set due_at = now() + interval '1 h' where webhook_id <> 7`);
    await stack.rows(`
      insert into hookwright.endpoint_states
        (webhook_id, daemon_id, tenant_id, window_limit, in_flight, waiting, put_offs, due)
      values (7, gen_random_uuid(), ${stack.tenantId}, 8, 0, 0, 0, 900)`);
    await clock.count();
    const [row] = await stack.rows(`select due, is_more from hookwright.queue_stats where webhook_id = 7`);
    expect(row).toEqual({ due: 900, is_more: true });
    await stack.rows('truncate hookwright.endpoint_states');
  });
});

describe('rolled up', () => {
  const days = (count: number) => `date_trunc('day', now()) - interval '${count} days'`;
  const row = (webhookId: number, time: string, due: number, resolution = 'MINUTE') =>
    stack.rows(`insert into hookwright.queue_stats values
      (${stack.tenantId}, ${webhookId}, '${resolution}', ${time}, ${due}, ${10 - due}, ${due}, ${due > 4}, false)`);
  const progressAt = (time: string) =>
    stack.rows(`update hookwright.stats_progress set minutes_until = d, hours_until = d, days_until = d, minutes_from = d,
                  hours_from = d from (select ${time} as d) as from_`);
  const of = (resolution: string) =>
    stack.rows(`select webhook_id::integer as id, due, held, oldest_seconds as oldest, is_more as more
                from hookwright.queue_stats where resolution = '${resolution}' order by 1, bucket`);

  test('an hour and a day have the most of any minute', async () => {
    await progressAt(days(2));
    await row(7, `${days(1)} + interval '61 minutes'`, 3);
    await row(7, `${days(1)} + interval '62 minutes'`, 5);
    await row(7, `${days(1)} + interval '5 hours'`, 2);
    await row(8, `${days(1)} + interval '61 minutes'`, 1);
    await rollUpStats(pool);
    expect(await of('HOUR')).toEqual([
      { id: 7, due: 5, held: 7, oldest: 5, more: true },
      { id: 7, due: 2, held: 8, oldest: 2, more: false },
      { id: 8, due: 1, held: 9, oldest: 1, more: false },
    ]);
    expect(await of('DAY')).toEqual([
      { id: 7, due: 5, held: 8, oldest: 5, more: true },
      { id: 8, due: 1, held: 9, oldest: 1, more: false },
    ]);
  });

  test('minutes end with their last roll-up, hours and days after their time, and gaps with the days', async () => {
    await progressAt(days(100));
    await row(7, `${days(3)}`, 4);
    await row(7, `${days(95)}`, 3, 'HOUR');
    await row(7, `${days(735)}`, 2, 'DAY');
    await row(7, `${days(700)}`, 1, 'DAY');
    await stack.rows(
      `insert into hookwright.queue_gaps values (${days(740)}, ${days(735)}), (${days(740)} + '1 s', now())`,
    );
    await rollUpStats(pool);
    expect((await of('MINUTE')).length).toBe(0);
    expect(await of('HOUR')).toEqual([expect.objectContaining({ due: 4 })]);
    expect((await of('DAY')).map((one) => (one as { due: number }).due)).toEqual([1, 3, 4]);
    expect(await stack.rows('select from hookwright.queue_gaps')).toHaveLength(1);
  });
});
