import { afterAll, beforeAll, expect, test } from 'vitest';
import { countOpen, type OpenByDay } from '../../src/operations/installation/open-deliveries.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { sentDuring } from '../support/statements.js';

/** Two days, with 3 due, 2 scheduled and 4 held deliveries in each. */
let stack: DeliveryStack;
beforeAll(async () => {
  stack = await DeliveryStack.open();
  await change(`
    select hookwright.make_partition('deliveries', current_date - 1);
    insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, due_at)
    select hookwright.id_at(now() - ago * interval '1 day') + n, ${stack.tenantId}, 1, 1, 'booking.created',
           (case when n < 5 then 'PENDING' else 'HELD' end)::hookwright.delivery_status,
           now() + interval '1 hour' * (n - 2.5)
    from generate_series(0, 1) ago, generate_series(0, 8) n`);
});
afterAll(() => stack[Symbol.asyncDispose]());

/** Postgres has then counted it. */
const change = (text: string) => stack.rows(`${text}; select pg_stat_force_next_flush()`);

let before: OpenByDay | null = null;
/** As a report counts, which keeps counts as JSON. @returns which days were read */
async function count() {
  let counted!: Awaited<ReturnType<typeof countOpen>>;
  const client = await stack.services.db.pool.connect();
  const sent = await sentDuring(async () => {
    await client.query('begin');
    counted = await countOpen(client, before);
    await client.query('rollback');
  });
  client.release();
  const { openByDay, ...counts } = counted;
  before = JSON.parse(JSON.stringify(openByDay));
  const days = sent.flatMap(({ text }) => /deliveries_\d{8}/.exec(text) ?? []);
  return { counts, days: new Set(days).size };
}

test('open deliveries are counted in each day, and again in the days that have changed', async () => {
  expect(await count()).toMatchObject({ counts: { due: 6, scheduled: 4, held: 8, waiting: 0 } });
  expect(await count()).toEqual({ counts: { due: 6, scheduled: 4, held: 8, waiting: 0 }, days: 0 });
  await change(`
    update hookwright.deliveries set status = 'SUCCEEDED', finished_at = now()
    where status = 'HELD' and id < hookwright.id_at(now() - interval '12 hours')`);
  expect(await count()).toEqual({ counts: { due: 6, scheduled: 4, held: 4, waiting: 0 }, days: 1 });
});

test('what becomes due moves from the scheduled to the due ones, without being counted again', async () => {
  await change(`
    update hookwright.deliveries set due_at = now() + interval '300 milliseconds'
    where id in (select id from hookwright.deliveries where status = 'PENDING' and due_at > now() limit 1)`);
  expect((await count()).counts).toMatchObject({ due: 6, scheduled: 4 });
  const soon = `select from hookwright.deliveries where due_at between now() and now() + interval '1 minute'`;
  await eventually(async () => (await stack.rows(soon)).length === 0);
  expect(await count()).toMatchObject({ counts: { due: 7, scheduled: 3 }, days: 0 });
});

test('a delivery that came just now, and that Postgres has not counted yet, is due, and none is scheduled less', async () => {
  const { openByDay } = await countOpen(stack.services.db.pool, null);
  const days = Object.entries(openByDay.days).map(([day, counts]) => [day, { ...counts, due: 0, scheduled: 0 }]);
  before = { at: new Date(0).toISOString(), days: Object.fromEntries(days) };
  expect((await count()).counts).toMatchObject({ due: 7, scheduled: 0 });
});

test('where Postgres counts no changes, each day is counted', async () => {
  const { at, days } = before!;
  before = {
    at,
    days: Object.fromEntries(Object.entries(days).map(([day, counts]) => [day, { ...counts, changes: null }])),
  };
  expect((await count()).days).toBe(Object.keys(days).length);
});
