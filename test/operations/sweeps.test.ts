import { afterEach, beforeEach, expect, test } from 'vitest';
import { sweepsOf } from '../../daemon/duties/duties.js';
import { startDuties } from '../../daemon/duties/duty.js';
import { worthDoing } from '../../src/operations/housekeeping/worth-doing.js';
import { openDatabase } from '../../src/platform/database/database.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';

let stack: DeliveryStack;
let webhookId: number;
beforeEach(async () => {
  stack = await DeliveryStack.open();
  ({ id: webhookId } = await stack.webhook('http://127.0.0.1:1/'));
});
afterEach(() => stack[Symbol.asyncDispose]());

const worth = async () => {
  const { db } = stack.services;
  return Object.entries(await worthDoing(db.pool, sweepsOf(stack.services))).flatMap(([name, is]) =>
    is ? [name] : [],
  );
};

const deliveries = (change: string) => async () => {
  await stack.emit();
  await stack.rows(`update hookwright.deliveries set ${change}`);
};
const webhook = (change: string) => () => stack.rows(`update hookwright.webhooks set ${change}`);
const raised = (pending: number) => () =>
  stack.rows(
    `insert into hookwright.raised_events (tenant_id, webhook_id, event_type, raised_at, pending, pending_body)
     values (${stack.tenantId}, ${webhookId}, 'delivery.exhausted', now(), ${pending}, '{}')`,
  );
const bulk = (status: string) => () =>
  stack.rows(
    `insert into hookwright.bulk_operations
       (tenant_id, kind, webhook_id, filter, from_id, cursor_id, to_id, total, actor, status, finished_at)
     values (${stack.tenantId}, 'CANCEL_DELIVERIES', ${webhookId}, '{}', 1, 1, 2, 0, 'COMMAND_LINE', '${status}',
             case '${status}' when 'RUNNING' then null else now() end)`,
  );

const SOON = `now() + interval '23 hours'`;

test.each<[string, () => Promise<unknown>, string[]]>([
  ['an idle installation', async () => {}, []],
  ['finished deliveries', deliveries(`status = 'SUCCEEDED'`), []],
  ['a retry in an hour', deliveries(`attempt_count = 1, due_at = now() + interval '1 hour'`), []],
  ['a retry in 21 s', deliveries(`attempt_count = 1, due_at = now() + interval '21 seconds'`), []],
  ['a retry in 19 s', deliveries(`attempt_count = 1, due_at = now() + interval '19 seconds'`), ['schedule']],
  ['a delivery of a minute ago', deliveries(`due_at = now() - interval '61 seconds'`), ['schedule', 'overdue']],
  ['an endpoint that is closed', webhook(`closed_until = now() + interval '1 hour'`), []],
  ['a held delivery', deliveries(`status = 'HELD'`), ['held']],
  ['a bulk operation', bulk('RUNNING'), ['bulk']],
  ['a finished bulk operation', bulk('COMPLETED'), []],
  ['an operational event that waits', raised(1), ['events']],
  ['operational events that were raised', raised(0), []],
  ['a hold that ends today', webhook(`active = false, hold_until = ${SOON}`), ['events']],
  ['a hold that ends later', webhook(`active = false, hold_until = now() + interval '25 hours'`), []],
  ['a hold whose end was announced', webhook(`active = false, hold_until = ${SOON}, hold_warned_until = ${SOON}`), []],
])('of %s only the sweeps are made that may find something', async (_, make, expected) => {
  await make();
  expect(await worth()).toEqual(expected);
});

/** Makes sweeps for some rounds, with few connections. @returns how often a connection was taken for each round */
async function sweepFor(rounds: number, poolMax: number): Promise<number> {
  const { log, config } = stack.services;
  const db = await openDatabase(stack.databaseUrl, { poolMax, onError: () => {} });
  let [taken, swept] = [0, 0];
  db.pool.on('acquire', () => {
    taken += 1;
  });
  const metrics = { sweep: (name: string) => (swept += Number(name === 'held')) };
  const stop = startDuties(sweepsOf({ db, log, config }), { pool: db.pool, log, metrics });
  await eventually(() => swept === rounds, 2_500 * rounds + 5_000);
  await stop();
  await db.close();
  return taken / rounds;
}

test('while nothing happens, a round of sweeps takes one statement', async () => {
  expect(await sweepFor(2, 2)).toBe(1);
});

test('a round in which every sweep may find something gets by with two connections', async () => {
  await deliveries(`due_at = now() - interval '61 seconds'`)();
  await stack.rows(
    `insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status)
     select hookwright.next_id(), tenant_id, event_id, webhook_id, event_type, 'HELD' from hookwright.deliveries`,
  );
  await bulk('RUNNING')();
  await raised(1)();
  expect(await worth()).toEqual(['schedule', 'held', 'overdue', 'bulk', 'events']);
  expect(await sweepFor(2, 2)).toBeGreaterThan(1);
});
