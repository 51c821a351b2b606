import { afterEach, beforeEach, expect, test } from 'vitest';
import { BulkSite } from '../support/bulk-operations.js';
import { eventually } from '../support/eventually.js';
import { emitMany } from '../support/factories.js';
import { countJobs, OF_BULK } from '../support/jobs.js';
import { lockWaits } from '../support/lock-waits.js';
import { lockRow } from '../support/locks.js';

const WITHIN_MS = 20_000;

let site: BulkSite;
/** Four of each webhook. */
let ids: number[];
beforeEach(async () => {
  site = await BulkSite.open();
  ids = [];
  for (let n = 0; n < 5; n++) {
    const webhookId = await site.webhook();
    ids.push(...(await site.past(4, { webhookId, status: "'PENDING'" })));
  }
});
afterEach(() => site[Symbol.asyncDispose]());

/** Starts a cancellation of all of them. @returns its id */
async function cancelAll(): Promise<string> {
  const { operation } = await site.start('cancelDeliveries', { filter: { status: 'PENDING' } });
  return operation.id;
}

test('while another session has one delivery locked, outcomes of all webhooks of the operation are recorded', async () => {
  await using lock = await lockRow(site.api.databaseUrl, 'deliveries', ids[9]!);
  const id = await cancelAll();
  site.startDaemon();
  await eventually(async () => (await site.rows(lockWaits)).length > 0, WITHIN_MS);
  for (let events = 1; events <= 3; events++) {
    await emitMany(site.api.services, site.tenant.id, 1);
    const count = 5 * events;
    await eventually(async () => (await site.statuses())['SUCCEEDED'] === count, 2_000);
  }
  await eventually(async () => (await countJobs(site, `${OF_BULK} and attempts = 0`)) === 1, WITHIN_MS);
  expect(await site.operation(id)).toMatchObject({ status: 'RUNNING', affected: 0 });
  await lock.letGo();
  expect(await site.reaches(id, 'COMPLETED')).toMatchObject({ processed: 20, affected: 20, skipped: 0 });
  expect(await site.statuses()).toEqual({ CANCELED: 20, SUCCEEDED: 15 });
}, 60_000);

test.each([
  { what: 'a statement that takes too long', code: '57014', status: 'FAILED' },
  { what: 'a database that is away', code: '57P01', status: 'RUNNING' },
])('at the fourth time of $what, the operation is $status', async ({ code, status }) => {
  const id = await cancelAll();
  await site.rows(`create function hookwright.fault() returns trigger language plpgsql as
    $$ begin raise 'so it is' using errcode = '${code}'; end $$`);
  await site.rows(`create trigger fault before update on hookwright.deliveries
    for each statement execute function hookwright.fault()`);
  await expect(site.runChunk(id, 3)).rejects.toThrow('so it is');
  expect(await site.operation(id)).toMatchObject({ status: 'RUNNING' });
  await expect(site.runChunk(id, 4)).rejects.toThrow('so it is');
  expect(await site.operation(id)).toMatchObject({ status });
});
