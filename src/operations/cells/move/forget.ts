import type pg from 'pg';
import { inChunks } from '../../../platform/concurrency/in-chunks.js';
import { query, type Statement } from '../../../platform/database/database.js';
import { forgetRows } from '../../housekeeping/forget.js';
import { eraseManaged } from '../../tenants/delete-tenant.js';

const CHUNK_ROWS = 5_000;

const partitionsStatement: Statement = {
  text: `
    select distinct right(c.relname, 8) as day
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent in ('hookwright.events'::regclass, 'hookwright.deliveries'::regclass) order by day`,
};

const livesStatement: Statement = {
  text: `
    select exists (select from hookwright.tenants where id = $1 and deleted_at is null and moving is distinct from 'GONE')
      as lives`,
};

/**
 * Deletes all rows of a tenant in one database but its own, in chunks. It may be run again after any end.
 *
 * @throws Error when the tenant lives there
 */
async function eraseRows(pool: pg.Pool, tenantId: number): Promise<void> {
  const [row] = await query<{ lives: boolean }>(pool, livesStatement, [tenantId]);
  if (row!.lives) {
    throw new Error(`Tenant ${tenantId} lives here: nothing is erased.`);
  }
  const days = await query<{ day: string }>(pool, partitionsStatement, []);
  for (const { day } of days) {
    await eraseDay(pool, tenantId, day);
  }
  // Most have no index by their tenant alone.
  await forgetRows(pool, 'event_traces', `tenant_id = ${tenantId}`);
  await eraseManaged(pool, tenantId);
}

const existsStatement: Statement = {
  text: `
    select to_regclass('hookwright.deliveries_' || $1) is not null
             and to_regclass('hookwright.attempts_' || $1) is not null as deliveries,
           to_regclass('hookwright.events_' || $1) is not null as events`,
};

async function eraseDay(pool: pg.Pool, tenantId: number, day: string): Promise<void> {
  const [found] = await query<{ deliveries: boolean; events: boolean }>(pool, existsStatement, [day]);
  if (found!.deliveries) {
    await inChunks(CHUNK_ROWS, () => eraseDeliveries(pool, tenantId, day));
  }
  if (found!.events) {
    await forgetRows(pool, `events_${day}`, `tenant_id = ${tenantId}`);
  }
}

/** With their attempts, which have no index by their tenant. */
async function eraseDeliveries(pool: pg.Pool, tenantId: number, day: string): Promise<number> {
  const { rows } = await pool.query<{ gone: number }>(`
    with gone as (
      delete from hookwright.deliveries_${day} where id = any(array(
        select id from hookwright.deliveries_${day} where tenant_id = ${tenantId} order by id limit ${CHUNK_ROWS}))
      returning id),
    attempts as (
      delete from hookwright.attempts_${day} where delivery_id = any(array(select id from gone)))
    select count(*)::integer as gone from gone`);
  return rows[0]!.gone;
}

const unseenStatement: Statement = {
  text: `
    delete from hookwright.tenants where id = $1 and deleted_at > now() + interval '1000 years'`,
};

/** Takes back what a move has copied, where the tenant is not open and never can be by this move. */
export async function takeBack(pool: pg.Pool, tenantId: number): Promise<void> {
  await eraseRows(pool, tenantId);
  await query(pool, unseenStatement, [tenantId]);
}

const dueStatement: Statement = {
  text: `
    select token::text, tenant_id::float8 as "tenantId" from hookwright.tenant_moves
    where direction = 'OUT' and state = 'OPEN' and forget_at <= now() order by started_at`,
};

const doneStatement: Statement = {
  text: `update hookwright.tenant_moves set state = 'DONE', changed_at = now() where token = $1 and state = 'OPEN'`,
};

/** Step 6: what is left here of a tenant goes. Its row stays, and so do its keys' numbers: who asks for it gets 421. */
export async function forgetMoved(pool: pg.Pool, move: { token: string; tenantId: number }): Promise<void> {
  await eraseRows(pool, move.tenantId);
  await query(pool, doneStatement, [move.token]);
}

/** Does this for all tenants whose days are over. @returns how many */
export async function forgetDue(pool: pg.Pool): Promise<number> {
  const due = await query<{ token: string; tenantId: number }>(pool, dueStatement, []);
  for (const move of due) {
    await forgetMoved(pool, move);
  }
  return due.length;
}
