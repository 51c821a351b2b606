import { afterEach, beforeEach, expect, test } from 'vitest';
import { settleWebhook } from '../../src/operations/settle-webhook.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { emitMany } from '../support/factories.js';

let stack: DeliveryStack;
let webhookId: number;
beforeEach(async () => {
  stack = await DeliveryStack.open();
  ({ id: webhookId } = await stack.webhook('https://receiver.example.com/'));
});
afterEach(() => stack[Symbol.asyncDispose]());

const settle = (turnMs?: number) => settleWebhook(stack.services.db, stack.tenantId, webhookId, turnMs);
const jobs = (what: string, where = 'true') =>
  stack.rows<{ what: unknown }>(
    `select ${what} as what from graphile_worker._private_jobs where ${where} order by id`,
  );
const putOff = () =>
  stack.rows(
    `update graphile_worker._private_jobs set run_at = now() + interval '1 hour', updated_at = now()`,
  );

test('a long release is made in turns: each leaves a job for the rest', async () => {
  await emitMany(stack.services, stack.tenantId, 1_100);
  await stack.rows(
    `update hookwright.deliveries set status = 'HELD'; delete from graphile_worker._private_jobs`,
  );
  expect(await settle(0)).toBe(1_000);
  expect(await jobs('key', `key like 'w:%'`)).toEqual([{ what: `w:${webhookId}` }]);
  expect(await settle(0)).toBe(100);
  expect(await stack.deliveries("status = 'PENDING'")).toHaveLength(1_100);
});

test('wakes what was put off for the endpoint as it was, and not what is put off meanwhile', async () => {
  await stack.emit();
  await stack.emit();
  await putOff();
  const [, second] = await jobs('id');
  await stack.rows(
    `update graphile_worker._private_jobs set updated_at = now() + interval '1 minute' where id = ${second?.what}`,
  );
  expect(await settle()).toBe(1);
  expect(await jobs('run_at <= now()')).toEqual([{ what: true }, { what: false }]);
});

test('wakes what waits for a closed endpoint when that opens, once', async () => {
  await stack.emit();
  await putOff();
  await stack.rows(`update hookwright.webhooks set closed_until = now() + interval '10 minutes'`);
  expect(await settle()).toBe(1);
  expect(await settle()).toBe(0);
  expect(await jobs('run_at = (select closed_until from hookwright.webhooks)')).toEqual([{ what: true }]);
});
