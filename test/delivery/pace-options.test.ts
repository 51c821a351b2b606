import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandLine } from '../../src/operations/rows/audit.js';
import { updateTenant } from '../../src/operations/tenants/update-tenant.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { answer } from '../support/receiver.js';

/** Timeouts and retries of webhooks, and what they inherit from their tenant, at work. */

let stack: DeliveryStack;
beforeAll(async () => {
  stack = await DeliveryStack.open({ RETRY_BASE_SECONDS: '60' });
  stack.startDaemon();
});
afterAll(() => stack[Symbol.asyncDispose]());

const dueInSeconds = async (eventId: number) =>
  (
    await stack.rows<{ seconds: number }>(
      `select extract(epoch from due_at - now())::float8 as seconds from hookwright.deliveries where event_id = ${eventId}`,
    )
  )[0]!.seconds;
/** Events of later tests are not for it. */
const gone = ({ webhookId }: Endpoint) =>
  stack.rows(`update hookwright.webhooks set deleted_at = now() where id = ${webhookId}`);
const updateDefaults = (change: object) => updateTenant(stack.services.db, stack.tenantId, change, commandLine);

test('a timeout of its own ends an attempt', async () => {
  const endpoint = await stack.endpoint(() => {}, ['coupon.applied']);
  await stack.change(endpoint.webhookId, { timeoutMs: 1_000, retryDelaysSeconds: [] });
  const event = await stack.emit();
  expect(await stack.reaches(event, 'FAILED')).toMatchObject({ attempt_count: 1, last_error_code: 'TIMEOUT' });
  await gone(endpoint);
});

test('a planned retry keeps its time; the next failure reads the new list at its number; a shorter one ends it', async () => {
  const endpoint = await stack.endpoint(answer(500), ['coupon.applied']);
  const due = () => stack.rows(`update hookwright.deliveries set due_at = now() where status = 'PENDING'`);
  await stack.change(endpoint.webhookId, { retryDelaysSeconds: [1_000, 2_000, 3_000] });
  const event = await stack.emit();
  await stack.attempted(event);
  expect(await dueInSeconds(event)).toBeGreaterThan(900);
  await stack.change(endpoint.webhookId, { retryDelaysSeconds: [10, 500] });
  expect(await dueInSeconds(event)).toBeGreaterThan(900);
  await due();
  await stack.attempted(event, 2);
  expect(await dueInSeconds(event)).toBeGreaterThan(400);
  expect(await dueInSeconds(event)).toBeLessThan(501);
  await stack.change(endpoint.webhookId, { retryDelaysSeconds: [10] });
  await due();
  expect(await stack.reaches(event, 'FAILED')).toMatchObject({ attempt_count: 3 });
  await gone(endpoint);
});

test('webhooks follow the defaults of their tenant, unless they set a value themselves', async () => {
  const [inherits, sets] = [
    await stack.endpoint(answer(500), ['coupon.applied']),
    await stack.endpoint(answer(500), ['coupon.applied']),
  ];
  await stack.change(sets.webhookId, { retryDelaysSeconds: [2_000] });
  const versions = async () =>
    (
      await stack.rows<{ options_version: number | null }>(
        `select options_version from hookwright.webhooks where id in (${inherits.webhookId}, ${sets.webhookId}) order by id`,
      )
    ).map(({ options_version }) => options_version);
  const before = await versions();
  expect(before[0]).toBeNull();
  await updateDefaults({ retryDelaysSeconds: [1_000] });
  await eventually(async () => (await versions()).every((version, at) => version !== before[at]));
  const made = await stack.endpoint(answer(500), ['coupon.applied']);
  await stack.emit();
  const delays = async () => {
    const rows = await stack.rows<{ webhook_id: number; seconds: number }>(
      `select webhook_id, extract(epoch from due_at - now())::float8 as seconds from hookwright.deliveries
       where attempt_count = 1 and status = 'PENDING'
         and webhook_id in (${inherits.webhookId}, ${sets.webhookId}, ${made.webhookId}) order by webhook_id`,
    );
    return rows.length === 3 && rows.map(({ seconds }) => Math.ceil(seconds / 1_000) * 1_000);
  };
  expect(await eventually(delays)).toEqual([1_000, 2_000, 1_000]);
  const again = await versions();
  await updateDefaults({ retryDelaysSeconds: null });
  await eventually(async () => (await versions()).every((version, at) => version !== again[at]));
  await updateDefaults({ retryDelaysSeconds: null });
  expect(await stack.rows(`select from hookwright.audit_log where action = 'TENANT_UPDATED'`)).toHaveLength(2);
});
