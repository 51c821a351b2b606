import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { commandLine } from '../../src/operations/rows/audit.js';
import { emitScheduled } from '../../src/operations/scheduled/emit-scheduled.js';
import { deleteTenant } from '../../src/operations/tenants/delete-tenant.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { couponEmit, makeTenant } from '../support/factories.js';
import { openTransaction } from '../support/locks.js';
import { OutboxApplication, refusalOf } from '../support/outbox-application.js';

let stack: DeliveryStack;
let shop: OutboxApplication;
let webhookId: number;
beforeAll(async () => {
  stack = await DeliveryStack.open();
  ({ id: webhookId } = await stack.webhook('http://127.0.0.1:9/'));
  shop = await OutboxApplication.open(stack);
});
afterEach(() => stack.rows('truncate hookwright.scheduled_events, hookwright.idempotency_keys'));
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]();
  await stack?.[Symbol.asyncDispose]();
});

const coupon = (code: string) => JSON.stringify({ code, discount_type: 'fixed' });

interface Scheduled {
  id: number;
  status: string;
  event_id: number | null;
  error: string | null;
}

interface Wanted {
  code?: string;
  tenantId?: number;
  eventType?: string;
  at?: string;
  key?: string | null;
  orderingKey?: string | null;
}

/** In a transaction of the application. @param at an SQL expression */
async function schedule(wanted: Wanted = {}, on: Pick<OutboxApplication['pool'], 'query'> = shop.pool) {
  const usual = { code: 'A', tenantId: stack.tenantId, eventType: 'coupon.applied', at: 'now()' };
  const { code, tenantId, eventType, at, key = null, orderingKey = null } = { ...usual, ...wanted };
  const { rows } = await on.query(
    `select scheduled_event_id::integer as id, due_at as "dueAt", duplicate
     from hookwright.schedule(tenant_id => $1, event_type => $2, body => $3, deliver_at => ${at},
                              idempotency_key => $4, ordering_key => $5)`,
    [tenantId, eventType, coupon(code), key, orderingKey],
  );
  return rows[0] as { id: number; dueAt: Date; duplicate: boolean };
}

async function unschedule(
  id: number,
  tenantId = stack.tenantId,
  on: Pick<OutboxApplication['pool'], 'query'> = shop.pool,
) {
  const { rows } = await on.query('select hookwright.unschedule($1, $2) as status', [tenantId, id]);
  return rows[0].status as string | null;
}

/** A session of the application waits for a lock. */
const someoneWaits = () =>
  eventually(async () => {
    const text = `select from pg_stat_activity where usename = session_user and wait_event_type = 'Lock'`;
    return (await shop.pool.query(text)).rowCount === 1;
  });
const emitDue = () => emitScheduled(stack.services.db.pool);
const scheduled = () => stack.rows<Scheduled>('select * from hookwright.scheduled_events order by id');
const eventsWith = (code: string) =>
  stack.rows<{ id: number }>(`select id from hookwright.events where body = '${coupon(code)}' order by id`);

describe('exactly once', () => {
  test('two duties at the same time, after one that was killed, emit each event once', async () => {
    await stack.rows(
      `insert into hookwright.scheduled_events (tenant_id, event_type, body, deliver_at, due_at, idempotency_key)
       select ${stack.tenantId}, 'coupon.applied', '{"code":"once ' || n || '","discount_type":"x"}', now(), now(),
              case when n % 2 = 0 then 'once-' || n end
       from generate_series(1, 1200) n`,
    );
    const killed = await openTransaction(stack.databaseUrl);
    killed.session.on('error', () => {});
    const { rows } = await killed.session.query(
      'select looked, pg_backend_pid() as pid from hookwright.emit_scheduled(500)',
    );
    expect(rows[0].looked).toBe(500);
    // Nobody overtakes it while it may still commit.
    expect(await emitDue()).toEqual({ events: 0, refused: 0, problems: [] });
    await stack.rows(`select pg_terminate_backend(${rows[0].pid}, 5000)`);
    await Promise.all([emitDue(), emitDue(), emitDue()]);
    await emitDue();
    const marks = await stack.rows(
      `select status, count(*)::integer, count(distinct event_id)::integer as events from hookwright.scheduled_events
       group by 1`,
    );
    expect(marks).toEqual([{ status: 'EMITTED', count: 1200, events: 1200 }]);
    const [made] = await stack.rows(
      `select count(distinct e.body)::integer as bodies, count(distinct e.id)::integer as events,
              count(d.id)::integer as deliveries
       from hookwright.events e join hookwright.deliveries d on d.event_id = e.id where e.body like '%once %'`,
    );
    expect(made).toEqual({ bodies: 1200, events: 1200, deliveries: 1200 });
  });

  test('a repeated key answers with the first event, also after the emit; another content is refused', async () => {
    const first = await schedule({ key: 'k', at: `now() + interval '1 hour'` });
    expect(first.duplicate).toBe(false);
    const again = await schedule({ key: 'k', at: `now() + interval '2 hours'` });
    expect(again).toEqual({ ...first, duplicate: true });
    for (const other of [{ code: 'B' }, { orderingKey: 'o' }]) {
      expect(await refusalOf(schedule({ key: 'k', ...other }))).toMatchObject({
        code: 'HW009',
        detail: 'IDEMPOTENCY_KEY_REUSED',
      });
    }
    await stack.rows('update hookwright.scheduled_events set due_at = now()');
    await emitDue();
    expect(await schedule({ key: 'k' })).toMatchObject({ id: first.id, duplicate: true });
    expect(await refusalOf(schedule({ key: 'k', code: 'B' }))).toMatchObject({ code: 'HW009' });
    const [event] = await eventsWith('A');
    const [emitted] = await stack.services.emitter.emit([
      couponEmit(stack.tenantId, { body: coupon('A'), idempotencyKey: 'k' }),
    ]);
    expect(emitted).toMatchObject({ eventId: event!.id, duplicate: true });
  });

  test('a canceled event frees its key', async () => {
    const { id } = await schedule({ key: 'free', at: `now() + interval '1 hour'` });
    expect(await unschedule(id)).toBe('CANCELED');
    expect(await schedule({ key: 'free', code: 'B' })).toMatchObject({ duplicate: false });
  });

  test('two transactions with one key schedule one event: the second waits for the first', async () => {
    const client = await shop.pool.connect();
    await client.query('begin');
    const first = await schedule({ key: 'both' }, client);
    const second = schedule({ key: 'both' });
    await someoneWaits();
    await client.query('commit');
    client.release();
    expect(await second).toEqual({ ...first, duplicate: true });
  });

  test('an emit that has used the key meanwhile is the event, or the reason to cancel it', async () => {
    for (const code of ['same', 'other']) {
      await schedule({ key: code, code: 'same' });
      await stack.services.emitter.emit([couponEmit(stack.tenantId, { body: coupon(code), idempotencyKey: code })]);
    }
    expect(await emitDue()).toMatchObject({ events: 2, refused: 1 });
    const [event] = await eventsWith('same');
    expect(await scheduled()).toMatchObject([
      { status: 'EMITTED', event_id: event!.id, error: null },
      { status: 'CANCELED', event_id: null, error: 'IDEMPOTENCY_KEY_REUSED' },
    ]);
    expect(await eventsWith('same')).toHaveLength(1);
  });
});

describe('at its time', () => {
  test('an event goes to the webhooks, and by the filters, of that time, and its type may be deprecated', async () => {
    await schedule({ code: 'later' });
    const filtered = await stack.webhook('http://127.0.0.1:9/', ['coupon.applied']);
    await stack.rows(
      `insert into hookwright.webhook_options (webhook_id, tenant_id, filter, filter_path)
       values (${filtered.id}, ${stack.tenantId}, '{}', '$.code == "no"')`,
    );
    const { id: late } = await stack.webhook('http://127.0.0.1:9/', ['coupon.applied']);
    await stack.rows(`update hookwright.event_types set deprecated_at = now() where name = 'coupon.applied'`);
    try {
      await emitDue();
      expect(await refusalOf(schedule())).toMatchObject({ code: 'HW004' });
    } finally {
      await stack.rows(`update hookwright.event_types set deprecated_at = null`);
    }
    const [event] = await eventsWith('later');
    const deliveries = await stack.deliveries(`event_id = ${event!.id}`);
    expect(deliveries.map((delivery) => delivery.webhook_id).sort()).toEqual([webhookId, late]);
    await stack.rows(`update hookwright.webhooks set deleted_at = now() where id in (${filtered.id}, ${late})`);
  });

  test('events of one key are emitted in the order of their times, not of their ids', async () => {
    const { id } = await stack.webhook('http://127.0.0.1:9/', ['coupon.applied']);
    await stack.rows(
      `insert into hookwright.webhook_options (webhook_id, tenant_id, ordering_by) values (${id}, ${stack.tenantId}, 'KEY')`,
    );
    for (const [code, seconds] of [
      ['third', 1],
      ['first', 3],
      ['second', 2],
    ] as const) {
      const { id: one } = await schedule({ code, orderingKey: 'o', at: `now() + interval '1 hour'` });
      await stack.rows(
        `update hookwright.scheduled_events set deliver_at = now() - interval '${seconds} s', due_at = now() - interval '${seconds} s'
         where id = ${one}`,
      );
    }
    await emitDue();
    const queued = await stack.rows<{ body: string }>(
      `select e.body from hookwright.ordering_queue q join hookwright.deliveries d on d.id = q.delivery_id
       join hookwright.events e on e.id = d.event_id where q.webhook_id = ${id} order by q.position`,
    );
    expect(queued.map(({ body }) => JSON.parse(body).code)).toEqual(['first', 'second', 'third']);
    await stack.rows(`update hookwright.webhooks set deleted_at = now() where id = ${id}`);
  });

  test('an event whose ordering key an application has locked delays no others', async () => {
    const { id } = await stack.webhook('http://127.0.0.1:9/', ['coupon.applied']);
    await stack.rows(
      `insert into hookwright.webhook_options (webhook_id, tenant_id, ordering_by) values (${id}, ${stack.tenantId}, 'KEY')`,
    );
    await using application = await openTransaction(
      stack.databaseUrl,
      `select from hookwright.emit(${stack.tenantId}, 'coupon.applied', '${coupon('open')}', ordering_key => 'busy')`,
    );
    await schedule({ code: 'busy 1', orderingKey: 'busy' });
    await schedule({ code: 'busy 2', orderingKey: 'busy' });
    await schedule({ code: 'free' });
    expect(await emitDue()).toMatchObject({
      events: 1,
      problems: [expect.stringContaining('one of these ordering keys')],
    });
    expect((await scheduled()).map(({ status }) => status)).toEqual(['SCHEDULED', 'SCHEDULED', 'EMITTED']);
    await application.commit();
    await stack.rows('update hookwright.scheduled_events set due_at = now()');
    expect(await emitDue()).toMatchObject({ events: 2, problems: [] });
    await stack.rows(`update hookwright.webhooks set deleted_at = now() where id = ${id}`);
  });

  test('an event that is being canceled is left alone; one that is being emitted cannot be canceled', async () => {
    const { id } = await schedule();
    const client = await shop.pool.connect();
    await client.query('begin');
    expect(await unschedule(id, stack.tenantId, client)).toBe('CANCELED');
    expect(await emitDue()).toMatchObject({ events: 0 });
    await client.query('rollback');
    client.release();

    await using duty = await openTransaction(stack.databaseUrl, 'select from hookwright.emit_scheduled(500)');
    const canceled = unschedule(id);
    await someoneWaits();
    await duty.commit();
    expect(await canceled).toBe('EMITTED');
    expect(await unschedule(id)).toBe('EMITTED');
  });

  test('an event of a deleted tenant is canceled', async () => {
    const { id: tenantId } = await makeTenant(stack.services);
    const [{ name }] = (await stack.rows(`select name from hookwright.tenants where id = ${tenantId}`)) as [
      { name: string },
    ];
    await stack.rows(`select from hookwright.schedule(${tenantId}, 'coupon.applied', '${coupon('gone')}', now())`);
    await deleteTenant(stack.services.db, { tenantId, name }, commandLine);
    expect(await emitDue()).toMatchObject({ events: 1, refused: 1 });
    expect(await scheduled()).toMatchObject([{ status: 'CANCELED', error: 'TENANT_UNKNOWN' }]);
    expect(await eventsWith('gone')).toEqual([]);
  });

  test('while nothing is due, the duty reads one entry of an index', async () => {
    await stack.rows(
      `insert into hookwright.scheduled_events (tenant_id, event_type, body, deliver_at, due_at, status)
       select ${stack.tenantId}, 'coupon.applied', '{}', now() + n * interval '1 s', now() + n * interval '1 s',
              case when n % 3 = 0 then 'SCHEDULED' else 'EMITTED' end from generate_series(60, 3060) n`,
    );
    await stack.rows('analyze hookwright.scheduled_events');
    await using reader = await openTransaction(stack.databaseUrl, 'select from hookwright.emit_scheduled(500)');
    const { rows } = await reader.session.query(
      `select seq_scan::integer, idx_scan::integer, idx_tup_fetch::integer, pg_current_xact_id_if_assigned() as xid
       from pg_stat_xact_user_tables where relid = 'hookwright.scheduled_events'::regclass`,
    );
    // The planner may look at the end of the index too.
    expect(rows).toMatchObject([{ seq_scan: 0, idx_tup_fetch: 1, xid: null }]);
    expect(rows[0].idx_scan).toBeLessThanOrEqual(2);
  });

  test('the daemon emits it within moments', async () => {
    await using other = await DeliveryStack.open();
    const endpoint = await other.endpoint();
    other.startDaemon();
    await other.rows(
      `select from hookwright.schedule(${other.tenantId}, 'coupon.applied', '${coupon('now')}', now() + interval '0.1 s')`,
    );
    const { body } = await eventually(() => endpoint.received[0]);
    expect(body.toString()).toBe(coupon('now'));
  });
});

describe('in a transaction of an application', () => {
  test('a rollback leaves nothing, and takes a cancellation back', async () => {
    const { id } = await schedule({ at: `now() + interval '1 hour'` });
    const changed = shop.transaction(async (client) => {
      await schedule({ key: 'gone' }, client);
      expect(await unschedule(id, stack.tenantId, client)).toBe('CANCELED');
      throw new Error('changed my mind');
    });
    await expect(changed).rejects.toThrow('changed my mind');
    expect(await scheduled()).toMatchObject([{ id, status: 'SCHEDULED' }]);
  });

  test('nothing of another tenant can be scheduled or canceled, and the answer names nothing', async () => {
    const { id: tenantId } = await makeTenant(stack.services);
    const { rows } = await stack.services.db.pool.query(
      `select scheduled_event_id as id from hookwright.schedule(${tenantId}, 'coupon.applied', '${coupon('x')}', now())`,
    );
    const refused = [
      () => schedule({ tenantId }),
      () => unschedule(rows[0].id, tenantId),
      () => unschedule(1, 999_999),
    ];
    for (const ask of refused) {
      expect(await refusalOf(ask())).toMatchObject({ code: 'HW001', detail: 'TENANT_NOT_GRANTED' });
    }
    expect(await unschedule(rows[0].id)).toBeNull();
    expect(await scheduled()).toMatchObject([{ status: 'SCHEDULED' }]);
    for (const read of ['table hookwright.scheduled_events', 'select hookwright.emit_scheduled(1)']) {
      expect(await refusalOf(shop.pool.query(read))).toMatchObject({ code: '42501' });
    }
  });

  test.each([
    [
      'a time in 91 days',
      { at: `now() + interval '91 days'` },
      'HW014',
      'An event can be scheduled at most 90 days ahead.',
    ],
    ['the end of time', { at: `'infinity'` }, 'HW014', 'An event can be scheduled at most 90 days ahead.'],
    ['no time', { at: 'null' }, 'HW011', 'The time must not be null.'],
    ['an unknown type', { eventType: 'no.such' }, 'HW002', 'There is no such event type.'],
    ['a reserved type', { eventType: 'webhook.test' }, 'HW003', 'Only the service itself emits events of this type.'],
    ['another schema', { eventType: 'booking.created' }, 'HW007', 'The body breaks the schema of the event type:'],
    ['an idempotency key with letters beyond ASCII', { key: 'ü' }, 'HW010', 'An idempotency key has 1 to 255'],
    ['an empty ordering key', { orderingKey: '' }, 'HW013', 'An ordering key has 1 to 255 printable ASCII characters.'],
  ])('%s is refused', async (_, wanted, code, message) => {
    const refusal = await refusalOf(schedule(wanted));
    expect(refusal).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(refusal.hint).toBeTruthy();
    expect(await scheduled()).toEqual([]);
  });

  test('a time in 90 days is accepted, and one in the past is now', async () => {
    await schedule({ at: `now() + interval '90 days'` });
    const before = Date.now();
    const { dueAt } = await schedule({ at: `'-infinity'` });
    expect(Math.abs(dueAt.getTime() - before)).toBeLessThan(10_000);
  });

  test('a tenant has a limited number of open events, and other tenants do not count', async () => {
    const limit = (events: number) =>
      stack.rows(
        `create or replace function hookwright.scheduled_events_max() returns integer
         language sql immutable parallel safe return ${events}`,
      );
    await limit(2);
    try {
      const { id: tenantId } = await makeTenant(stack.services);
      await stack.rows(`select from hookwright.schedule(${tenantId}, 'coupon.applied', '${coupon('x')}', now())`);
      const at = `now() + interval '1 hour'`;
      const { id } = await schedule({ at });
      await schedule({ at, key: 'second' });
      expect(await refusalOf(schedule({ at }))).toMatchObject({ code: 'HW015', detail: 'SCHEDULED_LIMIT_REACHED' });
      expect(await schedule({ at, key: 'second' })).toMatchObject({ duplicate: true });
      await unschedule(id);
      await schedule({ at });
    } finally {
      await limit(100_000);
    }
  });
});
