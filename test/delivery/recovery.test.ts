import { afterEach, expect, test } from 'vitest';
import { probeDisabled, probeNow } from '../../src/operations/webhooks/probe-webhooks.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { answer } from '../support/receiver.js';

/** Webhooks that failures have disabled, and that come back by themselves. */

let stack: DeliveryStack;
afterEach(() => stack[Symbol.asyncDispose]());

/** An endpoint that has been disabled by failures, with held deliveries. Daemons are at work. */
async function disabledEndpoint(daemons = 1): Promise<Endpoint> {
  const endpoint = await stack.endpoint(answer(500), ['coupon.applied']);
  await stack.webhook(endpoint.url, ['webhook.recovered']);
  await stack.rows(`update hookwright.webhooks set consecutive_failures = 9 where id = ${endpoint.webhookId}`);
  for (let started = 0; started < daemons; started += 1) {
    stack.startDaemon();
  }
  await stack.emit();
  await eventually(async () => !(await webhook(endpoint))['active']);
  await stack.emits(3);
  await eventually(async () => (await held(endpoint)).length === 4);
  endpoint.received.length = 0;
  return endpoint;
}

const webhook = async ({ webhookId }: Endpoint) =>
  (
    await stack.rows<Record<string, unknown>>(`
    select active, disabled_reason as reason, consecutive_failures as failures, generation, version, last_failure_at
    from hookwright.webhooks where id = ${webhookId}`)
  )[0]!;

const held = ({ webhookId }: Endpoint) =>
  stack.rows<{ id: number; attempts: number; used: number }>(`
    select id, attempt_count as attempts, attempt_count - attempts_before as used from hookwright.deliveries
    where webhook_id = ${webhookId} and status = 'HELD' order by id`);

const recovery = async ({ webhookId }: Endpoint) =>
  (
    await stack.rows<{ pause: number; inMinutes: number | null; recovered: boolean }>(`
    select pause_minutes as pause, extract(epoch from next_probe_at - now())::float8 / 60 as "inMinutes",
           recovered_at is not null as recovered
    from hookwright.webhook_recoveries where webhook_id = ${webhookId}`)
  )[0];

const round = (installation = 'AUTOMATIC') => probeDisabled(stack.services.db.pool, installation);

/** The time of the next probe has come. */
const now = ({ webhookId }: Endpoint) =>
  stack.rows(`update hookwright.webhook_recoveries set next_probe_at = now() where webhook_id = ${webhookId}`);

test('an endpoint that answers again is found, by one of two daemons, and gets what was held', async () => {
  stack = await DeliveryStack.open({ ENDPOINT_RECOVERY: 'AUTOMATIC' });
  const endpoint = await disabledEndpoint(2);
  const before = await webhook(endpoint);
  const [oldest] = await held(endpoint);
  await eventually(async () => (await recovery(endpoint)) !== undefined);
  expect((await recovery(endpoint))!.inMinutes).toBeGreaterThan(0.5);
  await now(endpoint);
  await eventually(() => endpoint.received.length === 1);
  expect(endpoint.received[0]!.headers['x-service-delivery']).toBe(String(oldest!.id));
  await eventually(async () => (await held(endpoint))[0]!.attempts === oldest!.attempts + 1);
  expect((await held(endpoint))[0]).toMatchObject({ id: oldest!.id, used: oldest!.used });
  expect(await webhook(endpoint)).toEqual(before);
  expect(await recovery(endpoint)).toMatchObject({ pause: 2, recovered: false });

  endpoint.answerWith(answer(200));
  await now(endpoint);
  await eventually(async () => (await webhook(endpoint))['active'] === true);
  await eventually(async () => (await held(endpoint)).length === 0);
  await eventually(
    () => endpoint.received.filter(({ headers }) => headers['x-service-event'] === 'coupon.applied').length === 5,
  );
  expect(await webhook(endpoint)).toMatchObject({ reason: null, failures: 0, version: Number(before['version']) + 1 });
  expect(await recovery(endpoint)).toMatchObject({ inMinutes: null, recovered: true });
  await eventually(() => endpoint.received.some(({ headers }) => headers['x-service-event'] === 'webhook.recovered'));
  const [entry] = await stack.rows(`select actor, action, after from hookwright.audit_log order by id desc limit 1`);
  expect(entry).toMatchObject({ actor: 'SERVICE', action: 'WEBHOOK_UPDATED' });
});

test('pauses double up to an hour, and begin again at a minute only after a steady hour', async () => {
  stack = await DeliveryStack.open({ ENDPOINT_RECOVERY: 'AUTOMATIC' });
  const endpoint = await disabledEndpoint();
  await round();
  const pauses = [(await recovery(endpoint))!.pause];
  const attempts = async () => (await held(endpoint))[0]?.attempts;
  for (let probe = 0; probe < 7; probe += 1) {
    const before = (await attempts())!;
    await now(endpoint);
    // The daemon looks, too.
    await Promise.all([round(), round()]);
    await eventually(() => endpoint.received.length > probe);
    expect(endpoint.received).toHaveLength(probe + 1);
    // Before it is recorded, no other probe begins.
    await eventually(async () => (await attempts()) === before + 1);
    const { pause, inMinutes } = (await recovery(endpoint))!;
    expect(inMinutes).toBeGreaterThan(pause - 1);
    expect(inMinutes).toBeLessThanOrEqual(pause);
    pauses.push(pause);
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  const again = async (recoveredAgo: string) => {
    await stack.rows(`update hookwright.webhook_recoveries
      set pause_minutes = 8, generation = null, next_probe_at = null, recovered_at = now() - interval '${recoveredAgo}'`);
    await stack.rows(`update hookwright.webhooks set disabled_at = now() where id = ${endpoint.webhookId}`);
    await eventually(async () => {
      await round();
      return (await recovery(endpoint))!.inMinutes !== null;
    });
    return (await recovery(endpoint))!.pause;
  };
  expect(await again('59 minutes')).toBe(16);
  expect(await again('61 minutes')).toBe(1);
});

test('only a webhook that failures have disabled is probed, while its recovery is automatic', async () => {
  stack = await DeliveryStack.open();
  const endpoint = await stack.endpoint();
  const change = (set: string) => stack.rows(`update hookwright.webhooks set ${set} where id = ${endpoint.webhookId}`);
  const set = (value: string) =>
    stack.rows(`insert into hookwright.webhook_options (webhook_id, tenant_id, recovery)
      values (${endpoint.webhookId}, ${stack.tenantId}, ${value})
      on conflict (webhook_id) do update set recovery = excluded.recovery`);
  const failures = `active = false, disabled_at = now() - interval '1 day', disabled_reason = 'FAILURES'`;
  const asked = () => probeNow(stack.services.db, stack.tenantId, endpoint.webhookId);
  for (const state of [
    failures.replace('FAILURES', 'PAUSED'),
    failures.replace('FAILURES', 'GONE'),
    `${failures}, deleted_at = now()`,
    'active = true, disabled_reason = null, deleted_at = null',
  ]) {
    await change(state);
    expect(await round()).toBe(0);
    await expect(asked()).rejects.toThrow('Failures have not disabled this webhook');
  }
  await change(failures);
  expect(await round('MANUAL')).toBe(0);
  await set(`'MANUAL'`);
  expect(await round()).toBe(0);
  await stack.rows(`update hookwright.tenants set recovery = 'AUTOMATIC'`);
  expect(await round('MANUAL')).toBe(0);
  await set('null');
  expect(await round('MANUAL')).toBe(1);
  await now(endpoint);
  await stack.rows('update hookwright.tenants set recovery = null');
  expect(await round('MANUAL')).toBe(0);
  expect((await recovery(endpoint))!.inMinutes).toBeNull();
  await set(`'AUTOMATIC'`);
  expect(await round('MANUAL')).toBe(1);
});

test('without a held delivery a test is sent; an endpoint that is gone is not looked at again', async () => {
  stack = await DeliveryStack.open({ ENDPOINT_RECOVERY: 'AUTOMATIC' });
  const endpoint = await stack.endpoint(answer(410));
  await stack.rows(`update hookwright.webhooks
    set active = false, disabled_at = now() - interval '1 hour', disabled_reason = 'FAILURES'`);
  stack.startDaemon();
  await eventually(() => endpoint.received.length === 1);
  expect(endpoint.received[0]!.headers['x-service-event']).toBe('webhook.test');
  await eventually(async () => (await webhook(endpoint))['reason'] === 'GONE');
  expect(await stack.deliveries()).toMatchObject([{ status: 'FAILED', attempt_count: 1 }]);
  expect(await round()).toBe(0);
  expect((await recovery(endpoint))!.inMinutes).toBeNull();
});

test('a probe of an endpoint that somebody has enabled meanwhile is an attempt like any other', async () => {
  stack = await DeliveryStack.open({ ENDPOINT_RECOVERY: 'AUTOMATIC' });
  const endpoint = await disabledEndpoint();
  let end = (): void => {};
  endpoint.answerWith((_request, response) => {
    end = () => response.writeHead(500).end();
  });
  await round();
  await now(endpoint);
  await round();
  await eventually(() => endpoint.received.length === 1);
  await stack.change(endpoint.webhookId, { active: true });
  endpoint.answerWith(answer(200));
  await eventually(async () => (await held(endpoint)).length === 0);
  end();
  await eventually(async () => (await stack.deliveries(`status <> 'SUCCEEDED'`)).length === 0);
  expect(await webhook(endpoint)).toMatchObject({ active: true, failures: 0 });
});

test('many disabled webhooks are looked at part by part, and the ones just disabled besides', async () => {
  stack = await DeliveryStack.open();
  const { id } = await stack.webhook('http://127.0.0.1:1/');
  const disable = `active = false, disabled_reason = 'FAILURES', disabled_at = now()`;
  await stack.rows(`update hookwright.webhooks set ${disable};
    insert into hookwright.webhooks (tenant_id, url, event_types, sealed_secret, active, disabled_reason, disabled_at)
      select tenant_id, url, event_types, sealed_secret, active, disabled_reason, disabled_at
      from hookwright.webhooks, generate_series(1, 149)`);
  await stack.rows('delete from hookwright.audit_log');
  const planned = async () => (await stack.rows('select from hookwright.webhook_recoveries')).length;
  const cursor = {};
  const look = () => probeDisabled(stack.services.db.pool, 'AUTOMATIC', cursor);
  await look();
  expect(await planned()).toBe(100);
  await look();
  expect(await planned()).toBe(150);
  expect(cursor).toEqual({});
  const [last] = await stack.rows<{ id: number }>('select max(id)::float8 as id from hookwright.webhooks');
  await stack.rows(`delete from hookwright.webhook_recoveries where webhook_id in (${id}, ${last!.id});
    insert into hookwright.audit_log (tenant_id, actor, action, target_type, target_id)
      values (${stack.tenantId}, 'SERVICE', 'WEBHOOK_DISABLED', 'WEBHOOK', '${last!.id}')`);
  await look();
  expect(await planned()).toBe(150);
});
