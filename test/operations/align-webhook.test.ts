import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TurnedAway, turnAwayDeliveries } from '../../src/operations/attempts/turn-away-deliveries.js';
import { enqueueAlign, enqueueBulkOperation } from '../../src/operations/jobs/enqueue.js';
import type { Woken } from '../../src/operations/jobs/tasks.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { alignWebhook } from '../../src/operations/webhooks/align-webhook.js';
import { updateWebhook } from '../../src/operations/webhooks/update-webhook.js';
import { openPool } from '../../src/platform/database/database.js';
import { SQL_STATE } from '../../src/platform/database/driver/sql-state.js';
import { GroupCommit } from '../../src/platform/database/group-commit.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { emitMany } from '../support/factories.js';
import {
  changeJobs,
  deleteJobs,
  fetchJobs,
  JOBS_TABLE,
  lockJobRows,
  OF_WEBHOOKS,
  ofDelivery,
  ofWebhook,
} from '../support/jobs.js';
import { lockWaits } from '../support/lock-waits.js';
import { lockRow, openTransaction } from '../support/locks.js';

let stack: DeliveryStack;
let webhookId: number;
beforeEach(async () => {
  stack = await DeliveryStack.open();
  ({ id: webhookId } = await stack.webhook('https://receiver.example.com/'));
});
afterEach(() => stack[Symbol.asyncDispose]());

const align = (pieceMs = Number.POSITIVE_INFINITY, woken?: Woken) =>
  alignWebhook(stack.services.db, stack.tenantId, webhookId, { pieceMs, restInMs: () => 0 }, woken);
const jobs = (what: string, where = 'true') =>
  stack.rows<{ what: unknown }>(`select ${what} as what from ${JOBS_TABLE} where ${where} order by id`);
const putOff = (where?: string) => changeJobs(stack, `run_at = now() + interval '1 hour', updated_at = now()`, where);

test('a long release is made in pieces: each leaves a job for the rest', async () => {
  await emitMany(stack.services, stack.tenantId, 300);
  await stack.rows(`update hookwright.deliveries set status = 'HELD'`);
  await deleteJobs(stack);
  expect(await align(0)).toBe(250);
  expect(await jobs('key', `key like 'w:%'`)).toEqual([{ what: `w:${webhookId}` }]);
  expect(await align(0)).toBe(50);
  expect(await stack.deliveries("status = 'PENDING'")).toHaveLength(300);
});

test.each(['webhooks', 'deliveries'] as const)(
  'while another session has a row of %s locked, its piece ends soon and the rest is left to a job',
  async (table) => {
    await emitMany(stack.services, stack.tenantId, 2);
    const [first] = await stack.deliveries();
    await stack.rows('update hookwright.webhooks set active = false');
    await deleteJobs(stack);
    await using lock = await lockRow(stack.databaseUrl, table, table === 'webhooks' ? webhookId : first!.id);
    expect(await align()).toBe(0);
    expect(await jobs('key')).toEqual([{ what: `w:${webhookId}` }]);
    expect(await jobs('run_at > now()')).toEqual([{ what: true }]);
    await lock.letGo();
    expect(await align()).toBe(2);
  },
);

test('while another session keeps the webhook from being changed, what counted as held is forgotten by a later job', async () => {
  await stack.rows(`update hookwright.webhooks set keep_held = true, keep_held_up_to = 1`);
  await using lock = await lockRow(stack.databaseUrl, 'webhooks', webhookId, 'share');
  await align();
  expect(await jobs('key', 'run_at > now()')).toEqual([{ what: `w:${webhookId}` }]);
  await lock.letGo();
  await align();
  expect(await stack.rows(`select keep_held_up_to from hookwright.webhooks`)).toEqual([{ keep_held_up_to: null }]);
});

test('wakes what was put off for the endpoint as it was, and not what is put off meanwhile', async () => {
  await stack.emit();
  await stack.emit();
  await putOff();
  const [, second] = await jobs('id');
  await changeJobs(stack, `updated_at = now() + interval '1 minute'`, `id = ${second?.what}`);
  expect(await align()).toBe(1);
  expect(await jobs('run_at <= now()')).toEqual([{ what: true }, { what: false }]);
});

test('wakes what waits for a closed endpoint when that opens, once', async () => {
  await stack.emit();
  await putOff();
  await stack.rows(`update hookwright.webhooks set closed_until = now() + interval '10 minutes'`);
  expect(await align()).toBe(1);
  expect(await align()).toBe(0);
  expect(await jobs('run_at = (select closed_until from hookwright.webhooks)')).toEqual([{ what: true }]);
});

test('what is turned away while its endpoint is opened does not wait for the old closing', async () => {
  const { db } = stack.services;
  const { id } = await stack.delivery(await stack.emit());
  await stack.rows(`update hookwright.webhooks set closed_until = now() + interval '1 hour'`);
  await fetchJobs(stack, 'pool-a');
  await using other = await lockRow(stack.databaseUrl, 'deliveries', id);
  // It must still wait when the endpoint has been opened, however long that takes here: it gives up after 100 ms else.
  const turned = turnAwayDeliveries(db.pool, [{ id, priority: 10 }], 60_000);
  await eventually(async () => {
    return (await stack.rows(lockWaits)).length === 1;
  });
  const url = { url: 'https://other.example.com/' };
  await updateWebhook(db, stack.tenantId, webhookId, url, 72, commandLine);
  await align();
  await other.commit();
  await turned;
  expect(await jobs('run_at <= now()', `key = 'd:${id}'`)).toEqual([{ what: true }]);
});

test('what is turned away while another session has its job locked fails alone', async () => {
  const ids = [];
  for (let n = 0; n < 2; n++) {
    ids.push((await stack.delivery(await stack.emit())).id);
  }
  await stack.rows(`update hookwright.webhooks set closed_until = now() + interval '1 hour'`);
  const { pool } = stack.services.db;
  const turnAways = new GroupCommit((turned: readonly TurnedAway[]) => turnAwayDeliveries(pool, turned), {
    itemsMax: 10,
  });
  await using _lock = await lockJobRows(stack.databaseUrl, ofDelivery(ids[0]!));
  const [locked, other] = await Promise.allSettled(ids.map((id) => turnAways.runOne({ id, priority: 10 })));
  expect(locked).toMatchObject({
    status: 'rejected',
    reason: { code: SQL_STATE.LOCK_NOT_AVAILABLE },
  });
  expect(other?.status).toBe('fulfilled');
  expect(await jobs('run_at > now()')).toEqual([{ what: false }, { what: true }]);
});

test('a long waking is made in pieces: each goes on where the last one ended, and wakes a job once', async () => {
  await emitMany(stack.services, stack.tenantId, 1_100);
  await deleteJobs(stack);
  await stack.rows(
    `select hookwright.enqueue_deliveries(array_agg(id), array_agg(1), array_agg(now()), array_agg(0))
     from hookwright.deliveries`,
  );
  await putOff();
  const alignJobs = () => deleteJobs(stack, ofWebhook(webhookId));
  expect(await align(0)).toBe(1_000);
  const [job] = await alignJobs();
  const last = (await stack.deliveries())[999];
  expect(job?.payload).toMatchObject({ webhookId, tenantId: stack.tenantId, wokenTo: last?.id });
  await putOff(`key in (select 'd:' || id from hookwright.deliveries order by id desc limit 1)`);
  expect(await align(0, job?.payload as Woken)).toBe(99);
  expect(await alignJobs()).toEqual([]);
  expect(await jobs('id', 'run_at > now()')).toHaveLength(1);
});

test('the rest of a waking takes no work away from a job that waits', async () => {
  const { pool } = stack.services.db;
  const at = (minute: number) => `2026-01-01T00:0${minute}:00+00:00`;
  const enqueue = (woken?: Woken) => enqueueAlign(pool, stack.tenantId, webhookId, woken);
  const waiting = async () => (await jobs('payload'))[0]?.what;
  const whole = { webhookId, tenantId: stack.tenantId };
  await enqueue({ wokenTo: 5, putOffBefore: at(1) });
  await enqueue({ wokenTo: 7, putOffBefore: at(2) });
  expect(await waiting()).toEqual({ ...whole, wokenTo: 5, putOffBefore: at(2) });
  await enqueue({ wokenTo: 3, putOffBefore: at(1) });
  expect(await waiting()).toEqual({ ...whole, wokenTo: 3, putOffBefore: at(2) });
  await enqueue();
  expect(await waiting()).toEqual(whole);
  await enqueue({ wokenTo: 9, putOffBefore: at(3) });
  expect(await waiting()).toEqual(whole);
});

test('a job that is put off takes no time away from one that was wanted sooner', async () => {
  const { pool } = stack.services.db;
  const secondsAway = async () =>
    (await jobs('extract(epoch from run_at - now())::float8')).map(({ what }) => Number(what));
  await enqueueAlign(pool, stack.tenantId, webhookId, {}, 20_000);
  const [later] = await secondsAway();
  expect(later).toBeGreaterThan(15);
  await enqueueAlign(pool, stack.tenantId, webhookId);
  await enqueueAlign(pool, stack.tenantId, webhookId, {}, 20_000);
  const [sooner] = await secondsAway();
  expect(sooner).toBeLessThanOrEqual(0);
});

describe('a job that is added while an older one of its key is being fetched', () => {
  /** @returns the jobs that are there when the fetch, as graphile-worker makes it, has committed and its job has ended */
  async function jobsAfter(key: string, add: () => Promise<unknown>) {
    await using fetch = await openTransaction(stack.databaseUrl);
    await fetchJobs(fetch.session, 'pool', `key = '${key}' and is_available`);
    const adding = add();
    await eventually(async () => (await stack.rows(lockWaits)).length > 0);
    await fetch.commit();
    await adding;
    await deleteJobs(stack, `locked_by = 'pool'`);
    return await jobs('key', 'is_available');
  }

  test('is there when that one has ended: a delivery that is released then is not forgotten', async () => {
    const { db, config } = stack.services;
    const change = (active: boolean) =>
      updateWebhook(db, stack.tenantId, webhookId, { active }, config.holdHours, commandLine);
    const { id } = await stack.delivery(await stack.emit());
    await change(false);
    await align();
    await change(true);
    await deleteJobs(stack, OF_WEBHOOKS);
    expect(await jobsAfter(`d:${id}`, align)).toEqual([{ what: `d:${id}` }]);
    expect(await stack.deliveries()).toMatchObject([{ status: 'PENDING' }]);
  });

  test.each<[what: string, key: string, add: (pool: pg.Pool) => Promise<void>]>([
    ['aligns a webhook', 'w:7', (pool) => enqueueAlign(pool, stack.tenantId, 7)],
    [
      'brings a bulk operation on',
      'b:7',
      (pool) => enqueueBulkOperation(pool, { operationId: 7, tenantId: 1, waitedMs: 0 }, 0),
    ],
  ])('is there when that one has ended: one that %s', async (_, key, add) => {
    const { pool } = stack.services.db;
    await add(pool);
    expect(await jobsAfter(key, () => add(pool))).toEqual([{ what: key }]);
  });
});

test('reads what is open alone, by plans that are kept from when nothing was there', async () => {
  await stack.emit();
  const pool = openPool(stack.databaseUrl, 1, () => {});
  const alignAs = async (state: string) => {
    await pool.query(
      `update hookwright.webhooks set active = false, deleted_at = null, hold_until = now() + interval '1 hour',
         keep_held = false, keep_held_up_to = null, discard_held_up_to = null`,
    );
    await pool.query(`update hookwright.webhooks set ${state}`);
    await alignWebhook({ pool }, stack.tenantId, webhookId, { pieceMs: 60_000, restInMs: () => 0 });
  };
  const states = [
    'active = true',
    'active = true, discard_held_up_to = hookwright.next_id()',
    `hold_until = now() - interval '1 hour'`,
    'deleted_at = now()',
  ];
  const rowsRead = async () => {
    await pool.query('select pg_stat_force_next_flush()');
    const { rows } = await pool.query(
      `select sum(seq_tup_read + idx_tup_fetch)::integer as count from pg_stat_user_tables
       where schemaname = 'hookwright' and relname like 'deliveries\\_%'`,
    );
    return rows[0].count as number;
  };
  for (const state of states) {
    await alignAs(state);
  }
  await stack.rows(
    `insert into hookwright.deliveries
     select (jsonb_populate_record(d, jsonb_build_object('id', hookwright.next_id(), 'status', 'SUCCEEDED'))).*
     from hookwright.deliveries d, generate_series(1, 3000)`,
  );
  const before = await rowsRead();
  for (const state of states) {
    await alignAs(state);
  }
  expect((await rowsRead()) - before).toBeLessThan(20);
  await pool.end();
});
