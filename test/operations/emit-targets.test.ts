import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Emit, EmitResult, EmitTarget } from '../../src/domain/events/emit.js';
import { keepOutboxLimits } from '../../src/operations/emits/outbox.js';
import { emitScheduled } from '../../src/operations/scheduled/emit-scheduled.js';
import { scheduleEvent } from '../../src/operations/scheduled/schedule-event.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { couponEmit, makeTenant, makeWebhook } from '../support/factories.js';

let stack: DeliveryStack;
let pool: pg.Pool;
/** Two that subscribe, and one with `callback`. */
let plain: number;
let other: number;
let called: number;

beforeAll(async () => {
  stack = await DeliveryStack.open();
  pool = stack.services.db.pool;
  const make = async () => (await makeWebhook(stack.services, stack.tenantId, { eventTypes: ['coupon.applied'] })).id;
  [plain, other, called] = [await make(), await make(), await make()];
  await pool.query(`insert into hookwright.webhook_options (webhook_id, tenant_id, callback) values ($1, $2, true)`, [
    ...[called, stack.tenantId],
  ]);
  await pool.query(
    `insert into hookwright.webhook_options (webhook_id, tenant_id, external_id) values ($1, $2, 'ep_1')`,
    [other, stack.tenantId],
  );
});
afterAll(() => stack[Symbol.asyncDispose]());

const emit = async (to: EmitTarget[] | null, more: Partial<Emit> = {}): Promise<EmitResult> =>
  (await stack.services.emitter.emit([couponEmit(stack.tenantId, { to, ...more })]))[0]!;

const deliveriesOf = async (result: EmitResult) =>
  result.refused === null
    ? await stack.rows<{ webhook: number; path: string | null }>(
        `select webhook_id::integer as webhook, path from hookwright.deliveries
         where event_id = ${result.eventId} order by webhook_id`,
      )
    : result;

describe('an event for chosen webhooks', () => {
  test('reaches these alone, at the paths that it names', async () => {
    expect(await deliveriesOf(await emit([{ webhookId: plain }]))).toEqual([{ webhook: plain, path: null }]);
    const both = await emit([{ webhookId: called, path: '/a?b=1' }, { externalId: 'ep_1' }]);
    expect(both).toMatchObject({ deliveryCount: 2 });
    expect(await deliveriesOf(both)).toEqual([
      { webhook: other, path: null },
      { webhook: called, path: '/a?b=1' },
    ]);
  });

  test('passes by a webhook with callback when it is for all', async () => {
    const all = [
      { webhook: plain, path: null },
      { webhook: other, path: null },
    ];
    expect(await deliveriesOf(await emit(null))).toEqual(all);
    await stack.rows(`select hookwright.raise_events(array[${stack.tenantId}::bigint], array[${plain}::bigint],
      array['webhook.failing'], array[json_build_object('webhook_id', '${plain}', 'origin', 'x')::text], array[1])`);
    const operational = `select from hookwright.deliveries where event_type = 'webhook.failing'`;
    await stack.rows(`update hookwright.webhooks set event_types = '{*}' where id = ${called}`);
    expect(await stack.rows(operational)).toEqual([]);
    await stack.rows(`update hookwright.webhooks set event_types = '{coupon.applied}' where id = ${called}`);
  });

  test('counts its filter', async () => {
    const filter = (path: string | null) =>
      pool.query('update hookwright.webhook_options set filter_path = $2 where webhook_id = $1', [other, path]);
    await filter('$.code == "never"');
    expect(await emit([{ webhookId: other }])).toMatchObject({ refused: null, deliveryCount: 0 });
    await filter(null);
  });

  test('is refused with the place of what is wrong', async () => {
    const tenant = await makeTenant(stack.services);
    const { id: foreign } = await makeWebhook(stack.services, tenant.id);
    const { id: paused } = await makeWebhook(stack.services, stack.tenantId);
    const { id: elsewhere } = await makeWebhook(stack.services, stack.tenantId, { eventTypes: ['booking.created'] });
    await stack.rows(`update hookwright.webhooks set active = false, hold_until = now() where id = ${paused}`);
    const cases: [EmitTarget[], string, number | null][] = [
      [[], 'TARGETS_MALFORMED', null],
      [new Array(101).fill({ webhookId: plain }), 'TARGETS_MALFORMED', null],
      [[{ webhookId: plain }, { webhookId: foreign }], 'WEBHOOK_UNKNOWN', 1],
      [[{ externalId: 'none' }], 'WEBHOOK_UNKNOWN', 0],
      [[{ webhookId: elsewhere }], 'NOT_SUBSCRIBED', 0],
      [[{ webhookId: paused }], 'WEBHOOK_INACTIVE', 0],
      [[{ webhookId: other }, { externalId: 'ep_1' }], 'TARGET_TWICE', 1],
      [[{ webhookId: called }], 'PATH_MISSING', 0],
      [[{ webhookId: plain, path: '/x' }], 'PATH_NOT_TAKEN', 0],
      [[{ webhookId: called, path: 'x' }], 'PATH_MALFORMED', 0],
      [[{ webhookId: plain, externalId: 'ep_1' }], 'TARGETS_MALFORMED', 0],
    ];
    const before = await stack.rows('select from hookwright.events');
    for (const [to, refused, at] of cases) {
      const result = await emit(to);
      expect(result, JSON.stringify(to)).toMatchObject({ refused });
      expect('detail' in result && result.detail).toMatch(
        at === null ? /^The targets/ : new RegExp(`^targets\\[${at}\\] `),
      );
    }
    expect(await stack.rows('select from hookwright.events')).toHaveLength(before.length);
  });

  test('is one event for one idempotency key, whose targets and former state are part of it', async () => {
    const key = { idempotencyKey: 'one' };
    const first = await emit([{ webhookId: called, path: '/a' }, { webhookId: plain }], key);
    const again = await emit([{ webhookId: plain }, { webhookId: called, path: '/a' }], key);
    expect(again).toEqual({ ...first, duplicate: true });
    const reused = { refused: 'IDEMPOTENCY_KEY_REUSED' };
    expect(await emit([{ webhookId: plain }, { webhookId: called, path: '/b' }], key)).toMatchObject(reused);
    expect(await emit(null, key)).toMatchObject(reused);
    const former = { idempotencyKey: 'two', previous: '{"code":"A"}' };
    expect(await emit(null, former)).toMatchObject({ duplicate: false });
    expect(await emit(null, former)).toMatchObject({ duplicate: true });
    expect(await emit(null, { ...former, previous: null })).toMatchObject(reused);
  });

  test('goes with its former state into a batch beside others', async () => {
    const items = [couponEmit(stack.tenantId), couponEmit(stack.tenantId, { to: [{ webhookId: plain }] })];
    const [all, one] = await stack.services.emitter.emit([
      ...items,
      couponEmit(stack.tenantId, { previous: '{"n":1}' }),
    ]);
    expect([all, one]).toMatchObject([{ deliveryCount: 2 }, { deliveryCount: 1 }]);
    const [row] = await stack.rows(`select previous, targets from hookwright.events order by id desc limit 1`);
    expect(row).toEqual({ previous: '{"n":1}', targets: null });
  });
});

describe('a scheduled event for chosen webhooks', () => {
  test('reaches them when it is due, but for those that left meanwhile', async () => {
    const to = [{ webhookId: called, path: '/later' }, { webhookId: plain }, { webhookId: other }];
    const event = { ...couponEmit(stack.tenantId), to, previous: '{"n":2}', deliverAt: null, delaySeconds: 3_600 };
    expect(await scheduleEvent(stack.services.db, { ...event, to: [{ webhookId: called }] })).toMatchObject({
      refused: 'PATH_MISSING',
    });
    expect(await scheduleEvent(stack.services.db, event)).toMatchObject({ refused: null });
    await stack.rows(`update hookwright.webhooks set event_types = '{booking.created}' where id = ${other}`);
    await stack.rows(`update hookwright.scheduled_events set due_at = now() where status = 'SCHEDULED'`);
    await emitScheduled(pool);
    await stack.rows(`update hookwright.webhooks set event_types = '{coupon.applied}' where id = ${other}`);
    const [event_] = await stack.rows<{ id: number; previous: string; targets: string[] }>(
      `select id, previous, targets from hookwright.events order by id desc limit 1`,
    );
    expect(event_).toMatchObject({ previous: '{"n":2}', targets: [plain, other, called].map(String) });
    expect(
      await stack.rows(`select webhook_id::integer as webhook, path from hookwright.deliveries
                        where event_id = ${event_!.id} order by webhook_id`),
    ).toEqual([
      { webhook: plain, path: null },
      { webhook: called, path: '/later' },
    ]);
  });
});

describe('an application', () => {
  const emitted = async (args: string) =>
    (
      await stack.rows<{ event_id: number; delivery_count: number }>(
        `select * from hookwright.emit(${stack.tenantId}, 'coupon.applied', '{"code":"A","discount_type":"x"}', ${args})`,
      )
    )[0]!;
  const refusal = (args: string) =>
    emitted(args).then(
      () => null,
      ({ code, detail }: { code: string; detail: string }) => `${code} ${detail}`,
    );

  test('says in its own transaction for how long, what was before, and for whom', async () => {
    const { event_id, delivery_count } = await emitted(
      `keep_hours => 3, previous => '{"a":"\\/"}', targets => '[{"webhook_id": ${called}, "path": "/p"}]'`,
    );
    expect(delivery_count).toBe(1);
    const [row] =
      await stack.rows(`select e.previous, d.path, round(extract(epoch from k.ends_at - now()) / 3600) as hours
      from hookwright.events e join hookwright.deliveries d on d.event_id = e.id
      join hookwright.event_ends k on k.event_id = e.id where e.id = ${event_id}`);
    expect(row).toMatchObject({ previous: '{"a":"/"}', path: '/p' });
    expect(Number((row as { hours: string }).hours)).toBe(3);
  });

  test('is refused by the limits that the daemon has set', async () => {
    const limits = { payloadBytesMax: 1_024, previous: 'on', retentionDays: 30 } as const;
    await keepOutboxLimits(stack.services.db, limits);
    expect(await refusal('keep_hours => 720')).toBe('HW019 KEEP_HOURS_OUT_OF_RANGE');
    expect(await refusal('keep_hours => 0')).toBe('HW019 KEEP_HOURS_OUT_OF_RANGE');
    expect(await refusal('keep_hours => 719')).toBeNull();
    expect(await refusal(`previous => '[]'`)).toBe('HW018 PREVIOUS_NO_JSON_OBJECT');
    expect(await refusal(`previous => '{'`)).toBe('HW018 PREVIOUS_NO_JSON_OBJECT');
    expect(await refusal(`previous => '{"a":"${'x'.repeat(1_016)}"}'`)).toBeNull();
    expect(await refusal(`previous => '{"a":"${'x'.repeat(1_017)}"}'`)).toBe('HW018 PREVIOUS_TOO_LARGE');
    await keepOutboxLimits(stack.services.db, { ...limits, previous: 'off' });
    expect(await refusal(`previous => '{}'`)).toBe('HW018 PREVIOUS_OFF');
    await keepOutboxLimits(stack.services.db, { ...limits, payloadBytesMax: 262_144 });
    expect(await refusal(`targets => '{}'`)).toBe('HW017 TARGETS_MALFORMED');
    expect(await refusal(`targets => '[{"webhook_id": "x"}]'`)).toBe('HW017 TARGETS_MALFORMED');
    expect(await refusal(`targets => '[{"webhook_id": ${plain}, "more": 1}]'`)).toBe('HW017 TARGETS_MALFORMED');
  });
});
