import { afterAll, describe, expect, test } from 'vitest';
import type { Emit, EmitResult } from '../../src/domain/events/emit.js';
import { LANES } from '../../src/domain/pacing/lanes.js';
import { Emitter } from '../../src/operations/emits/emit-events.js';
import { SQL_STATE } from '../../src/platform/database/driver/sql-state.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { couponEmit } from '../support/factories.js';
import { countJobs, jobsIn, ofDelivery } from '../support/jobs.js';
import { openTransaction } from '../support/locks.js';

const stack = await DeliveryStack.open();
await stack.webhook('http://127.0.0.1:9/');
afterAll(() => stack[Symbol.asyncDispose]());

const item = (changes: Partial<Emit> = {}): Emit => couponEmit(stack.tenantId, changes);
/** A call of `emit_events` as the owner of the tables. */
const emitSql = (tenantId: number, key: string | null = null) =>
  `select * from hookwright.emit_events(array[${tenantId}], array['coupon.applied'], array['{}'],
     array[${key === null ? 'null' : `'${key}'`}]::text[], schema_checked => true)`;
const eventOf = (result: EmitResult | undefined) => (result?.refused === null ? result.eventId : undefined);
const count = async (sql: string) => (await stack.rows<{ count: number }>(`select count(*)::int ${sql}`))[0]?.count;

test('the very first emit of an installation, in a transaction that stays open, keeps nobody waiting', async () => {
  await using fresh = await DeliveryStack.open();
  await fresh.webhook('http://127.0.0.1:9/');
  await using _application = await openTransaction(fresh.databaseUrl, emitSql(fresh.tenantId));
  const [result] = await fresh.services.emitter.emit([item({ tenantId: fresh.tenantId })]);
  expect(result).toMatchObject({ refused: null, deliveryCount: 1 });
});

test.each(['no', 'a'])('an emit that is too slow fails alone, with %s daemon in the process', async (daemon) => {
  await using own = await DeliveryStack.open();
  await own.webhook('http://127.0.0.1:9/');
  if (daemon === 'a') {
    const { claims } = own.startDaemon();
    await eventually(() => claims.claim([]) !== null);
    own.services.emitter.claimFor(claims);
  }
  // As Postgres does at its `statement_timeout`.
  await own.rows(`create function hookwright.slow() returns trigger language plpgsql as
    $$ begin raise 'canceling statement' using errcode = '57014'; end $$`);
  await own.rows(`create trigger slow before insert on hookwright.events
    for each row when (new.body ~ 'slow') execute function hookwright.slow()`);
  const results = await Promise.allSettled(
    ['a', 'slow', 'b', 'c'].map((code) =>
      own.services.emitter.emit([item({ tenantId: own.tenantId, body: JSON.stringify({ code }) })]),
    ),
  );
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(results[1]).toMatchObject({ reason: { code: '57014' } });
  expect(await own.rows('select from hookwright.events')).toHaveLength(3);
});

describe('emit_events', () => {
  test('writes an event, its deliveries and their jobs together', async () => {
    const [result] = await stack.services.emitter.emit([item()]);
    const eventId = eventOf(result)!;
    expect(result).toMatchObject({ deliveryCount: 1, duplicate: false });
    const { id, status } = await stack.delivery(eventId);
    expect(status).toBe('PENDING');
    expect(await countJobs(stack, ofDelivery(id))).toBe(1);
  });

  test('what was emitted before, or is refused with others, makes no tenant crowd out the rest', async () => {
    const emitter = new Emitter(stack.services.db.pool, () => 0);
    const again = Array.from({ length: 200 }, () => item({ idempotencyKey: 'again and again' }));
    for (let round = 0; round < 5; round++) {
      await emitter.emit(again);
      await emitter.emitAllOrNothing([...Array.from({ length: 150 }, () => item()), item({ tenantId: 0 })]);
    }
    const [result] = await emitter.emit([item()]);
    const { id } = await stack.delivery(eventOf(result)!);
    const [job] = await jobsIn(stack, ofDelivery(id));
    expect(job!.priority).toBe(LANES.FIRST.priority);
  });

  test('an item that is refused fails alone', async () => {
    const results = await stack.services.emitter.emit([
      item(),
      item({ eventType: 'no.such.type' }),
      item({ eventType: 'webhook.test' }),
      item({ tenantId: 999_999 }),
      item({ onlyWebhookId: 999_999 }),
      item(),
    ]);
    expect(results.map(({ refused }) => refused)).toEqual([
      null,
      'EVENT_TYPE_UNKNOWN',
      'EVENT_TYPE_RESERVED',
      'TENANT_UNKNOWN',
      'WEBHOOK_NOT_ACTIVE',
      null,
    ]);
  });

  test('all or nothing: one refusal, and nothing is written', async () => {
    const before = await count('from hookwright.events');
    const results = await stack.services.emitter.emitAllOrNothing([item(), item({ eventType: 'no.such.type' })]);
    expect(results[1]).toEqual({ refused: 'EVENT_TYPE_UNKNOWN' });
    expect(await count('from hookwright.events')).toBe(before);
  });

  test('keeps the order of a large batch in its answers and in its ids', async () => {
    const bodies = Array.from({ length: 500 }, (_, n) => `{"code":"${n}","discount_type":""}`);
    const results = await stack.services.emitter.emit(bodies.map((body) => item({ body })));
    const ids = results.map((result) => eventOf(result)!);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    const events = await stack.rows<{ body: string }>(
      `select body from hookwright.events where id >= ${ids[0]} and id <= ${ids.at(-1)} order by id`,
    );
    expect(events.map(({ body }) => body)).toEqual(bodies);
  });

  test('makes a missing partition by itself instead of refusing the event', async () => {
    const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
    for (const table of ['events', 'deliveries']) {
      await stack.rows(`alter table hookwright.${table} detach partition hookwright.${table}_${day}`);
      await stack.rows(`drop table hookwright.${table}_${day}`);
    }
    const [result] = await stack.services.emitter.emit([item()]);
    expect(result).toMatchObject({ refused: null, deliveryCount: 1 });
  });
});

describe('an idempotency key', () => {
  test('answers with the same event, marked as a duplicate', async () => {
    const [first] = await stack.services.emitter.emit([item({ idempotencyKey: 'k1' })]);
    const [second] = await stack.services.emitter.emit([item({ idempotencyKey: 'k1' })]);
    expect(second).toEqual({ ...first, duplicate: true });
  });

  test('twice in one batch makes one event, and both answers name it', async () => {
    const [first, second] = await stack.services.emitter.emit([
      item({ idempotencyKey: 'k2' }),
      item({ idempotencyKey: 'k2' }),
    ]);
    expect(first).toMatchObject({ refused: null, duplicate: false, deliveryCount: 1 });
    expect(second).toEqual({ ...first, duplicate: true });
  });

  test('is refused with another body or type, and that refusal writes nothing', async () => {
    await stack.services.emitter.emit([item({ idempotencyKey: 'k3' })]);
    const before = await count('from hookwright.events');
    const results = await stack.services.emitter.emit([
      item({ idempotencyKey: 'k3', body: '{}' }),
      item({ idempotencyKey: 'k3', eventType: 'booking.created' }),
    ]);
    expect(results.map(({ refused }) => refused)).toEqual(['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_REUSED']);
    expect(await count('from hookwright.events')).toBe(before);
  });

  test('given by 50 callers at once makes one event', async () => {
    const { emitter } = stack.services;
    const results = await Promise.all(
      Array.from({ length: 50 }, () => emitter.emit([item({ idempotencyKey: 'k4' })]).then(([result]) => result)),
    );
    expect(new Set(results.map(eventOf)).size).toBe(1);
    expect(results.filter((result) => result?.refused === null && !result.duplicate)).toHaveLength(1);
  });

  describe('that another open transaction holds', () => {
    const hold = (key: string) => openTransaction(stack.databaseUrl, emitSql(stack.tenantId, key));
    const tooSlow = { code: SQL_STATE.QUERY_CANCELED };

    test('fails the call that gives it, and no call beside it or after it; then the repetition succeeds', async () => {
      const { emitter } = stack.services;
      await using other = await hold('held-1');
      const held = item({ idempotencyKey: 'held-1', body: '{}' });
      const calls = [[held], [item({ idempotencyKey: 'free-1' })], [item()], [item(), held]];
      const [alone, key, noKey, together] = await Promise.allSettled(calls.map((items) => emitter.emit(items)));
      expect([alone, together]).toMatchObject([{ reason: tooSlow }, { reason: tooSlow }]);
      expect([key, noKey]).toMatchObject([
        { value: [{ refused: null, duplicate: false }] },
        { value: [{ refused: null, duplicate: false }] },
      ]);
      expect(await emitter.emit([item()])).toMatchObject([{ refused: null }]);
      await other.commit();
      expect(await emitter.emit([item(), held])).toMatchObject([{ duplicate: false }, { duplicate: true }]);
    });

    test('keeps no other key from anybody, and is free when that rolls back', async () => {
      const { emitter } = stack.services;
      await using other = await hold('held-b');
      const both = [item({ idempotencyKey: 'held-a' }), item({ idempotencyKey: 'held-b' })];
      await expect(emitter.emitAllOrNothing(both)).rejects.toMatchObject(tooSlow);
      expect(await emitter.emit([both[0]!])).toMatchObject([{ refused: null, duplicate: false }]);
      await other.letGo();
      expect(await emitter.emitAllOrNothing(both)).toMatchObject([{ duplicate: true }, { duplicate: false }]);
    });

    test('is a duplicate at once where it was committed before, and the open transaction repeats it', async () => {
      const { emitter } = stack.services;
      const known = item({ idempotencyKey: 'held-3', body: '{}' });
      const [first] = await emitter.emit([known]);
      await using _other = await hold('held-3');
      const results = await Promise.all([emitter.emit([known]), emitter.emit([item(), known])]);
      expect(results).toEqual([
        [{ ...first, duplicate: true }],
        [expect.objectContaining({ duplicate: false }), { ...first, duplicate: true }],
      ]);
    });
  });

  test('of a refused item is not kept', async () => {
    await stack.services.emitter.emit([item({ idempotencyKey: 'k6', eventType: 'no.such.type' })]);
    const [result] = await stack.services.emitter.emit([item({ idempotencyKey: 'k6' })]);
    expect(result).toMatchObject({ refused: null, duplicate: false });
  });

  test('belongs to its tenant, and is forgotten after 7 days', async () => {
    await stack.services.emitter.emit([item({ idempotencyKey: 'k7' })]);
    await stack.rows(`update hookwright.idempotency_keys set created_at = now() - interval '7 days 1 second'
                      where key = 'k7'`);
    const [result] = await stack.services.emitter.emit([item({ idempotencyKey: 'k7', body: '{"code":"other"}' })]);
    expect(result).toMatchObject({ refused: null, duplicate: false });
  });
});
