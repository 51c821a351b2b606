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
