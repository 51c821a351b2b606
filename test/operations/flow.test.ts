import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { makeTenant, makeWebhook } from '../support/factories.js';
import { jobsIn } from '../support/jobs.js';
import { lockWaits } from '../support/lock-waits.js';
import { draws, drawsTimeoutMs, fc } from '../support/properties.js';

let stack: DeliveryStack;
let client: pg.Client;
let tenants: number[];
let webhooks: number[];

beforeAll(async () => {
  stack = await DeliveryStack.open();
  tenants = [stack.tenantId, (await makeTenant(stack.services)).id];
  const subscriptions = [['*'], ['coupon.applied'], ['booking.created', 'coupon.applied'], ['*']];
  webhooks = [];
  for (const [index, eventTypes] of subscriptions.entries()) {
    webhooks.push((await makeWebhook(stack.services, tenants[index % 3 === 2 ? 1 : 0]!, { eventTypes })).id);
  }
  // One that is paused, and one that no longer collects events.
  await stack.rows(`update hookwright.webhooks set active = false, hold_until = now() + interval '1 hour'
                    where id = ${webhooks[1]}`);
  const gone = await makeWebhook(stack.services, stack.tenantId);
  await stack.rows(`update hookwright.webhooks set active = false, hold_until = now() where id = ${gone.id}`);
  webhooks.push(gone.id);
  client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await stack[Symbol.asyncDispose]();
});

const rows = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows;

/** Filters of a webhook, past the API. */
const setFilter = (webhookId: number, filter: string | null, tenantId = stack.tenantId) =>
  stack.rows(`insert into hookwright.webhook_options (webhook_id, tenant_id, filter, filter_path)
    values (${webhookId}, ${tenantId}, '{}', ${filter === null ? 'null' : `'${filter}'`})
    on conflict (webhook_id) do update set filter_path = excluded.filter_path`);

describe('a batch of a tenant that uses flow, without webhooks that do', () => {
  const item = fc.record({
    tenant: fc.constantFrom(0, 0, 0, 1, 2),
    type: fc.constantFrom('coupon.applied', 'coupon.applied', 'booking.created', 'no.such.type', 'webhook.test'),
    body: fc.constantFrom('{}', '{"code":"A"}', '{"code":"\\u0000"}'),
    key: fc.constantFrom(null, null, 'k1', 'k2', 'before'),
    only: fc.constantFrom(null, null, null, 0, 1, 4, 9),
    priority: fc.constantFrom(null, 0, 10, 30),
    refusal: fc.constantFrom(null, null, null, null, 'PAYLOAD_TOO_LARGE'),
  });
  const batch = fc.record({
    items: fc.array(item, { minLength: 1, maxLength: 40 }),
    claims: fc.constantFrom(null, { priority: 0, max: 4 }, { priority: 10, max: 1_000 }),
  });
  type Batch = typeof batch extends fc.Arbitrary<infer Drawn> ? Drawn : never;

  const write = ({ items, claims }: Batch) =>
    rows(`select * from hookwright.emit_events_once($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) order by item`, [
      items.map(({ tenant }) => tenants[tenant] ?? 999_999),
      items.map(({ type }) => type),
      items.map(({ body }) => body),
      items.map(({ key }) => key),
      items.map(({ only }) => (only === null ? null : (webhooks[only] ?? 999_999))),
      items.map(({ priority }) => priority),
      items.map(({ refusal }) => refusal),
      ...(claims === null ? [null, null, null] : ['pool', claims.priority, claims.max]),
    ]);

  /** Everything that a batch writes and answers; ids by the order in which they were made. */
  async function effectOf(drawn: Batch, usesFlow: boolean): Promise<string> {
    await client.query('begin');
    try {
      // Ids within a millisecond are in order until the low bits of the sequence begin again.
      await client.query(`select setval('hookwright.id_sequence', 4096)`);
      await client.query(`update hookwright.tenants set uses_flow = $1`, [usesFlow]);
      await client.query(
        `select from hookwright.emit_events_once($1, '{coupon.applied}', '{"{}"}', '{before}', '{null}', '{0}', null)`,
        [[stack.tenantId]],
      );
      const answer = await write(drawn);
      const written = [
        answer,
        await rows('select * from hookwright.events order by id'),
        await rows('select * from hookwright.deliveries order by id'),
        await rows('select * from hookwright.idempotency_keys order by tenant_id, key'),
        (await jobsIn(client)).map(({ key, payload, priority, attempts, locked_by }) => {
          return { key, payload, priority, attempts, locked_by };
        }),
      ];
      const names = new Map<string, string>();
      const text = JSON.stringify(written, (key, value) =>
        /_at$|^duration/.test(key) ? undefined : Buffer.isBuffer(value?.data) ? 'bytes' : value,
      );
      const made = [...new Set(text.match(/\d{12,}/g) ?? [])].sort((a, b) => Number(a) - Number(b));
      for (const [rank, id] of made.entries()) {
        names.set(id, `#${rank}`);
      }
      // Jobs of a batch are numbered in the order in which they were written, which is not promised.
      return text.replace(/\d{12,}/g, (id) => names.get(id)!).replace(/\[\d+,\{"(group|id)"/g, '[{"$1"');
    } finally {
      await client.query('rollback');
    }
  }

  test(
    'writes and answers what a plain one does, whatever is refused or repeated',
    async () => {
      await fc.assert(
        fc.asyncProperty(batch, async (drawn) => {
          expect(await effectOf(drawn, true)).toBe(await effectOf(drawn, false));
        }),
        draws(2),
      );
    },
    drawsTimeoutMs(60_000),
  );
});

describe('a filter', () => {
  const paid = '$.status == "paid" && $.total > 1000';
  const emit = async (body: string, type = 'coupon.applied') =>
    (
      await stack.rows<{ deliveries: number }>(
        `select delivery_count as deliveries from hookwright.emit_events(
         array[${stack.tenantId}], array['${type}'], array[$$${body}$$], schema_checked => true)`,
      )
    )[0]!.deliveries;

  test('keeps events from its webhook alone, also by the outbox door', async () => {
    const all = await emit('{"status":"open"}');
    await setFilter(webhooks[0]!, paid);
    expect(await emit('{"status":"open","total":5000}')).toBe(all - 1);
    expect(await emit('{"status":"paid","total":1000}')).toBe(all - 1);
    expect(await emit('{"status":"paid","total":1000.5}')).toBe(all);
    expect(await emit('{"status":"paid","total":"5000"}')).toBe(all - 1);
  });

  test('holds nothing for a paused webhook', async () => {
    const all = await emit('{"status":"open"}');
    await setFilter(webhooks[1]!, paid);
    expect(await emit('{"status":"open"}')).toBe(all - 1);
    await setFilter(webhooks[1]!, null);
  });

  test('is not asked about events for one webhook, nor about operational ones', async () => {
    const [only] = await stack.rows<{ deliveries: number }>(
      `select delivery_count as deliveries from hookwright.emit_events(array[${stack.tenantId}], array['webhook.test'],
         array['{}'], only_webhook_ids => array[${webhooks[0]}], schema_checked => true)`,
    );
    expect(only!.deliveries).toBe(1);
    await stack.rows(`select hookwright.raise_events(array[${stack.tenantId}], array[${webhooks[1]}],
                        array['webhook.disabled'], array['{"webhook_id":"${webhooks[1]}"}'], array[1])`);
    const got = await stack.rows(
      `select from hookwright.deliveries where webhook_id = ${webhooks[0]} and event_type = 'webhook.disabled'`,
    );
    expect(got).toHaveLength(1);
  });

  test('passes events whose body jsonb cannot have', async () => {
    const all = await emit('{"status":"paid","total":5000}');
    expect(await emit('{"status":"\\u0000"}')).toBe(all);
    expect(await emit('{"status":"\\ud800"}')).toBe(all);
  });

  test('reads the type of the event', async () => {
    const all = await emit('{"status":"paid","total":5000}');
    await setFilter(webhooks[0]!, '$type == "booking.created"');
    expect(await emit('{"status":"paid","total":5000}')).toBe(all - 1);
  });
});

describe('whether a webhook is plain and its tenant uses flow', () => {
  const state = async () => {
    const [tenant] = await stack.rows<{ uses: boolean }>(
      `select uses_flow as uses from hookwright.tenants where id = ${stack.tenantId}`,
    );
    const plain = await stack.rows<{ plain: boolean }>(
      `select plain from hookwright.webhooks where id = any('{${webhooks[0]},${webhooks[1]}}') order by id`,
    );
    return { uses: tenant!.uses, plain: plain.map((row) => row.plain) };
  };

  test('follows the filters, however they are written', async () => {
    await setFilter(webhooks[0]!, null);
    expect(await state()).toEqual({ uses: false, plain: [true, true] });
    await setFilter(webhooks[0]!, '$.a == 1');
    await setFilter(webhooks[1]!, '$.a == 1');
    expect(await state()).toEqual({ uses: true, plain: [false, false] });
    await setFilter(webhooks[1]!, null);
    expect(await state()).toEqual({ uses: true, plain: [false, true] });
    await stack.rows(`delete from hookwright.webhook_options where webhook_id = ${webhooks[0]}`);
    expect(await state()).toEqual({ uses: false, plain: [true, true] });
  });

  test('is right when two filters of a tenant change at the same time', async () => {
    await setFilter(webhooks[0]!, '$.a == 1');
    await client.query('begin');
    await client.query(`update hookwright.webhook_options set filter_path = null where webhook_id = ${webhooks[0]}`);
    const other = setFilter(webhooks[1]!, '$.a == 1');
    await eventually(async () => (await stack.rows(lockWaits)).length === 1);
    await client.query('commit');
    await other;
    expect(await state()).toEqual({ uses: true, plain: [true, false] });
  });
});
