import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool } from '../../src/platform/database/database.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { QueueClock } from '../support/queue-over-time.js';

/** What the duty may read, all statements together. */
const BLOCKS_MAX = 2_000;
const WEBHOOKS = 100_000;

/** Each webhook has two deliveries that are due or held; the first hundreds have more, of two days. */
let stack: DeliveryStack;
/** One connection, for all that reads much: another one says later what it has read, amid a count. */
let pool: pg.Pool;
let clock: QueueClock;
beforeAll(async () => {
  stack = await DeliveryStack.open();
  pool = openPool(stack.databaseUrl, 1, () => {});
  clock = new QueueClock(stack, pool);
  await pool.query(
    `select hookwright.make_partition('deliveries', current_date - ago) from generate_series(0, 10) ago`,
  );
  // Autovacuum reads, too.
  await pool.query(`
    do $$ declare part text; begin
      for part in select oid::regclass from pg_class where relnamespace = 'hookwright'::regnamespace and relkind = 'r' loop
        execute 'alter table ' || part || ' set (autovacuum_enabled = false)';
      end loop;
    end $$`);
  const DELIVERIES = 2 * WEBHOOKS + 60_000;
  for (let from = 0; from < DELIVERIES; from += 65_000) {
    await pool.query(`
      insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, due_at)
      select hookwright.id_at(now() - (n % 2) * interval '1 day') + n, w / 10, 1, w, 'coupon.applied',
             (case when w % 2 = 0 then 'HELD' else 'PENDING' end)::hookwright.delivery_status,
             now() - n * interval '1 ms'
      from generate_series(${from + 1}, ${from + 65_000}) n
      cross join lateral (select case when n > ${2 * WEBHOOKS} then n % 300 else n % ${WEBHOOKS} end as w) w`);
  }
  await pool.query(`
    insert into hookwright.endpoint_states
      (webhook_id, daemon_id, tenant_id, window_limit, in_flight, waiting, put_offs, due)
    select n, gen_random_uuid(), n / 10, 8, 0, 0, 0, 2 from generate_series(1, ${WEBHOOKS}) n where n % 2 = 1`);
  await pool.query(`
    insert into hookwright.webhooks (tenant_id, url, event_types, sealed_secret, active, disabled_reason, disabled_at)
    select ${stack.tenantId}, 'https://example.com/', '{*}', '', false, 'FAILURES', now() - n * interval '1 s'
    from generate_series(1, 20000) n`);
  await pool.query('analyze');
  await clock.start();
}, 120_000);
afterAll(async () => {
  await pool.end();
  await stack[Symbol.asyncDispose]();
});

const blocksRead = async () => {
  await pool.query('select pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ blocks: string }>(`
    select (select sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0))
            from pg_statio_user_tables where schemaname = 'hookwright') as blocks`);
  return Number(rows[0]!.blocks);
};

test.each(['before', 'after'])(
  `the queue of ${WEBHOOKS} webhooks is at most 100 rows a minute and 2,000 blocks, %s vacuum has been there`,
  async (when) => {
    if (when === 'after') {
      await pool.query('vacuum analyze');
    }
    for (let minute = 0; minute < 3; minute += 1) {
      await clock.report();
      const before = await blocksRead();
      const rows = await clock.countReported();
      const blocks = (await blocksRead()) - before;
      expect(rows).toBeGreaterThan(30);
      expect(rows).toBeLessThanOrEqual(100);
      expect(blocks).toBeGreaterThan(100);
      expect(blocks).toBeLessThanOrEqual(BLOCKS_MAX);
    }
  },
);

test('webhooks that were not counted are said to be unknown, not empty', async () => {
  const [row] = await stack.rows<{ others: boolean }>(
    'select others from hookwright.queue_stats where tenant_id = 0 order by bucket desc limit 1',
  );
  expect(row).toEqual({ others: true });
});
