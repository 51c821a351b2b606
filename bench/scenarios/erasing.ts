import type { BenchDatabase } from '../database.js';
import type { Scenario } from '../scenario.js';
import { prepareDrain } from './drain.js';

const TENANT = 'erasing';

/** BENCH_ERASED_EVENTS makes it a small one. */
const EVENTS = Number(process.env['BENCH_ERASED_EVENTS'] ?? 1_000_000);

/** `drain`, beside an erasure of all events of another tenant, each of which has a delivery with an attempt. */
export const erasing: Scenario = {
  name: 'erasing',
  title: `drain, beside the erasure of ${EVENTS.toLocaleString('en')} events of another tenant`,
  prepare: (rig) => prepareDrain(rig, { begin, figures }),
};

async function begin({ pool }: BenchDatabase): Promise<void> {
  await pool.query(
    `insert into hookwright.tenants (name, data_key, data_key_kid)
     select $1 || ' ' || clock_timestamp(), data_key, data_key_kid from hookwright.tenants order by id limit 1`,
    [TENANT],
  );
  await pool.query(
    `with made as materialized (
       select hookwright.next_id() as id, (select max(id) from hookwright.tenants) as tenant_id
       from generate_series(1, $1::integer)),
     events as (
       insert into hookwright.events (id, tenant_id, event_type, body)
       select id, tenant_id, 'booking.created', rpad('{"note":"', 700, 'x') || '"}' from made),
     deliveries as (
       insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, attempt_count,
                                          finished_at)
       select hookwright.next_id(), tenant_id, id, 0, 'booking.created', 'SUCCEEDED', 1, now() from made
       returning id, tenant_id)
     insert into hookwright.attempts (delivery_id, number, tenant_id, url, started_at, duration_ms, status_code,
                                      request_headers, response_headers, response_body)
     select id, 1, tenant_id, 'https://example.com/', now(), 5, 200, '{}', '{"content-type":"text/plain"}', 'ok'
     from deliveries`,
    [EVENTS],
  );
  await pool.query('analyze');
  await pool.query(
    `with started as (
       insert into hookwright.bulk_operations (tenant_id, kind, filter, from_id, to_id, cursor_id, scheduled_cursor,
                                               total, actor)
       select max(id), 'ERASE_EVENTS', '{}', 0, hookwright.next_id(), 0, 0, $1, 'SERVICE' from hookwright.tenants
       returning id, tenant_id)
     select hookwright.enqueue_bulk_operation(id, tenant_id, 0, 0) from started`,
    [EVENTS],
  );
}

async function figures({ pool }: BenchDatabase): Promise<Record<string, number>> {
  const { rows } = await pool.query('select affected from hookwright.bulk_operations order by id desc limit 1');
  return { erasedMeanwhile: rows[0].affected };
}
