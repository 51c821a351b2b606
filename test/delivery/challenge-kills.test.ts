import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createWebhook } from '../../src/operations/webhooks/create-webhook.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { startReceiver } from '../support/receiver.js';

let stack: DeliveryStack;
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
  }
  await stack[Symbol.asyncDispose]();
});

/** A daemon in a process of its own. */
async function startProcess(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['dist/program/main.js', 'daemon'], {
    env: stack.processEnv,
  });
  children.push(child);
  let output = '';
  child.stdout!.on('data', (chunk) => {
    output += chunk;
  });
  await eventually(() => output.includes('the delivery daemon is running'), 30_000);
  return child;
}

test('a daemon that is killed while it asks leaves the ask to another one, a minute later, and nothing is lost', async () => {
  stack = await DeliveryStack.open();
  await using endpoint = await startReceiver(() => {});
  const { db, vault, random } = stack.services;
  const wanted = {
    tenantId: stack.tenantId,
    url: endpoint.url,
    eventTypes: ['*'],
    webhooksMax: 10,
    actor: commandLine,
  };
  const { id } = await createWebhook(db, vault, random, { ...wanted, challenge: { holdHours: 1 } });
  const eventId = await stack.emit();
  const first = await startProcess();
  await eventually(() => endpoint.received.length === 1);
  first.kill('SIGKILL');
  const [left] = await stack.rows<{ status: string; asks: number; nextIn: number }>(`
    select status, asks, extract(epoch from next_at - now())::float8 as "nextIn" from hookwright.verifications`);
  expect(left).toMatchObject({ status: 'PENDING', asks: 1 });
  expect(left!.nextIn).toBeGreaterThan(30);
  expect(left!.nextIn).toBeLessThanOrEqual(60);

  endpoint.answerWith(({ method, body }, response) => {
    response.writeHead(method === 'OPTIONS' ? 404 : 200).end(body);
  });
  await startProcess();
  await stack.reaches(eventId, 'HELD');
  await stack.rows(`update hookwright.verifications set next_at = now()`);
  await stack.reaches(eventId, 'SUCCEEDED', 20_000);
  expect(await stack.webhookRow(id)).toMatchObject({ active: true, disabled_reason: null });
  expect(await stack.rows('select status, asks from hookwright.verifications')).toEqual([
    { status: 'VERIFIED', asks: 2 },
  ]);
});
