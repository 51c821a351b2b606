import { afterAll, describe, expect, test } from 'vitest';
import { idToDate } from '../../src/domain/ids/delivery-id.js';
import { DeliveryStack } from '../support/delivery-stack.js';

const stack = await DeliveryStack.open({ DATABASE_POOL_MAX: '12' });
afterAll(() => stack[Symbol.asyncDispose]());

const count = async (sql: string) => (await stack.rows<{ count: number }>(`select count(*)::int ${sql}`))[0]?.count;

async function emitMany(events: number): Promise<number[]> {
  const { rows } = await stack.services.db.pool.query<{ event_id: number }>(
    `select event_id from hookwright.emit_events(
       array_fill($1::bigint, array[$2::int]), array_fill('coupon.applied'::text, array[$2::int]),
       array_fill('{}'::text, array[$2::int]), schema_checked => true)`,
    [stack.tenantId, events],
  );
  return rows.map(({ event_id }) => event_id);
}

describe('time-ordered ids', () => {
  test('are safe integers that give the time at which they were made', async () => {
    const before = Date.now() - 1;
    const [id] = await emitMany(1);
    expect(Number.isSafeInteger(id)).toBe(true);
    expect(idToDate(id!).getTime()).toBeGreaterThanOrEqual(before - 1000);
    expect(idToDate(id!).getTime()).toBeLessThanOrEqual(Date.now() + 1000);
  });

  test('of a moment name its very millisecond, down to its last microsecond', async () => {
    const { rows } = await stack.services.db.pool.query<{ wrong: number }>(
      `with moments as (
         select timestamptz '2025-01-01' + n * 7919 * interval '1 minute' + n % 1000 * interval '1 ms' + micro * interval '1 us' as at
         from generate_series(0, 5000) n, unnest(array[0, 1, 499, 500, 999]) micro)
       select count(*)::int as wrong from moments
       where hookwright.id_at(at) <> (extract(epoch from date_trunc('milliseconds', at)) * 1000 - 1735689600000)::bigint << 12`,
    );
    expect(rows[0]?.wrong).toBe(0);
  });

  test('100,000 in one transaction are all different, and in order to the millisecond', async () => {
    const { rows } = await stack.services.db.pool.query<{ distinct: number; ordered: boolean }>(
      `with ids as (select hookwright.next_id() as id, n from generate_series(1, 100000) n)
       select count(distinct id)::int as distinct, bool_and(id >> 12 >= previous >> 12) as ordered
       from (select id, lag(id, 1, 0::bigint) over (order by n) as previous from ids) as pairs`,
    );
    expect(rows[0]).toEqual({ distinct: 100_000, ordered: true });
  });

  test('8 concurrent writers lose no event and share no id', async () => {
    const before = (await count('from hookwright.events')) ?? 0;
    const ids = (await Promise.all(Array.from({ length: 8 }, () => emitMany(1_000)))).flat();
    expect(new Set(ids).size).toBe(8_000);
    expect(await count('from hookwright.events')).toBe(before + 8_000);
  });

  test('a clock that is set back a second costs no event and repeats no id', async () => {
    const before = (await count('from hookwright.events')) ?? 0;
    const first = await emitMany(5_000);
    await stack.rows(`create or replace function hookwright.id_clock() returns timestamptz language sql volatile
                      return clock_timestamp() - interval '1 second'`);
    const second = (await Promise.all(Array.from({ length: 8 }, () => emitMany(500)))).flat();
    await stack.rows(`create or replace function hookwright.id_clock() returns timestamptz language sql volatile
                      return clock_timestamp()`);
    expect(new Set([...first, ...second]).size).toBe(9_000);
    expect(await count('from hookwright.events')).toBe(before + 9_000);
  });
});
