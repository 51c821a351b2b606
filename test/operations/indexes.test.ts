import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { indexes, type LargeIndex } from '../../migrations/indexes.js';
import { installIndexes, missingIndexes } from '../../src/operations/installation/install-indexes.js';
import { runHere } from '../support/command.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/locks.js';

let stack: DeliveryStack;
beforeEach(async () => {
  stack = await DeliveryStack.open();
});
afterEach(() => stack[Symbol.asyncDispose]());

const ofWebhooks: LargeIndex = { name: 'webhooks_by_url', table: 'webhooks', on: '(tenant_id, url)' };
const ofDeliveries: LargeIndex = { name: 'by_code', table: 'deliveries', on: '(last_status_code) where is_check' };

const install = (...wanted: LargeIndex[]) => installIndexes(stack.databaseUrl, { wanted });
const missing = (...wanted: LargeIndex[]) => missingIndexes(stack.services.db.pool, wanted);

/** A transaction that could still write old rows: each index of webhooks waits for its end. */
const changeOfWebhooks = () =>
  openTransaction(stack.databaseUrl, 'lock table hookwright.webhooks in row exclusive mode');

/** Partitions in which the index is valid and a part of the whole one. */
async function partitionsWith({ name }: LargeIndex): Promise<string[]> {
  const rows = await stack.rows<{ table: string }>(
    `select indrelid::regclass::text as table from pg_inherits join pg_index on indexrelid = inhrelid
     where inhparent = 'hookwright.${name}'::regclass and indisvalid order by 1`,
  );
  return rows.map(({ table }) => table);
}

const partitions = async () =>
  (
    await stack.rows<{ table: string }>(
      `select inhrelid::regclass::text as table from pg_inherits where inhparent = 'hookwright.deliveries'::regclass
       order by 1`,
    )
  ).map(({ table }) => table);

test('migrate makes the indexes that a database lacks', async () => {
  await stack.rows('drop index hookwright.webhooks_not_plain');
  const environment = { DATABASE_URL: stack.databaseUrl };
  const check = await runHere(['migrate', '--check'], environment);
  expect(check).toMatchObject({ code: 2, output: expect.stringContaining('To do: index webhooks_not_plain.') });
  const migrated = await runHere(['migrate'], environment);
  expect(migrated).toEqual({ code: 0, output: 'The database has the newest schema.\n', errors: '' });
  expect(await missing(...indexes)).toEqual([]);
});

test('migrate says which index it makes where that takes a while', async () => {
  await stack.rows('drop index hookwright.webhooks_not_plain');
  await using older = await changeOfWebhooks();
  const migrated = runHere(['migrate'], { DATABASE_URL: stack.databaseUrl });
  const { mock } = vi.mocked(process.stderr.write);
  await eventually(() => mock.calls.length > 0);
  await older.letGo();
  expect(await migrated).toMatchObject({
    code: 0,
    errors: expect.stringContaining('Making the index webhooks_not_plain'),
  });
});

test('an index that was broken off is made again', async () => {
  await stack.webhook('https://twice.example.com/');
  await stack.webhook('https://twice.example.com/');
  const unique = 'create unique index concurrently webhooks_by_url on hookwright.webhooks (tenant_id, url)';
  await expect(stack.rows(unique)).rejects.toThrow('could not create unique index');
  expect(await missing(ofWebhooks)).toEqual(['webhooks_by_url']);
  await install(ofWebhooks);
  expect(await missing(ofWebhooks)).toEqual([]);
});

test('while an index waits for an older transaction, emits and changes of webhooks do not', async () => {
  const { id } = await stack.webhook('https://receiver.example.com/');
  await using older = await changeOfWebhooks();
  const made = install(ofWebhooks, ofDeliveries);
  await eventually(async () => (await stack.rows(lockWaits)).length > 0);
  await stack.emit();
  await stack.rows(`update hookwright.webhooks set last_success_at = now() where id = ${id}`);
  expect(await missing(ofWebhooks)).toEqual(['webhooks_by_url']);
  await older.letGo();
  await made;
  expect(await missing(ofWebhooks, ofDeliveries)).toEqual([]);
});

test('each partition gets its own, one after the other, and a later one gets it by itself', async () => {
  await install(ofDeliveries);
  await stack.rows(`select hookwright.make_partition('deliveries', '2024-01-01')`);
  expect(await partitionsWith(ofDeliveries)).toEqual(await partitions());
  expect(await missing(ofDeliveries)).toEqual([]);
});

test('after a crash between two partitions the rest is made', async () => {
  const [first, ...others] = await partitions();
  await stack.rows('create index by_code on only hookwright.deliveries (last_status_code) where is_check');
  await stack.rows(`create index ${first!.split('.')[1]}_by_code on ${first} (last_status_code) where is_check`);
  expect(await missing(ofDeliveries)).toEqual(['by_code']);
  await install(ofDeliveries);
  expect(await partitionsWith(ofDeliveries)).toEqual([first, ...others]);
  expect(await missing(ofDeliveries)).toEqual([]);
});

test('of two processes one makes an index, and the other one waits for it', async () => {
  await using older = await changeOfWebhooks();
  const made = install(ofWebhooks);
  await eventually(async () => (await stack.rows(lockWaits)).length > 0);
  const onWait = vi.fn<() => void>();
  const other = installIndexes(stack.databaseUrl, { wanted: [ofWebhooks, ofDeliveries], onWait });
  await eventually(() => onWait.mock.calls.length === 1);
  await older.letGo();
  await Promise.all([made, other]);
  expect(await missing(ofWebhooks, ofDeliveries)).toEqual([]);
});

test('an index of the same name on another table stays, and is an error', async () => {
  await stack.rows('create index webhooks_by_url on hookwright.audit_log (action)');
  expect(await missing(ofWebhooks)).toEqual(['webhooks_by_url']);
  await expect(install(ofWebhooks)).rejects.toThrow('relation "webhooks_by_url" already exists');
});

test('a process that ends does not wait for them, and the next one makes them', async () => {
  await using older = await changeOfWebhooks();
  const ending = new AbortController();
  const made = installIndexes(stack.databaseUrl, { signal: ending.signal, wanted: [ofWebhooks] });
  await eventually(async () => (await stack.rows(lockWaits)).length > 0);
  ending.abort();
  await expect(made).rejects.toThrow();
  await older.letGo();
  await install(ofWebhooks);
  expect(await missing(ofWebhooks)).toEqual([]);
});
