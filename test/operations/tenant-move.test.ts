import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MOVED_TABLES } from '../../src/operations/cells/move/tables.js';
import { everyKindOfRow } from '../support/every-kind-of-row.js';
import { emitMany, makeTenant, makeWebhook, type TestTenant } from '../support/factories.js';
import { type Cell, TwoCells } from '../support/two-cells.js';

/** `hookwright tenant move` between two databases (docs/decisions/0099). */

const SLOW = { timeout: 60_000 };

let two: TwoCells;
let [source, target]: [Cell, Cell] = [] as never;
beforeEach(async () => {
  two = await TwoCells.open();
  [source, target] = two.cells;
});
afterEach(() => two[Symbol.asyncDispose]());

/** Columns that say where a row is. */
const OWN = `- 'moving' - 'job_group'`;

/** The rows of a tenant as JSON, by table. */
async function rowsOf(cell: Cell, tenantId: number): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const [table, way] of Object.entries(MOVED_TABLES)) {
    if (way !== 'STAYS') {
      const column = table === 'tenants' ? 'id' : 'tenant_id';
      const rows = await cell.rows<{ row: string }>(
        `select (to_jsonb(t) ${OWN})::text as row from hookwright.${table} t where ${column} = $1 order by 1`,
        [tenantId],
      );
      found[table] = rows.map(({ row }) => row);
    }
  }
  return found;
}

/** A tenant with a row of each kind, the newest of them and an old one. */
async function drawTenant(cell: Cell): Promise<TestTenant & { webhookId: number }> {
  const tenant = await makeTenant(cell.services);
  const webhook = await makeWebhook(cell.services, tenant.id);
  await cell.rows(everyKindOfRow(tenant.id, webhook.id));
  await emitMany(cell.services, tenant.id, 5);
  await old(cell, tenant.id);
  return { ...tenant, webhookId: webhook.id };
}

/** Makes two deliveries that have ended a day ago, with their attempts, traces and statistics. */
async function old(cell: Cell, tenantId: number): Promise<void> {
  await emitMany(cell.services, tenantId, 3);
  await cell.rows(`select hookwright.make_partition(parent, ((now() - interval '3 days') at time zone 'UTC')::date)
    from unnest('{events,deliveries,attempts}'::text[]) as parent`);
  await cell.rows(`
    with aged as (
      insert into hookwright.events select (e).* from (
        select jsonb_populate_record(e, jsonb_build_object('id', e.id - hookwright.id_at(now()) + hookwright.id_at(now() - interval '3 days'))) as e
        from hookwright.events e where e.tenant_id = ${tenantId}) copies returning id)
    insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, attempt_count, due_at, finished_at)
    select id + 1, ${tenantId}, id, (select min(id) from hookwright.webhooks where tenant_id = ${tenantId}), 'coupon.applied',
      'SUCCEEDED', 1, now() - interval '3 days', now() - interval '3 days' from aged`);
  await cell.rows(`
    insert into hookwright.attempts (delivery_id, number, tenant_id, url, started_at, duration_ms, status_code, request_headers, response_truncated)
    select d.id, 1, d.tenant_id, 'https://receiver.example.com/', now() - interval '3 days', 5, 200, '{}', false
    from hookwright.deliveries d where d.tenant_id = ${tenantId} and d.status = 'SUCCEEDED';
    insert into hookwright.event_traces (event_id, tenant_id, traceparent)
    select e.id, e.tenant_id, '00-' || lpad(to_hex(e.id), 32, '0') || '-00f067aa0ba902b7-01' from hookwright.events e where e.tenant_id = ${tenantId};
    insert into hookwright.delivery_stats (tenant_id, webhook_id, event_type, resolution, bucket, successes, failures, latency_histogram)
    select ${tenantId}, w, t, r.name, date_trunc(r.name, now() - interval '3 days', 'UTC'), 3, 0, '{3}'
    from (values (0, ''), (1, 'coupon.applied')) as of_(w, t), unnest('{HOUR,DAY}'::text[]) as r(name)`);
}

const move = (id: number, options = '') => two.run(`tenant move ${id} --to-url-file cell1 ${options}`.trim());

const movingOf = async (cell: Cell, id: number) =>
  (await cell.rows<{ moving: string | null }>('select moving from hookwright.tenants where id = $1', [id]))[0]?.moving;

test('every table with rows of one tenant is said to move or to stay', async () => {
  const tables = await source.rows<{ name: string }>(`
    select distinct c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'hookwright'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relpersistence = 'p' and a.attname in ('tenant_id', 'webhook_id') order by 1`);
  expect(Object.keys(MOVED_TABLES).toSorted()).toEqual([...tables.map(({ name }) => name), 'tenants'].toSorted());
});

describe('a move', () => {
  test('brings every kind of row as it is, and leaves the tenant gone', SLOW, async () => {
    const { id } = await drawTenant(source);
    const before = await rowsOf(source, id);
    expect(Object.keys(before).filter((table) => before[table]!.length === 0)).toEqual([]);
    expect(await move(id)).toMatchObject({
      code: 0,
      errors: expect.stringContaining(`Tenant ${id} is open in cell 1`),
    });
    const after = await rowsOf(target, id);
    const entries = after['audit_log']!.filter((row) => row.includes('TENANT_MOVED'));
    expect(entries).toHaveLength(1);
    expect({ ...after, audit_log: after['audit_log']!.filter((row) => !entries.includes(row)) }).toEqual(before);
    expect(await movingOf(source, id)).toBe('GONE');
    expect(await movingOf(target, id)).toBeNull();
  });
});
