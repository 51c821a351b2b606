import { expect } from 'vitest';
import { MOVED_TABLES } from '../../src/operations/cells/move/tables.js';
import { eventually } from './eventually.js';
import { everyKindOfRow } from './every-kind-of-row.js';
import { emitMany, makeTenant, makeWebhook, type TestTenant } from './factories.js';
import { jobInHand } from './jobs.js';
import type { Cell } from './two-cells.js';

/** What tests of `hookwright tenant move` draw and compare (docs/decisions/0099). */

/** Columns that say where a row is. */
const OWN = `- 'moving' - 'job_group'`;

/** The rows of a tenant as JSON, by table. */
export async function rowsOf(cell: Cell, tenantId: number): Promise<Record<string, string[]>> {
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
export async function drawTenant(cell: Cell): Promise<TestTenant & { webhookId: number }> {
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

/** Where a cell says that the tenant is: null: here; undefined: it does not know the tenant. */
export const movingOf = async (cell: Cell, id: number) =>
  (await cell.rows<{ moving: string | null }>('select moving from hookwright.tenants where id = $1', [id]))[0]?.moving;

/** The tenant's latest move. */
export const stateOf = async (cell: Cell, id: number) =>
  (
    await cell.rows<{ state: string; token: string }>(
      'select state, token::text from hookwright.tenant_moves where tenant_id = $1 order by started_at desc limit 1',
      [id],
    )
  )[0];

/** Waits until the mover waits in DRAINING for a job that the test has in hand; `letGo` ends that. */
export async function holdDraining(
  source: Cell,
  id: number,
): Promise<{ reached(): Promise<void>; letGo(): Promise<void> }> {
  const letGo = await jobInHand(source, id);
  return {
    reached: async () => void (await eventually(async () => (await stateOf(source, id))?.state === 'DRAINING', 20_000)),
    letGo,
  };
}

/** Expects that all has come as it was at the end. */
export async function expectSame(cell: Cell, id: number, before: Record<string, string[]>): Promise<void> {
  const after = await rowsOf(cell, id);
  const isEntry = (row: string) => row.includes('TENANT_MOVED');
  expect(after['audit_log']!.filter(isEntry).length).toBeGreaterThan(0);
  const withoutEntries = (rows: Record<string, string[]>) => ({
    ...rows,
    audit_log: rows['audit_log']!.filter((row) => !isEntry(row)),
  });
  expect(withoutEntries(after)).toEqual(withoutEntries(before));
}

export const countOf = (rows: Record<string, string[]>) => Object.values(rows).flat().length;
