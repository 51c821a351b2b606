import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { INSTALLATION_TENANT } from '../../src/domain/installation/installation-tenant.js';
import { SearchSlots } from '../../src/operations/explorer/search.js';
import { LATENCIES_RANKED, type Ranking, readTopWebhooks } from '../../src/operations/installation/top-webhooks.js';
import { type Database, openDatabase } from '../../src/platform/database/database.js';
import { API_ROLE } from '../../src/platform/database/tenant-database.js';
import { createTestDatabase } from '../support/database.js';
import { onServer } from '../support/on-server.js';
import { plansOf } from '../support/plans.js';

/** More than are read of an hour. */
const WEBHOOKS = 1_200;
const TIMES = 30;
/** A whole day lies between, whatever the time is. */
const since = new Date(Date.now() - (2 * TIMES - 3) * 3_600_000);

const webhooks = `
  insert into hookwright.tenants (id, name, data_key, data_key_kid) values (1, 'Customer', '', 'x');
  insert into hookwright.webhooks (id, tenant_id, url, event_types, sealed_secret)
    select n, 1, 'https://example.com/' || n, '{*}', '' from generate_series(1, ${WEBHOOKS}) n`;

/** Every second hour of some days, these days, and some minutes. @param attempts of webhook n at the time t, as SQL */
const stats = (attempts: string) => `
  truncate hookwright.delivery_stats;
  insert into hookwright.delivery_stats (tenant_id, webhook_id, event_type, resolution, bucket, successes, failures, latency_histogram)
    select 1, n, '', resolution, date_trunc(resolution, now(), 'UTC') - t * case resolution when 'HOUR' then interval '2 hours' else interval '1 minute' end,
           attempts - attempts / 3, attempts / 3, array_fill(0, array[n % 24]) || attempts || array_fill(0, array[23 - n % 24])
    from (select n, t, ${attempts} as attempts from generate_series(1, ${WEBHOOKS}) n, generate_series(1, ${TIMES}) t) each,
         unnest(array['HOUR', 'MINUTE']) resolution
    where attempts > 0 and (resolution = 'HOUR' or date_trunc('minute', now()) - t * interval '1 minute' >= date_trunc('hour', now(), 'UTC'));
  insert into hookwright.delivery_stats (tenant_id, webhook_id, event_type, resolution, bucket, successes, failures, latency_histogram)
    select 1, webhook_id, '', 'DAY', date_trunc('day', bucket, 'UTC'), sum(successes), sum(failures), '{}'
    from hookwright.delivery_stats where resolution = 'HOUR' group by 2, 5;
  update hookwright.delivery_stats d set latency_histogram = array_fill(0, array[webhook_id % 24]::int[])
           || (successes + failures) || array_fill(0, array[23 - webhook_id % 24]::int[]) where resolution = 'DAY';
  update hookwright.stats_progress set minutes_until = date_trunc('minute', now()),
    hours_until = date_trunc('hour', now(), 'UTC'), days_until = date_trunc('day', now(), 'UTC');
  analyze hookwright.delivery_stats`;

/** What a plain query finds, which reads all. */
const plain = (order: string) => `
  select webhook_id::float8 as "webhookId", successes, failures from (
    select webhook_id, sum(successes)::integer as successes, sum(failures)::integer as failures
    from hookwright.delivery_stats join hookwright.webhooks w on w.id = webhook_id and deleted_at is null, hookwright.stats_progress
    where resolution = 'HOUR' and bucket >= date_trunc('hour', '${since.toISOString()}'::timestamptz, 'UTC')
       or resolution = 'MINUTE' and bucket >= hours_until group by 1) summed
  order by ${order}, webhook_id`;

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  await rows(webhooks);
  db = await openDatabase(testDatabase.url, { role: API_ROLE, poolMax: 2, onError: () => {} });
});
afterAll(async () => {
  await db.close();
  await testDatabase.drop();
});

async function rows<Row extends object>(sql: string): Promise<Row[]> {
  let found: Row[] = [];
  await onServer(testDatabase.url, async (client) => {
    ({ rows: found } = await client.query<Row>(sql));
  });
  return found;
}

const top = async (by: Ranking, first = 50) => {
  const ranked = await readTopWebhooks(
    { db, searches: new SearchSlots(10, 10_000) },
    { by, since, first, leastTenant: INSTALLATION_TENANT },
  );
  return ranked.map(({ webhookId, successes, failures }) => ({
    webhookId: Number(webhookId),
    successes: Number(successes),
    failures: Number(failures),
  }));
};

describe.each([
  ['are the same ones each hour', 'n + t % 7'],
  ['are others each hour', '1 + (n * 7919 + t * 104729) % 1000'],
  ['have about the same', '1 + (n + t) % 5'],
  ['are few', 'case when n % 40 = 0 then n + t else 0 end'],
  ['came in one hour', 'case when t = 9 then n when n % 2 = 0 then 5 else 0 end'],
])('where the webhooks with most %s', (_, attempts) => {
  beforeAll(() => rows(stats(attempts)));

  test.each<[Ranking, string, (row: { successes: number; failures: number }) => number]>([
    ['ATTEMPTS', 'successes + failures desc', ({ successes, failures }) => successes + failures],
    ['FAILURES', 'failures desc', ({ failures }) => failures],
  ])('they are ranked by %s as a plain query does', async (by, order, figure) => {
    const expected = await rows<{ webhookId: number; successes: number; failures: number }>(plain(order));
    const ranked = await top(by);
    expect(ranked.map(figure)).toEqual(
      expected
        .filter((row) => figure(row) > 0)
        .slice(0, 50)
        .map(figure),
    );
    for (const row of ranked) {
      expect(expected).toContainEqual(row);
    }
    expect(await top(by, 1)).toHaveLength(1);
  });
});

/** Others are many in each hour, and never the same. */
const OTHERS_OFTEN = 'case when n <= 60 then 20 when (n + t * 137) % 1140 < 150 then 40 else 1 end';

describe('where some stand out in all, and others in each hour', () => {
  beforeAll(() => rows(stats(OTHERS_OFTEN)));

  test.each<Ranking>(['ATTEMPTS', 'FAILURES', 'LATENCY'])('a ranking by %s reads no row twice', async (by) => {
    const [done] = await plansOf(db.pool, 0, () => top(by));
    const walks = done!.nodes.filter(
      (node) =>
        node['Relation Name'] === 'delivery_stats' &&
        node['Index Name'] !== 'delivery_stats_pkey' &&
        node['Actual Loops'] !== 0,
    );
    expect(walks).toHaveLength(1);
  });

  test('those that stand out in all are ranked', async () => {
    expect((await top('ATTEMPTS')).every(({ webhookId }) => webhookId <= 60)).toBe(true);
  });

  test('what is due is looked for once where it is little', async () => {
    for (const by of ['ATTEMPTS', 'BACKLOG'] as const) {
      const [done] = await plansOf(db.pool, 0, () => top(by));
      const looks = done!.nodes.filter(
        (node) => /^deliveries_/.test(node['Relation Name'] ?? '') && Number(node['Actual Loops']) > 1,
      );
      expect(looks).toEqual([]);
    }
  });
});

describe('of the same ones', () => {
  beforeAll(() => rows(stats('n + t % 7')));
  const byAttempts = () => rows<{ webhookId: number }>(plain('successes + failures desc'));

  test('the busiest are ranked by latency', async () => {
    const busiest = (await byAttempts()).slice(0, LATENCIES_RANKED);
    const expected = busiest.toSorted((a, b) => (b.webhookId % 24) - (a.webhookId % 24) || a.webhookId - b.webhookId);
    expect(await top('LATENCY')).toEqual(expected.slice(0, 50));
  });

  test('deleted ones are left out, however many were ahead', async () => {
    await rows(`update hookwright.webhooks set deleted_at = now() where id > ${WEBHOOKS - 600}`);
    expect(await top('ATTEMPTS')).toEqual((await byAttempts()).slice(0, 50));
  });
});
