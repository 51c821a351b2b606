import { afterAll, beforeAll, expect, test } from 'vitest';
import { examineRunningDeliveries } from '../../src/operations/doctor/examine.js';
import { examineServer } from '../../src/operations/installation/examine-server.js';
import { readReportedInstallation, renewReport } from '../../src/operations/installation/installation-report.js';
import { readInstallation } from '../../src/operations/installation/read-installation.js';
import { DeliveryStack } from '../support/delivery-stack.js';

let stack: DeliveryStack;
const pool = () => stack.services.db.pool;
beforeAll(async () => {
  stack = await DeliveryStack.open();
  await stack.webhook('https://receiver.example.com/');
});
afterAll(() => stack[Symbol.asyncDispose]());

const add = (webhooks: number, state: string) =>
  stack.rows(`
    insert into hookwright.webhooks (tenant_id, url, event_types, sealed_secret, active, disabled_reason)
    select tenant_id, url, event_types, sealed_secret, ${state}
    from (select * from hookwright.webhooks limit 1) w, generate_series(1, ${webhooks})`);
const webhooksText = async () => {
  const { checks } = await examineRunningDeliveries(pool(), new Date(), false, {});
  return checks.find(({ name }) => name === 'webhooks')!.text;
};

test('webhooks are counted up to a thousand, and estimated beyond it by an index, which says about', async () => {
  await add(999, 'true, null');
  await add(30, `false, 'PAUSED'`);
  await add(5, `false, 'GONE'`);
  expect(await webhooksText()).toBe('Active: 1000; disabled because their receivers failed: 5.');
  await add(1, 'true, null');
  await stack.rows('analyze hookwright.webhooks');
  await stack.rows(`update hookwright.webhooks set deleted_at = now() where id in (
    select id from hookwright.webhooks where active limit 1)`);
  await add(2, 'true, null');
  expect(await webhooksText()).toBe('Active: about 1001; disabled because their receivers failed: 5.');
});

test('webhooks whose endpoints are not verified are counted, but not those that were deleted', async () => {
  const unverified = () =>
    webhooksText().then((text) => /receivers failed: \d+(?:; not verified: ([^;]+))?\.$/.exec(text)?.[1]);
  expect(await unverified()).toBeUndefined();
  await stack.rows(`
    insert into hookwright.verifications (webhook_id, tenant_id, host, status)
    select id, tenant_id, 'https://example.com', (array['PENDING', 'FAILED', 'VERIFIED'])[row_number() over ()]
    from hookwright.webhooks where deleted_at is null limit 3`);
  expect(await unverified()).toBe('2');
  await stack.rows(`update hookwright.webhooks w set deleted_at = now() from hookwright.verifications v
    where v.webhook_id = w.id and v.status = 'FAILED'`);
  expect(await unverified()).toBe('1');
  await stack.rows(`update hookwright.webhooks w set deleted_at = null from hookwright.verifications v
    where v.webhook_id = w.id and v.status = 'FAILED'`);
  await stack.rows('delete from hookwright.verifications');
});

test('webhooks are counted of which a certificate ends within 14 days, or has ended', async () => {
  const ends = async (...days: number[]) => {
    await stack.rows('delete from hookwright.webhook_options');
    await stack.rows(`
      insert into hookwright.webhook_options (webhook_id, tenant_id, certificate_ends_at)
      select w.id, w.tenant_id, now() + d.days * interval '1 day'
      from (select *, row_number() over (order by id) as n from hookwright.webhooks) w
      join unnest('{${days.join()}}'::float8[]) with ordinality as d(days, n) using (n)`);
    const { installation, checks } = await examineRunningDeliveries(pool(), new Date(), false, {});
    const { status, text } = checks.find(({ name }) => name === 'certificates')!;
    return [installation.certificatesEnding, status, text];
  };
  expect(await ends(14.01)).toEqual([0, 'ok', 'No certificate of a webhook ends within 14 days.']);
  expect(await ends(14.01, 13.99, -1)).toEqual([
    2,
    'ok',
    'Webhooks with a certificate that ends within 14 days, or has ended: 2. Their owners hear of it by webhook.certificate_ending and notices.',
  ]);
});

test('without that index all are counted', async () => {
  await stack.rows('drop index hookwright.webhooks_inactive_of_tenant, hookwright.webhooks_failed');
  await add(100, 'true, null');
  await add(1_100, `false, 'FAILURES'`);
  expect(await readInstallation(pool())).toMatchObject({ activeWebhooks: 1_102, disabledWebhooks: 1_105 });
});

test('the largest tables are those of the last vacuum, with days and indexes', async () => {
  await stack.emit();
  await stack.rows('vacuum');
  const client = await pool().connect();
  const { tables } = await examineServer(client, 'hookwright_api').finally(() => client.release());
  expect(tables[0]).toEqual({ name: 'webhooks', size: expect.stringMatching(/ kB$/) });
  const names = await stack.rows<{ relname: string }>(
    `select relname::text from pg_class where relkind in ('r', 'p') and not relispartition`,
  );
  expect(names.map(({ relname }) => relname)).toEqual(expect.arrayContaining(tables.map(({ name }) => name)));
});

test('metrics get the figures of a report, with their times, for a minute', async () => {
  expect(await readReportedInstallation(pool())).toBeNull();
  const installation = await readInstallation(pool());
  await renewReport(pool(), 0, async () => ({ installation }));
  expect(await readReportedInstallation(pool())).toEqual(installation);
  await stack.rows(`update hookwright.housekeeping set succeeded_at = now()`);
  const later = await readInstallation(pool());
  await renewReport(pool(), 0, async () => ({ installation: later }));
  expect(await readReportedInstallation(pool())).toEqual(later);
  expect(later.housekeeping.succeededAt).toBeInstanceOf(Date);
  await stack.rows(`update hookwright.installation_report set made_at = now() - interval '61 seconds'`);
  expect(await readReportedInstallation(pool())).toBeNull();
});
