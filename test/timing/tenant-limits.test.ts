import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Services } from '../../src/api/context/context.js';
import { buildServer } from '../../src/api/server.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { updateTenant } from '../../src/operations/tenants/update-tenant.js';
import { API_ROLE } from '../../src/platform/database/tenant-database.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { couponPayload, makeTenant, openTestServices } from '../support/factories.js';
import { GraphqlApi } from '../support/graphql-api.js';
import { SOON } from '../support/program.js';

/** The rates of a limited tenant, over several processes. */

const EMIT = 'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { event { id } } }';
const coupon = { event: 'coupon.applied', payload: couponPayload };

test('45 to 60 of 500 emits a second come through over two APIs, and those of others all', async () => {
  await using api = await GraphqlApi.open();
  const [slow, free] = await Promise.all([makeTenant(api.services), makeTenant(api.services)]);
  await updateTenant(api.services.db, slow.id, { eventsPerSecond: 50 }, commandLine);
  const services: Services = await openTestServices(api.databaseUrl, { role: API_ROLE });
  const other = await buildServer(services);
  const statuses: number[] = [];
  const others: number[] = [];
  const emit = async (server: typeof other, key: string) =>
    (
      await server.inject({
        method: 'POST',
        url: '/graphql',
        headers: { authorization: `Bearer ${key}` },
        payload: { query: EMIT, variables: { input: coupon } },
      })
    ).statusCode;
  await Promise.all([api.server, other].flatMap((server) => [1, 2, 3].map(() => emit(server, free.key)))); // warm up
  const SECONDS = 4;
  const beganAt = performance.now();
  const emitting: Promise<unknown>[] = [];
  let asked = 0;
  for (let passed = 0; passed < SECONDS * 1_000; passed = performance.now() - beganAt) {
    for (; asked < passed / 2; asked++) {
      const server = asked % 2 === 0 ? api.server : other;
      emitting.push(emit(server, slow.key).then((status) => statuses.push(status)));
      if (asked % 25 === 0) {
        emitting.push(emit(server, free.key).then((status) => others.push(status)));
      }
    }
    await delay(2);
  }
  const seconds = (performance.now() - beganAt) / 1_000;
  await Promise.all(emitting);
  await other.close();
  await services.db.close();
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(new Set(others)).toEqual(new Set([200]));
  const accepted = statuses.filter((status) => status === 200).length;
  expect(accepted / seconds).toBeGreaterThanOrEqual(45);
  expect(accepted / seconds).toBeLessThanOrEqual(60);
  const { rows } = await api.owner.query(
    'select count(*)::integer as count from hookwright.events where tenant_id = $1',
    [slow.id],
  );
  expect(rows[0].count).toBe(accepted);
}, 60_000);

const beganAt = async (stack: DeliveryStack): Promise<{ at: number; webhookId: number }[]> =>
  (
    await stack.rows<{ at: Date; webhookId: number }>(
      `select a.started_at as at, d.webhook_id as "webhookId"
       from hookwright.attempts a join hookwright.deliveries d on d.id = a.delivery_id order by a.started_at`,
    )
  ).map(({ at, webhookId }) => ({ at: at.getTime(), webhookId }));

/** A daemon in a process of its own. */
async function startProcess(stack: DeliveryStack): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['dist/program/main.js', 'daemon'], {
    env: { ...stack.processEnv, ...SOON },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout!.on('data', (chunk) => {
    output += chunk;
  });
  await eventually(() => output.includes('the delivery daemon is running'), 60_000);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

const ENDPOINTS = 20;
const PER_SECOND = 10;
/** By then the one that lives has found the deliveries of one that was killed, however slow the machine is. */
const TAKEN_OVER_BY = 230;
const SENT = 330;

test('twenty endpoints get ten requests a second by two daemons, each its share, and one daemon alone goes on', {
  timeout: 120_000,
}, async () => {
  await using stack = await DeliveryStack.open();
  const receivers = await Promise.all(Array.from({ length: ENDPOINTS }, () => stack.endpoint()));
  await updateTenant(stack.services.db, stack.tenantId, { requestsPerSecond: PER_SECOND }, commandLine);
  const [dies, lives] = await Promise.all([startProcess(stack), startProcess(stack)]);
  await stack.emits(20);
  const sent = () => receivers.reduce((sum, { received }) => sum + received.length, 0);
  await eventually(() => sent() >= 20, 30_000);
  const fromMs = Date.now();
  await eventually(() => sent() >= 120, 30_000);
  const diedMs = Date.now();
  await kill(dies);
  await eventually(() => sent() >= SENT, 60_000);
  await kill(lives);
  const began = await beganAt(stack);
  const inMs = (from: number, until: number) => began.filter(({ at }) => at >= from && at < until);
  const rateOf = (from: number, until: number) => (inMs(from, until).length * 1_000) / (until - from);
  const lastMs = began.at(-1)!.at;
  // Recorded answers of the one that was killed are lost, and its requests in hand come again.
  expect(rateOf(fromMs, diedMs)).toBeGreaterThanOrEqual(0.9 * PER_SECOND);
  expect(rateOf(fromMs, diedMs)).toBeLessThanOrEqual(1.1 * PER_SECOND);
  const aloneMs = began.at(TAKEN_OVER_BY - SENT)!.at;
  expect(rateOf(aloneMs, lastMs)).toBeGreaterThanOrEqual(0.9 * PER_SECOND);
  expect(rateOf(aloneMs, lastMs)).toBeLessThanOrEqual(1.1 * PER_SECOND);
  const most = Math.max(...began.map(({ at }) => inMs(at, at + 1_000).length));
  // Requests that a late process could not begin in time begin later: half a second's at most.
  expect(most).toBeLessThanOrEqual(1.5 * PER_SECOND + 1);
  const shares = receivers.map(({ webhookId }) => began.filter((one) => one.webhookId === webhookId).length);
  expect(Math.min(...shares)).toBeGreaterThanOrEqual((0.6 * began.length) / ENDPOINTS);
  expect(Math.max(...shares)).toBeLessThanOrEqual((1.4 * began.length) / ENDPOINTS);
});
