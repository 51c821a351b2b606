import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { query, type Statement } from '../../../platform/database/database.js';
import { jobsInHandSql } from '../../../platform/graphile-worker/job-conditions.js';

const LOOK_MS = 20;

/** A session that has begun before, or a prepared transaction. */
interface Blocker {
  /** Null: a prepared transaction. */
  pid: number | null;
  /** The name that its application gives, or of the prepared transaction. */
  name: string;
}

export const nameOf = ({ pid, name }: Blocker): string =>
  pid === null ? `the prepared transaction "${name}"` : `the session ${pid} of "${name}"`;

/**
 * Transactions that have a snapshot or an id. Neither vacuum nor a standby writes rows of a tenant. Everybody may see
 * these columns. A transaction's virtual id is never used again.
 */
const workingStatement: Statement = {
  text: `
    select a.pid || ' ' || l.virtualtransaction as id, a.pid,
           coalesce(nullif(a.application_name, ''), 'without a name') as name
    from pg_stat_activity a
    join pg_locks l on l.pid = a.pid and l.locktype = 'virtualxid' and l.mode = 'ExclusiveLock' and l.granted
    where a.datname = current_database() and a.usesysid is not null and a.pid <> pg_backend_pid()
      and (a.backend_xid is not null or a.backend_xmin is not null)
    union all
    select 'prepared ' || p.transaction, null, p.gid from pg_prepared_xacts p where p.database = current_database()`,
};

interface Working extends Blocker {
  id: string;
}

/**
 * Waits until nobody works who may not have seen what is committed: until each transaction that has a snapshot or an id
 * now has ended, or was seen without either. One that has only read so far has no id yet, and the smallest id in
 * progress says nothing of it.
 *
 * @returns who is still there after that time; null: nobody
 */
export async function waitForOthers(client: pg.Client, withinMs: number, signal: AbortSignal): Promise<Blocker | null> {
  const endsAt = performance.now() + withinMs;
  let left: Working[] | undefined;
  for (;;) {
    signal.throwIfAborted();
    const working = await query<Working>(client, workingStatement, []);
    const ids = new Set(working.map(({ id }) => id));
    left = (left ?? working).filter(({ id }) => ids.has(id));
    const [blocker] = left;
    if (blocker === undefined || performance.now() >= endsAt) {
      return blocker ?? null;
    }
    await delay(LOOK_MS, undefined, { signal });
  }
}

const jobsStatement: Statement = {
  text: `
    select count(*)::integer as count from (${jobsInHandSql('$2')}) j
    where j.tenant_id is not distinct from $1
      or exists (select from hookwright.webhooks w where w.id = j.webhook_id and (w.tenant_id = $1) is true)
      or exists (select from hookwright.deliveries d where d.id = any(j.delivery_ids) and (d.tenant_id = $1) is true)`,
};

/** How many jobs of a tenant are in hand. @param atMostSeconds one that is for longer has lost its worker */
export async function jobsInHand(client: pg.Client, tenantId: number, atMostSeconds: number): Promise<number> {
  const [row] = await query<{ count: number }>(client, jobsStatement, [tenantId, atMostSeconds]);
  return row!.count;
}
