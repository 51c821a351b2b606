import { afterAll, beforeAll, expect, test } from 'vitest';
import { examineRunningDeliveries } from '../../src/operations/doctor/examine.js';
import type { Searched } from '../../src/operations/installation/searches.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { changeJobs, deleteJobs, JOBS_TABLE, ofDelivery } from '../support/jobs.js';

/** Findings among more rows than a report reads of each kind, with a fault behind all others. */

const MANY = 400;
let stack: DeliveryStack;
let webhookId: number;
/** The last rows of each kind, by which a fault is made. */
let last: { overdue: number; retry: number; webhook: number; tenant: number };

beforeAll(async () => {
  stack = await DeliveryStack.open();
  ({ id: webhookId } = await stack.webhook('https://receiver.example.com/'));
  await stack.rows(`
    insert into hookwright.tenants (name, data_key, data_key_kid)
      select 'tenant ' || i, data_key, data_key_kid from hookwright.tenants, generate_series(1, ${MANY}) i;
    insert into hookwright.webhooks (tenant_id, url, event_types, sealed_secret)
      select tenant_id, url, event_types, sealed_secret from hookwright.webhooks, generate_series(1, ${MANY});
    insert into hookwright.webhook_options (webhook_id, tenant_id, filter, filter_path)
      select id, tenant_id, '{}', '$.a == 1' from hookwright.webhooks where id <> ${webhookId};
    update hookwright.webhooks set active = false, disabled_reason = 'PAUSED', disabled_at = now() - interval '6 days',
      hold_until = now() + interval '1 hour' + id * interval '1 millisecond' where id <> ${webhookId};
    update hookwright.webhooks set closed_until = now() + interval '1 hour' where id = ${webhookId}`);
  // Put off by an endpoint that has asked for a pause, with their jobs; and retries.
  await stack.rows(pending(`now() - interval '1 hour' + n * interval '1 second'`));
  await stack.emit();
  await stack.rows(`
    insert into ${JOBS_TABLE} (task_id, key, run_at, payload)
    select (select task_id from ${JOBS_TABLE} where key is not null limit 1), 'd:' || id, now() + interval '10 minutes',
           '{"attempt": 2}'
    from hookwright.deliveries where status = 'PENDING' and attempt_count = 1`);
  await stack.rows(pending(`now() + interval '1 hour' + n * interval '1 second'`));
  // Each key has a delivery that is sent, and one that waits.
  await stack.rows(`
    with heads as (${pending(`now() + interval '2 hours' + n * interval '1 second'`)} returning id),
    queued as (
      insert into hookwright.ordering_queue (webhook_id, key, position, delivery_id, tenant_id)
      select ${webhookId}, 'key ' || id, nextval('hookwright.ordering_position'), id, ${stack.tenantId} from heads
      returning key)
    insert into hookwright.ordering_keys (webhook_id, key, tenant_id) select ${webhookId}, key, ${stack.tenantId} from queued`);
  const newest = (where: string, by: string) =>
    `(select id::float8 from hookwright.deliveries where status = 'PENDING' and ${where} order by ${by} desc limit 1)`;
  [last] = (await stack.rows(`
    select ${newest(`due_at < now() - interval '10 minutes'`, 'due_at')} as overdue,
           ${newest(`due_at between now() and now() + interval '2 hours'`, 'due_at')} as retry,
           (select max(id)::float8 from hookwright.webhooks) as webhook,
           (select max(id)::float8 from hookwright.tenants) as tenant`)) as [typeof last];
  await stack.rows('analyze');
}, 60_000);
afterAll(() => stack[Symbol.asyncDispose]());

const pending = (due: string) => `
  insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, attempt_count, due_at)
  select hookwright.next_id(), ${stack.tenantId}, 1, ${webhookId}, 'booking.created', 'PENDING', 1, ${due}
  from generate_series(1, ${MANY}) n`;

/** Reports follow each other, as those of daemons, which keep how far they came. */
let searched: Partial<Searched> = {};
async function report(name: string, thorough = false) {
  const before = thorough ? null : { searched: searched as Searched };
  const found = await examineRunningDeliveries(stack.services.db.pool, new Date(), false, before);
  searched = thorough ? searched : JSON.parse(JSON.stringify(found.searched));
  return found.checks.find((check) => check.name === name)!;
}

/** More than a round has. */
const REPORTS_MAX = 20;

const sql = (text: () => string) => () => stack.rows(text());
const lastDelivery = (change: string) =>
  sql(() => `update hookwright.deliveries set ${change} where id = ${last.overdue}`);
const lastRetry = (change: string) => sql(() => `update hookwright.deliveries set ${change} where id = ${last.retry}`);
const lastHead = (status: string) =>
  sql(
    () => `update hookwright.deliveries set status = '${status}' where id = (
      select delivery_id from hookwright.ordering_queue order by webhook_id desc, key desc limit 1)`,
  );
const webhookIsPlain = (plain: boolean) =>
  sql(() => `update hookwright.webhooks set plain = ${plain} where id = ${last.webhook}`);
const tenantUsesFlow = (uses: boolean) =>
  sql(() => `update hookwright.tenants set uses_flow = ${uses} where id = ${last.tenant}`);

test.each<[fault: string, check: string, make: () => Promise<unknown>, repair: () => Promise<unknown>]>([
  [
    'an overdue delivery without a job',
    'sweepers',
    () => changeJobs(stack, `key = 'away'`, ofDelivery(last.overdue)),
    () => changeJobs(stack, `key = 'd:${last.overdue}'`, `key = 'away'`),
  ],
  [
    'a due delivery whose endpoint does not want it to wait',
    'backlog',
    lastDelivery('webhook_id = 0'),
    () => stack.rows(`update hookwright.deliveries set webhook_id = ${webhookId} where webhook_id = 0`),
  ],
  ['an ordering key whose turn was not passed', 'ordering', lastHead('SUCCEEDED'), lastHead('PENDING')],
  [
    'a hold that ends soon',
    'held',
    () =>
      stack.rows(`
        insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status)
        values (hookwright.next_id(), ${stack.tenantId}, 1, ${last.webhook}, 'booking.created', 'HELD')`),
    () => stack.rows(`delete from hookwright.deliveries where status = 'HELD'`),
  ],
  [
    'a first attempt that is due in an hour',
    'future times',
    lastRetry('attempt_count = 0'),
    lastRetry('attempt_count = 1'),
  ],
  ['a filter that is ignored', 'filters', webhookIsPlain(true), webhookIsPlain(false)],
  [
    'a webhook without a filter that is taken for one with a filter',
    'filters',
    sql(() => `update hookwright.webhooks set plain = false where id = ${webhookId}`),
    sql(() => `update hookwright.webhooks set plain = true where id = ${webhookId}`),
  ],
  ['a tenant whose filters are ignored', 'filters', tenantUsesFlow(true), tenantUsesFlow(false)],
])('%s is found behind many others, until it is over', async (_, check, make, repair) => {
  expect(await report(check, true)).toMatchObject({ status: 'ok' });
  await make();
  const found = await report(check, true);
  expect(found.status).not.toBe('ok');
  let reports = 1;
  while ((await report(check)).status === 'ok' && reports < REPORTS_MAX) {
    reports += 1;
  }
  expect(reports).toBeLessThan(REPORTS_MAX);
  // The next ones look elsewhere, and at it again.
  expect(await report(check)).toEqual(found);
  await repair();
  expect(await report(check)).toMatchObject({ status: 'ok' });
});

test('a delivery that has just become overdue is found by the next report', async () => {
  await report('sweepers');
  await lastDelivery(`due_at = now() - interval '181 seconds'`)();
  await deleteJobs(stack, ofDelivery(last.overdue));
  expect(await report('sweepers')).toMatchObject({ status: 'warn' });
});
