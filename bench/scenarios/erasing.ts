import type { BenchDatabase } from '../database.js';
import type { Rig } from '../rig.js';
import type { Measurement, Scenario } from '../scenario.js';
import { prepareDrain } from './drain.js';

const TENANT = 'erasing';

/** BENCH_ERASED_EVENTS makes it a small one. */
const EVENTS = Number(process.env['BENCH_ERASED_EVENTS'] ?? 1_000_000);
const EVENTS_PER_STATEMENT = 50_000;
/** Each is a pair: as many begin with the erasure as without it. */
const RUNS = 6;

/**
 * `drain` in pairs, with and without an erasure beside it: of all events of another tenant, each of which has a delivery
 * with an attempt. An erasure goes on where that of the pair before was ended.
 */
export const erasing: Scenario = {
  name: 'erasing',
  title: `drain, beside the erasure of ${EVENTS.toLocaleString('en')} events of another tenant, in pairs`,
  runs: RUNS,
  prepare,
};

async function prepare(rig: Rig): Promise<() => Promise<Measurement>> {
  const drained = await prepareDrain(rig);
  await fill(await rig.database());
  let pairs = 0;
  return async () => {
    const isAloneFirst = pairs++ % 2 === 0;
    const before = isAloneFirst ? await drained() : null;
    const beside = await drained({ begin, end });
    return compared(beside, before ?? (await drained()));
  };
}

function compared(beside: Measurement, alone: Measurement): Measurement {
  const perSecond = ({ deliveries, seconds }: Measurement) => deliveries / seconds;
  return {
    ...beside,
    lost: beside.lost + alone.lost,
    unrecorded: beside.unrecorded + alone.unrecorded,
    duplicates: beside.duplicates + alone.duplicates,
    signaturesWrong: beside.signaturesWrong + alone.signaturesWrong,
    details: {
      ...beside.details,
      alonePerSecond: perSecond(alone),
      ratioToAlone: perSecond(beside) / perSecond(alone),
    },
  };
}

async function fill({ pool }: BenchDatabase): Promise<void> {
  await pool.query(
    `insert into hookwright.tenants (name, data_key, data_key_kid)
     select $1, data_key, data_key_kid from hookwright.tenants order by id limit 1`,
    [TENANT],
  );
  for (let done = 0; done < EVENTS; done += EVENTS_PER_STATEMENT) {
    await pool.query(
      `with made as materialized (
         select hookwright.next_id() as id, (select id from hookwright.tenants where name = $2) as tenant_id
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
      [Math.min(EVENTS_PER_STATEMENT, EVENTS - done), TENANT],
    );
  }
  await pool.query('vacuum (analyze)');
}

async function begin({ pool }: BenchDatabase): Promise<void> {
  await pool.query(
    `with started as (
       insert into hookwright.bulk_operations (tenant_id, kind, filter, from_id, to_id, cursor_id, total, actor)
       select id, 'ERASE_EVENTS', '{}', 0, hookwright.next_id(),
              coalesce((select max(b.cursor_id) from hookwright.bulk_operations b where b.tenant_id = t.id), 0),
              $1, 'SERVICE'
       from hookwright.tenants t where name = $2
       returning id, tenant_id)
     select hookwright.enqueue_bulk_operation(id, tenant_id, 0, 0) from started`,
    [EVENTS, TENANT],
  );
}

async function end({ pool }: BenchDatabase): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ status: string; affected: number; left: number }>(
    `with ended as (
       update hookwright.bulk_operations set status = 'CANCELED', finished_at = now()
       where kind = 'ERASE_EVENTS' and status = 'RUNNING')
     select b.status, b.affected,
            (select count(*)::integer from hookwright.events e
             where e.tenant_id = b.tenant_id and e.erased_at is null) as left
     from hookwright.bulk_operations b order by b.id desc limit 1`,
  );
  const { status, affected, left } = rows[0]!;
  if (status !== 'RUNNING') {
    throw new Error(`The erasure was ${status} before the deliveries had ended: there are too few events to erase.`);
  }
  return { erasedMeanwhile: affected, leftToErase: left };
}
