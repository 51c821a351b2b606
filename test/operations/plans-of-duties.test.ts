import { afterAll, beforeAll, expect, test } from 'vitest';
import { askEndpoints } from '../../daemon/duties/ask-endpoints.js';
import { sweepsOf } from '../../daemon/duties/duties.js';
import { keepHouse } from '../../daemon/duties/housekeeping.js';
import { DaemonMetrics } from '../../daemon/telemetry/metrics.js';
import { examineRunningDeliveries } from '../../src/operations/doctor/examine.js';
import { worthDoing } from '../../src/operations/housekeeping/worth-doing.js';
import { renewReport } from '../../src/operations/installation/installation-report.js';
import { readJobsAside } from '../../src/operations/jobs/read-jobs-aside.js';
import { countQueue } from '../../src/operations/queue/count-queue.js';
import { tryEncryptionKeys } from '../../src/operations/secrets/try-encryption-keys.js';
import { rollUpStats } from '../../src/operations/stats/roll-up-stats.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { JOBS_TABLE, SMALL_JOB_TABLES } from '../support/jobs.js';
import { nodesOf, sentDuring } from '../support/statements.js';

/** Statements of duties, planned as in an installation with a million webhooks: what no plan may do. */

/** Ten days, and rows of each state in the parts of a large installation. */
const fill = `
  select hookwright.make_partition(parent, current_date - ago)
  from unnest(array['events', 'deliveries', 'attempts']) parent, generate_series(0, 10) ago;
  insert into hookwright.tenants (name, data_key, data_key_kid)
    select 'tenant ' || n, data_key, data_key_kid from hookwright.tenants, generate_series(1, 20000) n;
  insert into hookwright.webhooks (tenant_id, url, event_types, sealed_secret, active, disabled_reason, disabled_at, hold_until,
                                   closed_until)
    select t.id, url, event_types, sealed_secret, n % 100 > 0, case when n % 100 = 0 then 'FAILURES'::hookwright.disabled_reason end,
           case when n % 100 = 0 then now() - interval '1 day' end,
           case when n % 100 = 0 then now() + n * interval '5 seconds' end,
           case when n % 100 = 1 then now() + interval '1 hour' end
    from hookwright.webhooks, generate_series(1, 60000) n
    join hookwright.tenants t on t.name = 'tenant ' || n % 20000 + 1;
  insert into hookwright.webhook_options (webhook_id, tenant_id, name)
    select id, tenant_id, 'name' from hookwright.webhooks where id % 3 = 0;
  update hookwright.webhook_options set filter_path = '$.a == 1' where webhook_id % 300 = 0;
  insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, attempt_count, due_at)
    select hookwright.id_at(now() - n * interval '8 seconds') + n, w.tenant_id, n, w.id, 'booking.created',
           (case when not w.active then 'HELD' when n % 50 = 0 or w.closed_until is not null then 'PENDING'
                 else 'SUCCEEDED' end)::hookwright.delivery_status,
           n % 2, now() - n * interval '8 seconds' + case when n % 50 = 0 then interval '12 days' else interval '0' end
    from generate_series(1, 100000) n join hookwright.webhooks w on w.id = n % 60000 + 1;
  insert into hookwright.delivery_stats (tenant_id, webhook_id, event_type, resolution, bucket, successes, failures,
                                         latency_histogram)
    select w.tenant_id, w.id, 'booking.created', each.resolution, date_trunc('hour', now()) - n * interval '1 minute', 1, 0, '{1}'
    from generate_series(1, 60000) n join hookwright.webhooks w on w.id = n, unnest(array['MINUTE', 'HOUR', 'DAY']) each(resolution);
  insert into hookwright.failure_stats
    select w.tenant_id, w.id, 'TIMEOUT', each.resolution, date_trunc('hour', now()) - n * interval '1 minute', 1
    from generate_series(1, 60000) n join hookwright.webhooks w on w.id = n, unnest(array['MINUTE', 'HOUR', 'DAY']) each(resolution);
  insert into hookwright.queue_stats
    select n % 100, n % 100, each.resolution, date_trunc('hour', now()) - n * interval '1 minute', 1, 0, 0, false, false
    from generate_series(1, 60000) n, unnest(array['MINUTE', 'HOUR', 'DAY']) each(resolution);
  insert into hookwright.endpoint_states (webhook_id, daemon_id, tenant_id, window_limit, in_flight, waiting, put_offs, due)
    select n, gen_random_uuid(), 1, 8, 0, 0, 0, n % 3 from generate_series(1, 60000) n;
  insert into hookwright.scheduled_events (tenant_id, event_type, body, deliver_at, due_at)
    select tenant_id, 'booking.created', '{}', now() + interval '1 day', now() + interval '1 day' from hookwright.webhooks`;

/** They have a row, or one for each process or crontab; few tenants have recipients of notices. */
const SMALL = [
  ...['housekeeping', 'stats_progress', 'installation_report', 'daemons', ...SMALL_JOB_TABLES],
  ...['notices', 'notice_recipients', 'queue_progress', 'queue_gaps'],
];

/** Tables that have many rows here, but for the jobs: they are not read by a whole index either. */
const FILLED = /^(webhooks|tenants|webhook_options|delivery_stats|scheduled_events|deliveries_\d+|_?\w+_jobs)$/;
const WHOLE_INDEX = /_pkey$|^webhooks_not_plain$|^jobs_key_key1$|_(tenant_id_id|webhook_id_id|event_id)_idx$/;
const isWhole = (node: ReturnType<typeof nodesOf>[number]) =>
  node['Node Type'] === 'Seq Scan' ||
  (node['Index Cond'] === undefined &&
    WHOLE_INDEX.test(node['Index Name'] ?? '') &&
    FILLED.test(node['Relation Name'] ?? ''));

let stack: DeliveryStack;
beforeAll(async () => {
  stack = await DeliveryStack.open();
  await stack.webhook('https://receiver.example.com/');
  await stack.emit();
  for (const statement of fill.split(';')) {
    await stack.rows(statement);
  }
  await stack.rows(
    `insert into ${JOBS_TABLE} (task_id, key, run_at, payload)
     select 1, 'd:' || id, now() + interval '10 minutes', '{"attempt": 1}' from hookwright.deliveries where status = 'SUCCEEDED'`,
  );
  // Housekeeping erases it.
  await stack.rows(`
    with gone as (
      update hookwright.tenants set deleted_at = now() - interval '1 year' where name = 'tenant 77' returning id)
    update hookwright.webhooks set deleted_at = now(), active = false where tenant_id = (select id from gone)`);
  await stack.rows('vacuum analyze');
}, 60_000);
afterAll(() => stack[Symbol.asyncDispose]());

const pool = () => stack.services.db.pool;
const countTheQueue = async () => {
  await renewReport(pool(), 0, () => examineRunningDeliveries(pool(), new Date(), false, {}));
  expect(await countQueue(pool(), new Date(Date.now() + 60_000))).toBeGreaterThan(5);
};
const sweeps = () => [
  ...sweepsOf({ ...stack.services, config: { deliveryDefaults: { recovery: 'AUTOMATIC' } as never } }),
  askEndpoints(stack.services, { mayAsk: true, ask: async () => {} }),
];

test.each<[duty: string, work: () => Promise<unknown>]>([
  ['the report', () => examineRunningDeliveries(pool(), new Date(), false, {})],
  ['the report of jobs', () => readJobsAside(pool())],
  ['asking which sweeps may find something', () => worthDoing(pool(), sweeps())],
  ['a sweep', () => Promise.all(sweeps().map((sweep) => sweep.work()))],
  ['trying encryption keys', () => tryEncryptionKeys(stack.services.db, [])],
  ['housekeeping', () => keepHouse({ ...stack.services, metrics: new DaemonMetrics() })],
  ['rolling statistics up', () => rollUpStats(pool())],
  ['counting the queue', countTheQueue],
])('%s reads no large table from end to end', async (_, work) => {
  const statements = (await sentDuring(work)).filter(({ text }) =>
    /^\s*(select|with|update|delete|insert)/i.test(text),
  );
  expect(statements.length).toBeGreaterThan(0);
  const scans: string[] = [];
  for (const { text, values } of statements) {
    const { rows } = await pool().query(`explain (format json) ${text}`, values);
    for (const node of nodesOf(rows[0]['QUERY PLAN'][0].Plan)) {
      if (isWhole(node) && !SMALL.includes(node['Relation Name'] ?? '')) {
        scans.push(
          `${node['Node Type']} of ${node['Relation Name']} by ${node['Index Name']}: ${text.trim().slice(0, 80)}`,
        );
      }
    }
  }
  expect(scans).toEqual([]);
});

test('the part that a search reads is the next one of an index, and not of all rows that were sorted', async () => {
  const sent = await sentDuring(() => examineRunningDeliveries(pool(), new Date(), false, {}));
  const searches = sent.filter(({ name }) => name?.startsWith('search_'));
  expect(searches.length).toBeGreaterThan(5);
  for (const { name, text, values } of searches) {
    const { rows } = await pool().query(`explain (format json) ${text}`, values);
    const part = nodesOf(rows[0]['QUERY PLAN'][0].Plan).find((node) => node['Subplan Name'] === 'CTE part');
    expect([name, nodesOf(part!).filter((node) => node['Node Type'] === 'Sort')]).toEqual([name, []]);
  }
});

test('holds that end soon and were warned of are not read again to find one that was not', async () => {
  await stack.rows(`update hookwright.webhooks set hold_warned_until = hold_until where hold_until is not null`);
  await stack.rows('vacuum analyze hookwright.webhooks');
  const [statement] = await sentDuring(() => worthDoing(pool(), sweeps()));
  const { rows } = await pool().query(`explain (format json) ${statement!.text}`);
  const used = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === 'webhooks');
  expect(used.map((node) => node['Index Name'])).toEqual(['webhooks_unwarned']);
});
