import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadDeliveries } from '../../src/operations/attempts/load-deliveries.js';
import { applyChunk } from '../../src/operations/bulk/bulk-changes.js';
import { eventBodies } from '../../src/operations/explorer/read-bodies.js';
import { deliveryContents } from '../../src/operations/explorer/read-sent-contents.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createTenant } from '../../src/operations/tenants/create-tenant.js';
import { API_ROLE } from '../../src/platform/database/tenant-database.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { couponEmit, makeWebhook } from '../support/factories.js';
import { preparedDuring, preparedPlan } from '../support/statements.js';

/** An event, with its delivery to the one webhook of its tenant. */
interface Emitted {
  tenantId: number;
  eventId: number;
  deliveryId: number;
  body: string;
}

let stack: DeliveryStack;
let mine: Emitted;
let theirs: Emitted;

const bodyOf = (code: string) => JSON.stringify({ code, discount_type: 'fixed' });

beforeAll(async () => {
  stack = await DeliveryStack.open();
  const { db, vault } = stack.services;
  const other = await createTenant(db, vault, 'other', commandLine);
  for (const tenantId of [stack.tenantId, other.id]) {
    await makeWebhook(stack.services, tenantId);
  }
  mine = await emit(stack.tenantId, bodyOf('MINE'));
  theirs = await emit(other.id, bodyOf('THEIRS'));
  // As after the clock was set back: ids are unique within a tenant.
  await stack.rows(`update hookwright.events set id = ${mine.eventId} where id = ${theirs.eventId}`);
  await stack.rows(`update hookwright.deliveries set event_id = ${mine.eventId} where id = ${theirs.deliveryId}`);
  theirs.eventId = mine.eventId;
});
afterAll(() => stack[Symbol.asyncDispose]());

async function emit(tenantId: number, body: string): Promise<Emitted> {
  const [result] = await stack.services.emitter.emit([couponEmit(tenantId, { body })]);
  if (result === undefined || result.refused !== null) {
    throw new Error(`the emit was refused: ${result?.refused}`);
  }
  const { id: deliveryId } = await stack.delivery(result.eventId);
  return { tenantId, eventId: result.eventId, deliveryId, body };
}

describe('events of two tenants that have the same id', () => {
  test('are sent each with its own body', async () => {
    const jobs = [mine, theirs].map(({ deliveryId }) => ({ id: deliveryId, attempt: 1 }));
    const loaded = await loadDeliveries(stack.services.db.pool, jobs);
    expect(loaded).toMatchObject([mine, theirs].map(({ tenantId, body }) => ({ tenantId, body })));
  });

  test('show each tenant its own body', async () => {
    for (const { tenantId, eventId, deliveryId, body } of [mine, theirs]) {
      expect([...(await eventBodies.read(stack.services.db, tenantId, [eventId])).values()]).toEqual([body]);
      const { read } = deliveryContents(stack.services.config, stack.services.conversions);
      expect((await read(stack.services.db, tenantId, [deliveryId])).get(deliveryId)?.sent?.body).toBe(body);
    }
  });

  test('have each the deliveries of their own tenant', async () => {
    for (const { tenantId, eventId } of [mine, theirs]) {
      expect(await stack.rows(`select hookwright.count_deliveries(${tenantId}, ${eventId}) as count`)).toEqual([
        { count: 1 },
      ]);
    }
  });
});

test('a traced event that has the id of an event of another tenant is accepted, and is not traced', async () => {
  const { db, vault } = stack.services;
  const ids: number[] = [];
  const first = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`;
  await stack.rows(`create or replace function hookwright.id_clock() returns timestamptz language sql volatile
                    return timestamptz '${first}'`);
  for (const name of ['without webhooks', 'without webhooks too']) {
    const { id } = await createTenant(db, vault, name, commandLine);
    await stack.rows(`select setval('hookwright.id_sequence', 1)`);
    const [row] = await stack.rows<{ event_id: number }>(
      `select event_id from hookwright.emit_traced_events(array[${id}::bigint], array['coupon.applied'],
         array['${bodyOf('X')}'], array[null::text], array[null::bigint], array[0],
         array['00-0123456789abcdef0123456789abcdef-0123456789abcdef-01'])`,
    );
    ids.push(row!.event_id);
  }
  await stack.rows(`create or replace function hookwright.id_clock() returns timestamptz language sql volatile
                    return clock_timestamp()`);
  expect(ids[1]).toBe(ids[0]);
  expect(await stack.rows(`select from hookwright.events where id = ${ids[0]}`)).toHaveLength(2);
  expect(await stack.rows(`select from hookwright.event_traces where event_id = ${ids[0]}`)).toHaveLength(1);
});

test('an event is looked up by tenant and id, by plans that are kept from when there were hardly any', async () => {
  const texts = await preparedDuring(async () => {
    await loadDeliveries(stack.services.db.pool, [{ id: mine.deliveryId, attempt: 1 }]);
    await eventBodies.read(stack.services.db, mine.tenantId, [mine.eventId]);
    await deliveryContents(stack.services.config, stack.services.conversions).read(stack.services.db, mine.tenantId, [
      mine.deliveryId,
    ]);
    const client = await stack.services.db.pool.connect();
    const recovery = { kind: 'RECOVER_WEBHOOK', webhookId: null, filter: { status: ['FAILED'] } } as const;
    await applyChunk(client, mine.tenantId, recovery, [mine.deliveryId]);
    client.release();
  });
  const { tenantId, eventId, deliveryId } = mine;
  const theseOf = (id: number) => `'{${id}}', ${id}, ${id}`;
  const parameters = {
    load_deliveries: theseOf(deliveryId),
    read_event_bodies: `${tenantId}, ${theseOf(eventId)}`,
    read_delivery_contents: `${tenantId}, ${theseOf(deliveryId)}`,
    bulk_recover: `${theseOf(deliveryId)}, ${tenantId}, '{FAILED}'`,
  };
  for (const [name, values] of Object.entries(parameters)) {
    const role = name.startsWith('read_') ? API_ROLE : 'none';
    const conditions = await eventConditions(name, texts.get(name)!, values, role);
    expect(conditions, name).not.toEqual([]);
    for (const condition of conditions) {
      expect(condition, name).toMatch(/tenant_id = .*\bid = /);
    }
  }
});

/** @returns by which conditions a kept plan finds events in their index; undefined: it reads all of a partition */
async function eventConditions(
  name: string,
  text: string,
  values: string,
  role: string,
): Promise<(string | undefined)[]> {
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
  await client.query('set plan_cache_mode = force_generic_plan');
  await client.query(`set role ${role}`);
  const nodes = await preparedPlan(client, name, text, values);
  await client.end();
  return nodes.filter((node) => node['Relation Name']?.startsWith('events_')).map((node) => node['Index Cond']);
}

test('the rows of one tenant can be published apart, and their deliveries go on', async () => {
  await stack.rows(`
    create publication one_tenant for table
      hookwright.events where (tenant_id = ${mine.tenantId}),
      hookwright.deliveries where (tenant_id = ${mine.tenantId}),
      hookwright.attempts where (tenant_id = ${mine.tenantId})
    with (publish_via_partition_root = true)`);
  try {
    const changed = await stack.rows(`update hookwright.deliveries set run = run + 1 returning tenant_id`);
    expect(changed).toHaveLength(2);
  } finally {
    await stack.rows('drop publication one_tenant');
  }
});
