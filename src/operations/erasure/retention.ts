import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { BULK_CHUNK_UNQUEUED, bulkPause } from '../../domain/pacing/bulk-pace.js';
import { query, type Statement } from '../../platform/database/database.js';
import { impatientTransaction, orLocked } from '../../platform/database/impatient-transaction.js';
import { mayEraseSql } from '../cells/moving.js';
import { eraseThese } from './erase-these.js';

/** SQL: whether payloads may be due (Duty.worthIt). */
export const worthErasingSql = `(
  exists (select from hookwright.tenants where retention_days is not null and deleted_at is null)
  or (select min(ends_at) from hookwright.event_ends) <= now())`;

const LOCK_WAIT_MS = 1_000;
/** The next run goes on. */
const PIECE_MS = 2_000;
const TENANTS_AT_ONCE = 100;

/** Where the next run goes on: behind this tenant. */
interface RetentionProgress {
  tenantId?: number;
}

/**
 * Erases payloads whose time is over, for some seconds: of events that were emitted for a time alone, and of tenants
 * with a retention of their own. Each chunk has a transaction of its own, and rows that are locked are left for later.
 *
 * @returns how many events and scheduled events were erased
 */
export async function eraseDue(pool: pg.Pool, progress: RetentionProgress): Promise<number> {
  const endsAt = performance.now() + PIECE_MS;
  let erased = await eraseEnded(pool, endsAt);
  while (performance.now() < endsAt) {
    const after = progress.tenantId ?? 0;
    const tenants = await query<Tenant>(pool, tenantsStatement, [after]);
    for (const tenant of tenants) {
      const done = await eraseOfTenant(pool, tenant, endsAt);
      erased += done.erased;
      if (!done.isOver) {
        return erased;
      }
      progress.tenantId = tenant.id;
    }
    if (tenants.length < TENANTS_AT_ONCE) {
      delete progress.tenantId;
      break;
    }
  }
  return erased;
}

interface Tenant {
  id: number;
  days: number;
}

const tenantsStatement: Statement = {
  name: 'tenants_with_retention',
  text: `
    select t.id, t.retention_days as days from hookwright.tenants t
    where t.retention_days is not null and t.deleted_at is null and ${mayEraseSql('t.id')} and t.id > $1
    order by t.id limit ${TENANTS_AT_ONCE}`,
};

const endedStatement: Statement = {
  name: 'ended_events',
  text: `
    select tenant_id, array_agg(event_id::float8 order by event_id) as ids
    from (select tenant_id, event_id from hookwright.event_ends where ends_at <= now() and ${mayEraseSql('tenant_id')}
          order by ends_at limit ${BULK_CHUNK_UNQUEUED}) ended
    group by tenant_id order by tenant_id`,
};

const forgetEndsStatement: Statement = {
  name: 'forget_event_ends',
  text: 'delete from hookwright.event_ends where tenant_id = $1 and event_id = any($2::bigint[])',
};

async function eraseEnded(pool: pg.Pool, endsAt: number): Promise<number> {
  let erased = 0;
  for (;;) {
    const found = await query<{ tenant_id: number; ids: number[] }>(pool, endedStatement, []);
    let locked = 0;
    for (const { tenant_id: tenantId, ids } of found) {
      const count = await inTurn(pool, async (client) => {
        const these = await eraseThese(client, tenantId, ids);
        await query(client, forgetEndsStatement, [tenantId, ids]);
        return these;
      });
      locked += Number(count === 'LOCKED');
      erased += count === 'LOCKED' ? 0 : count;
    }
    if (found.length === locked || performance.now() >= endsAt) {
      return erased;
    }
  }
}

const dueStatement: Statement = {
  name: 'events_past_retention',
  text: `
    select hookwright.id_at(now() - $2::integer * interval '1 day')::float8 as below,
           array(select e.id::float8 from hookwright.events e
                 where e.tenant_id = $1 and e.id < hookwright.id_at(now() - $2::integer * interval '1 day')
                   and e.id > coalesce((select d.done_to from hookwright.tenant_erasures d where d.tenant_id = $1), 0)
                 order by e.id limit ${BULK_CHUNK_UNQUEUED}) as ids`,
};

const noteStatement: Statement = {
  name: 'note_tenant_erasure',
  text: `
    insert into hookwright.tenant_erasures as d (tenant_id, done_to) values ($1, $2)
    on conflict (tenant_id) do update set done_to = greatest(d.done_to, excluded.done_to)`,
};

/** Canceled scheduled events: the emitted ones go with their events. */
const canceledStatement: Statement = {
  name: 'canceled_past_retention',
  text: `
    select array(select s.id::float8 from hookwright.scheduled_events s
                 where s.tenant_id = $1 and s.status = 'CANCELED' and s.erased_at is null
                   and s.finished_at < now() - $2::integer * interval '1 day'
                 order by s.finished_at limit ${BULK_CHUNK_UNQUEUED}) as ids`,
};

async function eraseOfTenant(pool: pg.Pool, { id, days }: Tenant, endsAt: number) {
  let erased = 0;
  for (;;) {
    const chunk = await inTurn(pool, async (client) => {
      const [due] = await query<{ below: number; ids: number[] }>(client, dueStatement, [id, days]);
      const [canceled] = await query<{ ids: number[] }>(client, canceledStatement, [id, days]);
      const { ids, below } = due!;
      const isLast = ids.length < BULK_CHUNK_UNQUEUED && canceled!.ids.length < BULK_CHUNK_UNQUEUED;
      const ofEvents = await eraseThese(client, id, ids);
      const ofScheduled = await eraseThese(client, id, canceled!.ids, { scheduled: true });
      if (ids.length > 0) {
        await query(client, noteStatement, [id, isLast ? below - 1 : ids.at(-1)]);
      }
      return { count: ofEvents + ofScheduled, isLast };
    });
    if (chunk === 'LOCKED') {
      return { erased, isOver: true };
    }
    erased += chunk.count;
    if (chunk.isLast || performance.now() >= endsAt) {
      return { erased, isOver: chunk.isLast };
    }
  }
}

/** Does a chunk, and rests as long as a chunk of a bulk operation makes others wait. */
async function inTurn<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result | 'LOCKED'> {
  const startedAt = performance.now();
  const result = await orLocked(impatientTransaction(pool, LOCK_WAIT_MS, work));
  const tookMs = performance.now() - startedAt;
  await delay(bulkPause({ queued: 1, drained: 0, hadRoom: true, tookMs, waitedMs: 0 }).inMs);
  return result;
}
