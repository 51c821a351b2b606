import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Plan } from '../../bench/large/plan.js';
import { seedLarge } from '../../bench/large/seed.js';
import { waitAgain } from '../../bench/large/seed-deliveries.js';
import { examineDeliveries } from '../../src/operations/installation/examine-deliveries.js';
import { rollUpStats } from '../../src/operations/stats/roll-up-stats.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { countJobs } from '../support/jobs.js';

const size = { tenants: 8, webhooks: 400, deliveries: 4_000 };

let stack: DeliveryStack;
let tenantId: number;

beforeAll(async () => {
  stack = await DeliveryStack.open();
  ({ tenantId } = await seedLarge(stack.services.db.pool, stack.services.vault, size));
});
afterAll(() => stack[Symbol.asyncDispose]());

const count = async (from: string) => {
  const [row] = await stack.rows<{ count: number }>(`select count(*)::integer as count from ${from}`);
  return row!.count;
};

test('a seeded installation has the tenants, the webhooks and about the deliveries that were asked for', async () => {
  expect(await count(`hookwright.tenants where id >= ${tenantId}`)).toBe(size.tenants);
  expect(await count('hookwright.webhooks')).toBe(size.webhooks);
  const deliveries = await count('hookwright.deliveries');
  expect(deliveries).toBeGreaterThan(size.deliveries * 0.9);
  expect(deliveries).toBeLessThan(size.deliveries * 1.1);
});

test('each delivery is of a webhook and of an event of its tenant', async () => {
  const lost = `hookwright.deliveries d
    left join hookwright.webhooks w on w.id = d.webhook_id and w.tenant_id = d.tenant_id
    left join hookwright.events e on e.id = d.event_id and e.tenant_id = d.tenant_id
    where w.id is null or e.id is null`;
  expect(await count(lost)).toBe(0);
});

test('the largest tenant has much the most webhooks, and each has some', async () => {
  const rows = await stack.rows<{ tenant: number; webhooks: number }>(`
    select tenant_id::integer as tenant, count(*)::integer as webhooks from hookwright.webhooks
    group by 1 order by 2 desc`);
  expect(rows).toHaveLength(size.tenants);
  expect(rows[0]).toEqual({ tenant: tenantId, webhooks: 100 });
  expect(rows[1]!.webhooks).toBeLessThan(50);
});

test('deliveries wait, are held and have failed, and webhooks are in every state', async () => {
  const states = await stack.rows<{ status: string }>('select distinct status::text from hookwright.deliveries');
  expect(states.map(({ status }) => status).sort()).toEqual([
    'CANCELED',
    'FAILED',
    'HELD',
    'PENDING',
    'SUCCEEDED',
    'WAITING',
  ]);
  const reasons = await stack.rows<{ reason: string }>(
    'select distinct disabled_reason::text as reason from hookwright.webhooks where not active',
  );
  expect(reasons.map(({ reason }) => reason).sort()).toEqual(['FAILURES', 'GONE', 'PAUSED']);
  expect(await count('hookwright.webhooks where active and failing_since is not null')).toBeGreaterThan(5);
  expect(await count('hookwright.webhooks where closed_until > now()')).toBeGreaterThan(5);
  expect(await count('hookwright.ordering_queue where blocked_at is not null')).toBeGreaterThan(0);
});

test('events have a former state or targets, and endpoints settle, are pinned, or are called below their url', async () => {
  const events = await count('hookwright.events');
  expect((await count('hookwright.events where previous is not null')) / events).toBeCloseTo(0.05, 1);
  expect(await count('hookwright.events where targets is not null')).toBeGreaterThan(0);
  expect(await count('hookwright.events where type_version is not null')).toBeGreaterThan(events * 0.9);
  const otherwise = `hookwright.deliveries d join hookwright.events e on e.id = d.event_id and e.tenant_id = d.tenant_id
    left join hookwright.webhook_options o on o.webhook_id = d.webhook_id
    where (d.path is not null) <> (o.callback is true) or d.webhook_id <> all(e.targets) or d.path is not null and e.targets is null`;
  expect(await count(otherwise)).toBe(0);
  const settling = `hookwright.deliveries d join hookwright.ordering_queue q on q.delivery_id = d.id
    where d.status = 'PENDING' and d.settling_since is not null`;
  expect(await count(settling)).toBeGreaterThan(0);
  expect(await count(`hookwright.deliveries where superseded_by is not null`)).toBeGreaterThan(0);
  const pinned = `hookwright.webhook_options o join hookwright.releases r on r.name = o.release
    join hookwright.webhook_contents c on c.id = o.content_id and c.release = o.release`;
  expect(await count(pinned)).toBe(await count('hookwright.webhook_options where release is not null'));
  expect(await count(pinned)).toBeGreaterThan(0);
});

test('the doctor finds no delivery, queue, time or filter that is wrong', async () => {
  const client = await stack.services.db.pool.connect();
  const facts = await examineDeliveries(client, null).finally(() => client.release());
  expect(facts).toMatchObject({ futureTimes: 0, quarantined: 0, scheduledStand: false });
  expect(Object.entries(facts.searched).filter(([, { found }]) => found.length > 0)).toEqual([]);
});

test('the statistics are those that the roll-up makes of the same minutes', async () => {
  const hours = `select tenant_id, webhook_id, event_type, bucket, successes, failures from hookwright.delivery_stats
                 where resolution = 'HOUR' and bucket >= now() - interval '40 hours' order by 1, 2, 3, 4`;
  const seeded = await stack.rows(hours);
  await stack.rows(`update hookwright.stats_progress
                    set hours_until = hours_until - interval '2 hours', minutes_until = minutes_until - interval '2 hours'`);
  await rollUpStats(stack.services.db.pool);
  expect(seeded.length).toBeGreaterThan(100);
  expect(await stack.rows(hours)).toEqual(seeded);
});

test('the secrets of its webhooks can be read', async () => {
  const rows = await stack.rows<{ id: string; tenant: string; sealed: Buffer }>(`
    select id, tenant_id as tenant, sealed_secret as sealed from hookwright.webhooks order by id limit 3`);
  for (const { id, tenant, sealed } of rows) {
    expect(await stack.services.vault.open(Number(tenant), Number(id), sealed)).toMatch(/^whsec_/);
  }
});

test('an installation that was seeded some time ago waits again for an hour', async () => {
  await stack.rows(`update hookwright.webhooks set closed_until = closed_until - interval '2 hours'`);
  await stack.rows(`update hookwright.deliveries set due_at = now() + interval '1 minute'
                    where status = 'PENDING' and due_at > now()`);
  const client = new pg.Client(stack.databaseUrl);
  await client.connect();
  await waitAgain(client).finally(() => client.end());
  const soon = `hookwright.deliveries d join hookwright.webhooks w on w.id = d.webhook_id
                where d.status = 'PENDING' and d.due_at < now() + interval '50 minutes'
                  and coalesce(w.closed_until, now()) < now() + interval '50 minutes'`;
  expect(await count(soon)).toBe(0);
  expect(await countJobs(stack, `run_at < now() + interval '50 minutes'`)).toBe(0);
});

test('arithmetic finds the webhook at a place, and its place again', () => {
  const plan = new Plan(size, 1, 1);
  const places = Array.from({ length: size.webhooks }, (_, number) => plan.placeAt(number));
  expect(new Set(places).size).toBe(size.webhooks);
  expect(() => new Plan({ ...size, webhooks: 15 }, 1, 1)).toThrow('8 tenants with 15 webhooks');
});

test('days have statistics, and what they are partitions of has none, as autovacuum leaves them', async () => {
  expect(await count(`pg_stats where tablename ~ '^deliveries_\\d+$'`)).toBeGreaterThan(0);
  expect(await count(`pg_stats where tablename in ('events', 'deliveries', 'attempts')`)).toBe(0);
});
