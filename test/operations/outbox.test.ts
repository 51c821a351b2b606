import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOutbox } from '../../packages/client/src/index.js';
import {
  grantOutbox,
  keepOutboxLimits,
  listOutbox,
  OUTBOX_ROLE,
  prepareOutboxRole,
  revokeOutbox,
} from '../../src/operations/emits/outbox.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { couponEmit, makeTenant } from '../support/factories.js';
import { OutboxApplication, refusalOf } from '../support/outbox-application.js';
import { type Receiver, startReceiver } from '../support/receiver.js';

let stack: DeliveryStack;
let receiver: Receiver;
let shop: OutboxApplication;
let secret: string;
beforeAll(async () => {
  receiver = await startReceiver();
  stack = await DeliveryStack.open();
  ({ secret } = await stack.webhook(receiver.url));
  shop = await OutboxApplication.open(stack);
  stack.startDaemon();
});
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]();
  await stack?.[Symbol.asyncDispose]();
  await receiver?.close();
});

const coupon = (code: string) => `{ "discount_type":"fixed" ,"code":"${code}"}`;
const emitText = `select * from hookwright.emit(tenant_id => $1, event_type => 'coupon.applied', body => $2)`;
const emitOnce = `select * from hookwright.emit(tenant_id => $1, event_type => 'coupon.applied', body => $2,
                                                idempotency_key => $3)`;
const counts = async () => ({
  ...(
    await stack.rows<Record<string, number>>(
      `select (select count(*)::int from hookwright.events) as events,
              (select count(*)::int from hookwright.deliveries) as deliveries,
              (select count(*)::int from hookwright.idempotency_keys) as keys`,
    )
  )[0]!,
  ...(await shop.pool.query(`select count(*)::int as orders from ${shop.role}.orders`)).rows[0],
});
const arrived = (body: string) => receiver.received.some((request) => request.body.toString() === body);

describe('an application emits in its own transaction', () => {
  test('the commit delivers exactly its text, with what the application wrote beside it', async () => {
    const before = await counts();
    const body = coupon('committed \\u0000\\ud800');
    const answer = await shop.transaction(async (client) => {
      await client.query(`insert into ${shop.role}.orders values ('A')`);
      return (await client.query(emitText, [stack.tenantId, body])).rows[0];
    });
    expect(answer).toMatchObject({ delivery_count: 1, duplicate: false });
    await eventually(() => arrived(body));
    const { status } = await eventually(async () => {
      const delivery = await stack.delivery(answer.event_id);
      return delivery.status === 'SUCCEEDED' && delivery;
    });
    expect(status).toBe('SUCCEEDED');
    expect(await counts()).toMatchObject({ events: before['events']! + 1, orders: before['orders']! + 1 });
  });

  test('a rollback leaves nothing: no event, no delivery, no key, no job, no order', async () => {
    const before = await counts();
    const failed = shop.transaction(async (client) => {
      await client.query(`insert into ${shop.role}.orders values ('B')`);
      const { rows } = await client.query(emitOnce, [stack.tenantId, coupon('rolled back'), 'rolled-back']);
      expect(rows[0].delivery_count).toBe(1);
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(await counts()).toEqual(before);
    // What is emitted after it has arrived: so would it have.
    const body = coupon('after the rollback');
    await shop.pool.query(emitText, [stack.tenantId, body]);
    await eventually(() => arrived(body));
    expect(arrived(coupon('rolled back'))).toBe(false);
  });

  test('a savepoint takes back what was emitted since, and a refusal behind one leaves the rest alone', async () => {
    const [kept, dropped] = [coupon('kept'), coupon('dropped')];
    await shop.transaction(async (client) => {
      await client.query(emitText, [stack.tenantId, kept]);
      await client.query('savepoint s');
      await client.query(emitText, [stack.tenantId, dropped]);
      await expect(client.query(emitText, [stack.tenantId, '{}'])).rejects.toThrow('is required');
      await client.query('rollback to savepoint s');
    });
    await eventually(() => arrived(kept));
    const found = await stack.rows(`select from hookwright.events where body = '${dropped}'`);
    expect(found).toHaveLength(0);
  });

  test('a refused event takes the whole transaction with it', async () => {
    const before = await counts();
    const failed = shop.transaction(async (client) => {
      await client.query(`insert into ${shop.role}.orders values ('C')`);
      await client.query(emitText, [stack.tenantId, '{"code":"x"}']);
    });
    await expect(failed).rejects.toMatchObject({ code: 'HW007' });
    expect(await counts()).toEqual(before);
  });

  test('nothing is sent before the commit', async () => {
    const body = coupon('late');
    await shop.transaction(async (client) => {
      const { rows } = await client.query(emitText, [stack.tenantId, body]);
      const other = coupon('meanwhile');
      await shop.pool.query(emitText, [stack.tenantId, other]);
      await eventually(() => arrived(other));
      expect(arrived(body)).toBe(false);
      expect(await stack.rows(`select from hookwright.events where id = ${rows[0].event_id}`)).toEqual([]);
    });
    await eventually(() => arrived(body));
  });

  test('names its tenant by the external id, also with our client, and learns nothing of others', async () => {
    const other = await makeTenant(stack.services);
    const name = (id: number, externalId: string) =>
      stack.rows(`update hookwright.tenants set external_id = '${externalId}' where id = ${id}`);
    await name(stack.tenantId, 'acme 42');
    await name(other.id, 'other');
    const numberOf = async (externalId: string | null) =>
      (await shop.pool.query('select hookwright.tenant_id($1)::text as id', [externalId])).rows[0].id;
    expect(await numberOf('acme 42')).toBe(String(stack.tenantId));
    const named = `select * from hookwright.emit(hookwright.tenant_id($1), 'coupon.applied', $2)`;
    const body = coupon('named');
    expect((await shop.pool.query(named, ['acme 42', body])).rows[0]).toMatchObject({ delivery_count: 1 });
    await eventually(() => arrived(body));
    const refusals = await Promise.all(['other', 'nobody', 'ACME 42', '', null].map((id) => refusalOf(numberOf(id))));
    expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1);
    expect(refusals[0]).toMatchObject({ code: 'HW001', detail: 'TENANT_NOT_GRANTED' });

    const outbox = createOutbox<{ 'coupon.applied': object }>({ tenant: 'ext:acme 42' });
    const emitted = await shop.transaction((client) =>
      outbox.pg(client).emit('coupon.applied', { code: 'ours', discount_type: 'percent' }, { orderingKey: 'a' }),
    );
    expect(emitted).toMatchObject({ deliveryCount: 1, duplicate: false });
    const refused = shop.transaction((client) =>
      outbox.pg(client).emit('coupon.applied', { code: 'no', discount_type: 'percent' }, { tenant: 'ext:other' }),
    );
    await expect(refused).rejects.toMatchObject({ code: 'tenant_not_granted' });
    expect(await stack.rows<{ id: string }>(`select hookwright.tenant_id('other')::text as id`)).toEqual([
      { id: String(other.id) },
    ]);
  });

  test('what one transaction emits by many calls is due one after the other', async () => {
    const events = await shop.transaction(async (client) => {
      const emitted: number[] = [];
      for (const code of ['first', 'second', 'third']) {
        emitted.push((await client.query(emitText, [stack.tenantId, coupon(code)])).rows[0].event_id);
      }
      return emitted;
    });
    const rows = await stack.rows<{ due_at: string }>(
      `select due_at::text from hookwright.deliveries where event_id in (${events}) order by id`,
    );
    const times = rows.map(({ due_at }) => due_at);
    expect(new Set(times).size).toBe(3);
    expect(times).toEqual([...times].sort());
  });

  test('many at once: each item is answered, and those that are refused leave the others alone', async () => {
    const bodies = [coupon('many 1'), '{}', coupon('many 3')];
    const { rows } = await shop.pool.query(
      `select * from hookwright.emit_events(
         tenant_ids => array_fill($1::bigint, array[3]), event_types => array_fill('coupon.applied'::text, array[3]),
         bodies => $2::text[]) order by item`,
      [stack.tenantId, bodies],
    );
    expect(rows).toMatchObject([
      { item: 0, delivery_count: 1, error_code: null, error_detail: null },
      { item: 1, event_id: null, error_code: 'PAYLOAD_BREAKS_SCHEMA' },
      { item: 2, delivery_count: 1, error_code: null },
    ]);
    expect(rows[1].error_detail).toBe('The body breaks the schema of the event type: "code" is required.');
    await eventually(() => arrived(bodies[0]!) && arrived(bodies[2]!));
  });
});

describe('a body with slashes and letters in escapes, as PHP and Python write it', () => {
  const php = '{"code":"https:\\/\\/a.example.com\\/caf\\u00e9","discount_type":"\\ud83d\\ude00 \\\\/ \\u0000\\n"}';
  const sent = '{"code":"https://a.example.com/café","discount_type":"😀 \\\\/ \\u0000\\n"}';

  test('is signed and sent with these characters themselves', async () => {
    const { rows } = await shop.pool.query(emitText, [stack.tenantId, php]);
    const request = await eventually(() => receiver.received.find(({ body }) => body.toString().includes('café')));
    expect(request.body.toString()).toBe(sent);
    expect(request.headers['x-service-signature']).toBe(
      `sha256=${createHmac('sha256', secret).update(sent).digest('hex')}`,
    );
    const stored = await stack.rows(`select body from hookwright.events where id = ${rows[0].event_id}`);
    expect(stored).toEqual([{ body: sent }]);
  });

  test('is the same as one without them to an idempotency key, also of the API', async () => {
    const emitAs = (body: string) => shop.pool.query(emitOnce, [stack.tenantId, body, 'escaped']);
    const { rows } = await emitAs(php);
    for (const body of [php, sent, php.replace('\\u00e9', '\\u00E9')]) {
      expect((await emitAs(body)).rows[0]).toEqual({ ...rows[0], duplicate: true });
    }
    const other = php.replace('\\u00e9', '\\u00e8');
    expect(await refusalOf(emitAs(other))).toMatchObject({ code: 'HW009' });
    const body = JSON.stringify(JSON.parse(php));
    const [result] = await stack.services.emitter.emit([
      couponEmit(stack.tenantId, { body, idempotencyKey: 'escaped' }),
    ]);
    expect(result).toMatchObject({ refused: null, eventId: Number(rows[0].event_id), duplicate: true });
  });

  test('leaves the others of its call as they are, in their order', async () => {
    const [plain, kept] = [coupon('plain'), coupon('\\\\/')];
    const { rows } = await shop.pool.query(
      `select * from hookwright.emit_events(
         tenant_ids => array_fill($1::bigint, array[6]), event_types => array_fill('coupon.applied'::text, array[6]),
         bodies => $2::text[]) order by item`,
      [stack.tenantId, [plain, php, '{}', null, kept, coupon('\\/')]],
    );
    expect(rows.map(({ error_code }) => error_code)).toEqual([
      null,
      null,
      'PAYLOAD_BREAKS_SCHEMA',
      'ARGUMENT_MISSING',
      null,
      null,
    ]);
    const ids = rows.map(({ event_id }) => event_id).filter((id) => id !== null);
    const stored = await stack.rows(`select body from hookwright.events where id in (${ids}) order by id`);
    expect(stored).toEqual([plain, sent, kept, coupon('/')].map((body) => ({ body })));
  });
});

describe('an idempotency key in transactions of an application', () => {
  test('used by two at once makes one event: the second waits for the first, and names the same event', async () => {
    const values = [stack.tenantId, coupon('twice'), 'twice'];
    const first = await shop.pool.connect();
    await first.query('begin');
    const { rows } = await first.query(emitOnce, values);
    const second = shop.transaction((client) => client.query(emitOnce, values));
    await eventually(
      async () =>
        (
          await shop.pool.query(
            `select from pg_stat_activity where usename = session_user and wait_event_type = 'Lock'`,
          )
        ).rowCount === 1,
    );
    await first.query('commit');
    first.release();
    expect((await second).rows[0]).toEqual({ ...rows[0], duplicate: true });
    expect(await stack.deliveries(`event_id = ${rows[0].event_id}`)).toHaveLength(1);
  });

  test('is shared with the API, whose body must be the same text', async () => {
    const body = JSON.stringify({ code: 'shared', discount_type: 'fixed' });
    const { rows } = await shop.pool.query(emitOnce, [stack.tenantId, body, 'shared']);
    const emit = couponEmit(stack.tenantId, { body, idempotencyKey: 'shared' });
    const results = await stack.services.emitter.emit([emit, { ...emit, body: ` ${body}` }]);
    expect(results).toEqual([
      { refused: null, eventId: Number(rows[0].event_id), deliveryCount: 1, duplicate: true },
      { refused: 'IDEMPOTENCY_KEY_REUSED' },
    ]);
  });

  test.each(['repeatable read', 'serializable'])(
    'under %s is refused as Postgres does there: 40001, and the repetition finds the event',
    async (level) => {
      const values = [stack.tenantId, coupon(level), level];
      const begin = `begin isolation level ${level}`;
      const client = await shop.pool.connect();
      await client.query(begin);
      await client.query('select 1 from pg_class limit 1'); // from here on it sees what was there now
      const { rows } = await shop.pool.query(emitOnce, values);
      await expect(client.query(emitOnce, values)).rejects.toMatchObject({ code: '40001' });
      await client.query('rollback');
      client.release();
      const again = await shop.transaction((one) => one.query(emitOnce, values), begin);
      expect(again.rows[0]).toEqual({ ...rows[0], duplicate: true });
    },
  );

  test('serializable transactions that only emit do not disturb each other', async () => {
    const emits = Array.from({ length: 20 }, (_, n) =>
      shop.transaction(
        (client) => client.query(emitText, [stack.tenantId, coupon(`serial ${n}`)]),
        'begin isolation level serializable',
      ),
    );
    const failed = (await Promise.allSettled(emits)).filter(({ status }) => status === 'rejected');
    expect(failed).toEqual([]);
  });
});

describe('who may use the door', () => {
  test('is granted and taken away by tenant, and is in the audit log', async () => {
    const { db } = stack.services;
    const grant = { role: shop.role, tenantId: stack.tenantId };
    expect(await grantOutbox(db, grant, commandLine)).toBe(false);
    expect(await listOutbox(db)).toMatchObject([{ ...grant, roleExists: true }]);
    await revokeOutbox(db, grant, commandLine);
    const refused = shop.pool.query(emitText, [stack.tenantId, coupon('revoked')]);
    expect(await refusalOf(refused)).toMatchObject({ code: 'HW001', detail: 'TENANT_NOT_GRANTED' });
    await expect(revokeOutbox(db, grant, commandLine)).rejects.toThrow('anyway');
    expect(await grantOutbox(db, grant, commandLine)).toBe(true);
    const log = await stack.rows(
      `select action, tenant_id, target_type, before, after from hookwright.audit_log
       where action like 'OUTBOX%' order by id`,
    );
    const line = { tenant_id: stack.tenantId, target_type: 'TENANT' };
    const who = JSON.stringify({ role: shop.role });
    expect(log).toEqual([
      { action: 'OUTBOX_GRANTED', ...line, before: null, after: who },
      { action: 'OUTBOX_REVOKED', ...line, before: who, after: null },
      { action: 'OUTBOX_GRANTED', ...line, before: null, after: who },
    ]);
  });

  test('is never a role that is not there, that may do everything anyway, or the outbox’s own', async () => {
    const { db } = stack.services;
    const grant = (role: string, tenantId = stack.tenantId) => grantOutbox(db, { role, tenantId }, commandLine);
    await expect(grant('no"such; drop role x')).rejects.toThrow('There is no database role "no""such; drop role x"');
    const [owner] = await stack.rows<{ role: string }>('select current_user as role');
    await expect(grant(owner!.role)).rejects.toThrow('a role of its own');
    await expect(grant(OUTBOX_ROLE)).rejects.toThrow('a role of its own');
    await expect(grant(shop.role, 999_999)).rejects.toThrow('There is no tenant 999999');
  });

  test('a login that may not make roles migrates all the same, without the outbox’s role', async () => {
    const client = await shop.pool.connect();
    try {
      expect(await prepareOutboxRole(client, 'hookwright_outbox_of_nobody')).toBe(false);
    } finally {
      client.release();
    }
  });
});

const limits = { previous: 'on', retentionDays: 30 } as const;

describe('the longest body', () => {
  const body = (bytes: number) => {
    const text = (filling: string) => `{"code":"${filling}","discount_type":"é"}`;
    return text('x'.repeat(bytes - Buffer.byteLength(text(''))));
  };

  test('is the one that the daemon has set, in bytes', async () => {
    await keepOutboxLimits(stack.services.db, { ...limits, payloadBytesMax: 2_000 });
    const { rows } = await shop.pool.query(emitText, [stack.tenantId, body(2_000)]);
    expect(rows).toHaveLength(1);
    expect(await refusalOf(shop.pool.query(emitText, [stack.tenantId, body(2_001)]))).toMatchObject({
      code: 'HW006',
      message: 'The body has 2001 bytes; at most 2000 are allowed.',
    });
    await keepOutboxLimits(stack.services.db, { ...limits, payloadBytesMax: 262_144 });
    expect((await shop.pool.query(emitText, [stack.tenantId, body(262_144)])).rows).toHaveLength(1);
    expect((await refusalOf(shop.pool.query(emitText, [stack.tenantId, body(262_145)]))).code).toBe('HW006');
  });

  test('is measured as it is sent, without the escapes that it does not need', async () => {
    const empty = '{"code":"","discount_type":""}'.length;
    const written = (letters: number) =>
      `{"code":"${'\\u0041'.repeat(letters)}","discount_type":"${'\\/'.repeat(1_000)}"}`;
    await keepOutboxLimits(stack.services.db, { ...limits, payloadBytesMax: 4_000 });
    const emit = (body: string) => shop.pool.query(emitText, [stack.tenantId, body]);
    try {
      expect((await emit(written(3_000 - empty))).rows).toHaveLength(1);
      const message = 'The body has 4001 bytes; at most 4000 are allowed.';
      expect(await refusalOf(emit(written(3_001 - empty)))).toMatchObject({ code: 'HW006', message });
      const needed = `{"code":"${'\\u0000'.repeat(700)}","discount_type":"x"}`;
      expect(await refusalOf(emit(needed))).toMatchObject({ code: 'HW006' });
      // Longer than any escapes could make it: not even read.
      expect(await refusalOf(emit(`\\${' '.repeat(24_000)}`))).toMatchObject({ code: 'HW006' });
      expect(await refusalOf(emit(`\\${' '.repeat(23_999)}`))).toMatchObject({ code: 'HW005' });
    } finally {
      await keepOutboxLimits(stack.services.db, { ...limits, payloadBytesMax: 262_144 });
    }
  });
});
