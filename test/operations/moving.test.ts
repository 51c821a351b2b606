import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { reopenAbandoned } from '../../src/operations/cells/abandoned-moves.js';
import { judgeMoves } from '../../src/operations/doctor/judge-moves.js';
import { enableCell } from '../../src/operations/installation/enable-cell.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { emitScheduled } from '../../src/operations/scheduled/emit-scheduled.js';
import { updateTenant } from '../../src/operations/tenants/update-tenant.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { couponEmit, emitMany } from '../support/factories.js';
import { deleteJobs, jobsIn, OF_DELIVERIES } from '../support/jobs.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/locks.js';
import { markMoving, moveAway, writeMove } from '../support/moving.js';
import { onServer } from '../support/on-server.js';
import { OutboxApplication, refusalOf } from '../support/outbox-application.js';

/** The marks of a tenant that moves to another cell (docs/decisions/0099). */

let stack: DeliveryStack;
let shop: OutboxApplication;
beforeAll(async () => {
  stack = await DeliveryStack.open();
  await onServer(stack.databaseUrl, (client) => enableCell(client, { number: null, of: 16 }));
  shop = await OutboxApplication.open(stack);
});
afterEach(async () => {
  await mark(null);
  await stack.clear();
  await deleteJobs(stack);
  await stack.rows('delete from hookwright.tenant_moves; delete from hookwright.scheduled_events');
});
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]();
  await stack?.[Symbol.asyncDispose]();
});

const mark = (to: Parameters<typeof markMoving>[2]) => markMoving(stack.databaseUrl, stack.tenantId, to);
const ofTenant = () => `tenant_id = ${stack.tenantId}`;
const webhook = () => stack.webhook('http://127.0.0.1:9/');
const moving = async () =>
  (await stack.rows<{ moving: string | null }>('select * from hookwright.tenants where id = 1'))[0]!.moving;
const BODY = `'{"code":"A","discount_type":"x"}'`;
const emitSql = () =>
  `select * from hookwright.emit(tenant_id => ${stack.tenantId}, event_type => 'coupon.applied', body => ${BODY})`;
const scheduleSql = (at = 'now()') => `select scheduled_event_id::integer as id from hookwright.schedule(
  tenant_id => ${stack.tenantId}, event_type => 'coupon.applied', body => ${BODY}, deliver_at => ${at})`;
const scheduled = async () =>
  (await stack.rows<{ status: string }>('select status from hookwright.scheduled_events order by id')).map(
    ({ status }) => status,
  );

test('a mark is that of a tenant and of all its webhooks, deleted and new ones too', async () => {
  const [kept, deleted] = [await webhook(), await webhook()];
  await deleteWebhook(stack.services.db, stack.tenantId, deleted.id, commandLine);
  await mark('DRAINING');
  const made = await webhook();
  expect(await moving()).toBe('DRAINING');
  const marks = () =>
    stack.rows(`select id, moving from hookwright.webhooks where ${ofTenant()} and id >= ${kept.id} order by id`);
  expect(await marks()).toEqual([kept, deleted, made].map(({ id }) => ({ id, moving: true })));
  await mark(null);
  expect(await marks()).toEqual([kept, deleted, made].map(({ id }) => ({ id, moving: false })));
});

describe('events of a tenant', () => {
  test('are taken while it is DRAINING, also for later, and no daemon gets them claimed', async () => {
    await webhook();
    await mark('DRAINING');
    const [lone] = await stack.rows<{ claimed: object | null; delivery_count: number }>(
      `select * from hookwright.emit_lone_event(${stack.tenantId}, 'coupon.applied', ${BODY}, 0, 'pool', 10, 10)`,
    );
    expect(lone).toMatchObject({ delivery_count: 1, claimed: null });
    expect((await shop.pool.query(emitSql())).rows).toMatchObject([{ delivery_count: 1 }]);
    await shop.pool.query(scheduleSql());
    await emitScheduled(stack.services.db.pool);
    expect(await scheduled()).toEqual(['EMITTED']);
    expect(await jobsIn(stack, `${OF_DELIVERIES} and locked_at is null`)).toHaveLength(3);
  });

  test('are refused while it is CLOSED, alone and among those of others', async () => {
    await mark('CLOSED');
    const results = await stack.services.emitter.emit([couponEmit(stack.tenantId), couponEmit(999)]);
    expect(results).toEqual([{ refused: 'TENANT_MOVING' }, { refused: 'TENANT_UNKNOWN' }]);
    expect(await stack.services.emitter.emit([couponEmit(stack.tenantId, { keepHours: 1 })])).toMatchObject([
      { refused: 'TENANT_MOVING' },
    ]);
    expect(await stack.rows(`select from hookwright.events where ${ofTenant()} and body like '%SUMMER%'`)).toEqual([]);
  });

  test('are refused to applications with an SQLSTATE of their own, which ends their transaction', async () => {
    const { rows } = await shop.pool.query(scheduleSql(`now() + interval '1 hour'`));
    await mark('CLOSED');
    const closed = { code: 'HW020', detail: 'TENANT_MOVING', hint: 'Try again in a second.' };
    const unschedule = `select hookwright.unschedule(${stack.tenantId}, ${rows[0].id})`;
    for (const text of [emitSql(), scheduleSql(), unschedule]) {
      expect(await refusalOf(shop.pool.query(text))).toMatchObject(closed);
    }
    await mark('GONE');
    for (const text of [emitSql(), scheduleSql(), unschedule]) {
      expect(await refusalOf(shop.pool.query(text))).toMatchObject({ code: 'HW021', detail: 'TENANT_ELSEWHERE' });
    }
    expect(await scheduled()).toEqual(['SCHEDULED']);
  });

  test('that are due are left while it is CLOSED, and those of others are emitted', async () => {
    await shop.pool.query(scheduleSql());
    const other = await stack.rows<{ id: number }>(`
      insert into hookwright.tenants (name, data_key, data_key_kid) values ('beside', '', 'x') returning id`);
    await stack.rows(`
      insert into hookwright.scheduled_events (tenant_id, event_type, body, deliver_at, due_at)
      values (${other[0]!.id}, 'coupon.applied', ${BODY}, now(), now())`);
    await mark('CLOSED');
    await emitScheduled(stack.services.db.pool);
    expect(await scheduled()).toEqual(['SCHEDULED', 'EMITTED']);
    await mark(null);
    await emitScheduled(stack.services.db.pool);
    expect(await scheduled()).toEqual(['EMITTED', 'EMITTED']);
    await stack.rows(`delete from hookwright.tenants where id = ${other[0]!.id}`);
  });
});

describe('changes of a tenant', () => {
  const rename = (name: string) => updateTenant(stack.services.db, stack.tenantId, { name }, commandLine);

  test('are made while it is DRAINING, and are refused while it is CLOSED', async () => {
    await mark('DRAINING');
    await rename('another name');
    await mark('CLOSED');
    await expect(rename('a third name')).rejects.toMatchObject({ reason: 'tenant_moving', status: 503 });
    await expect(webhook()).rejects.toMatchObject({ reason: 'tenant_moving' });
  });

  test('are waited for by a mark, and are refused meanwhile', async () => {
    const change = await openTransaction(
      stack.databaseUrl,
      `select hookwright.begin_change(set_config('app.tenant', '${stack.tenantId}', true)::bigint)`,
    );
    const marking = mark('CLOSED');
    await eventually(async () => (await stack.rows(lockWaits)).length === 1);
    await expect(rename('too late')).rejects.toMatchObject({ reason: 'tenant_moving' });
    expect(await moving()).toBeNull();
    await change.letGo();
    await change[Symbol.asyncDispose]();
    await marking;
    expect(await moving()).toBe('CLOSED');
  });
});

describe('a mover that has died', () => {
  test.each(['DRAINING', 'CLOSED'] as const)('keeps no tenant %s: it is open again after a minute', async (state) => {
    await mark(state);
    await writeMove(stack.databaseUrl, stack.tenantId, state, 55);
    expect(await reopenAbandoned(stack.services.db.pool)).toBe(0);
    expect(await moving()).toBe(state);
    await stack.rows(`update hookwright.tenant_moves set changed_at = changed_at - interval '6 seconds'`);
    expect(await reopenAbandoned(stack.services.db.pool)).toBe(1);
    expect(await moving()).toBeNull();
    expect(await stack.rows('select state from hookwright.tenant_moves')).toEqual([{ state: 'COPYING' }]);
  });

  test('leaves a tenant that may be open in the other cell', async () => {
    await mark('CLOSED');
    await writeMove(stack.databaseUrl, stack.tenantId, 'COMMITTING', 3_600);
    expect(await reopenAbandoned(stack.services.db.pool)).toBe(0);
    expect(await moving()).toBe('CLOSED');
  });

  test('is in the doctor, with what to do where the tenant may be open there', async () => {
    expect(await judgeMoves(stack.services.db.pool)).toEqual([]);
    await writeMove(stack.databaseUrl, stack.tenantId, 'CLOSED', 12);
    const says = `Tenant ${stack.tenantId} moves to cell 1: CLOSED for 12 s.`;
    expect(await judgeMoves(stack.services.db.pool)).toEqual([{ name: 'move', status: 'ok', text: says }]);
    await stack.rows(`update hookwright.tenant_moves set state = 'COMMITTING', changed_at = now()`);
    expect(await judgeMoves(stack.services.db.pool)).toEqual([
      {
        name: 'move',
        status: 'fail',
        text: expect.stringMatching(
          `^Tenant ${stack.tenantId} moves to cell 1: COMMITTING for 0 s\\. .* tenant move ${stack.tenantId} --to-url-file <file> --resume$`,
        ),
      },
    ]);
  });
});

describe('what a tenant leaves behind', () => {
  test('ends in parts, tells nobody, and can be ended again', async () => {
    const [active, held, ordered] = [await webhook(), await webhook(), await webhook()];
    await stack.change(held.id, { active: false });
    await stack.change(ordered.id, { by: 'KEY' });
    await emitMany(stack.services, stack.tenantId, 5);
    const keyed = couponEmit(stack.tenantId, { orderingKey: 'k' });
    await stack.services.emitter.emit([keyed, keyed, keyed]);
    await shop.pool.query(scheduleSql(`now() + interval '1 hour'`));
    const events = await stack.rows('select from hookwright.events');
    const done = await moveAway(stack.databaseUrl, stack.tenantId, 7);
    expect(done.length).toBeGreaterThan(4);
    expect(Math.max(...done)).toBeLessThanOrEqual(8);
    const left = await stack.rows(`
      select status, cancel_reason, count(*)::integer from hookwright.deliveries
      where webhook_id in (${active.id}, ${held.id}, ${ordered.id}) group by 1, 2`);
    expect(left).toEqual([{ status: 'CANCELED', cancel_reason: 'MOVED', count: 24 }]);
    expect(await scheduled()).toEqual(['CANCELED']);
    expect(await jobsIn(stack, `key like 'd:%'`)).toEqual([]);
    expect(
      await stack.rows('select key from hookwright.ordering_queue union all select key from hookwright.ordering_keys'),
    ).toEqual([]);
    expect(await stack.rows('select from hookwright.events')).toHaveLength(events.length);
    expect(await stack.rows('select from hookwright.raised_events where pending > 0')).toEqual([]);
    const keys = await stack.rows<{ id: number }>(`select id from hookwright.api_keys where ${ofTenant()} order by id`);
    expect(await stack.rows('select key_id, cell from hookwright.moved_keys order by key_id')).toEqual(
      keys.map(({ id }) => ({ key_id: id, cell: 1 })),
    );
    expect(await moving()).toBe('GONE');
    await onServer(stack.databaseUrl, async (client) => {
      expect((await client.query('select hookwright.leave_tenant($1) as done', [stack.tenantId])).rows).toEqual([
        { done: 0 },
      ]);
    });
  });

  test('stays while no move has committed', async () => {
    await writeMove(stack.databaseUrl, stack.tenantId, 'CLOSED');
    const leave = stack.services.db.pool.query('select hookwright.leave_tenant($1)', [stack.tenantId]);
    await expect(leave).rejects.toThrow('Tenant 1 has not moved.');
    expect(await moving()).toBeNull();
  });
});
