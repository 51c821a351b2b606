import type pg from 'pg';
import { moveIdsOfJobs } from './jobs.js';

/** Columns with ids that contain the time when they were made (migrations/functions/ids.sql), in 0.1.0. */
const timedIds: Record<string, string[]> = {
  events: ['id'],
  event_traces: ['event_id'],
  idempotency_keys: ['event_id'],
  deliveries: ['id', 'event_id', 'job_group'],
  attempts: ['delivery_id'],
  webhooks: ['discard_held_up_to', 'keep_held_up_to'],
  bulk_operations: ['from_id', 'to_id', 'cursor_id'],
};

/** Their times are beginnings of minutes, hours and days (UTC): they move by whole days. */
const stats = ['delivery_stats', 'stats_progress'];
const dayMs = 86_400_000;

/**
 * Moves an installation of 0.1.0 in time, as if everything in it had happened later, or earlier. Nothing may be
 * connected to it. Texts, such as payloads and the audit log, keep their times.
 */
export async function shiftTime(client: pg.ClientBase, ms: number): Promise<void> {
  const ids = `(${Math.round(ms)}::bigint * 4096)`;
  await client.query('begin');
  await makeLaterPartitions(client, Math.floor(ms / dayMs));
  for (const [table, columns] of Object.entries(timedIds)) {
    const moved = columns.map((column) => `${column} = ${column} + ${ids}`).join();
    await client.query(`update hookwright.${table} set ${moved}`);
  }
  await client.query(`
    update hookwright.bulk_operations
    set in_queue = array(select id + ${ids} from unnest(in_queue) with ordinality as q (id, place) order by place)`);
  await moveIdsOfJobs(client, ids);
  await moveTimes(client, Math.round(ms));
  await dropEmptyPartitions(client);
  await client.query('commit');
}

async function makeLaterPartitions(client: pg.ClientBase, days: number): Promise<void> {
  await client.query(`
    select hookwright.make_partition(parent.relname, right(part.relname, 8)::date + ${days} + later)
    from pg_inherits i
    join pg_class part on part.oid = i.inhrelid and part.relkind = 'r'
    join pg_class parent on parent.oid = i.inhparent, generate_series(0, 1) as later
    where part.relnamespace = 'hookwright'::regnamespace`);
}

/** Beyond what a daemon keeps ready: two weeks. */
async function dropEmptyPartitions(client: pg.ClientBase): Promise<void> {
  await client.query(`
    do $$
    declare
      part record;
      used boolean;
    begin
      for part in
        select c.oid::regclass as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where c.relkind = 'r' and c.relnamespace = 'hookwright'::regnamespace
      loop
        execute format('select exists (select from %s)', part.name) into used;
        if not used then
          execute format('drop table %s', part.name);
        end if;
      end loop;
      perform hookwright.make_partitions(14);
    end $$`);
}

async function moveTimes(client: pg.ClientBase, ms: number): Promise<void> {
  const { rows } = await client.query<{ name: string; table: string; columns: string[] }>(`
    select c.oid::regclass::text as name, c.relname::text as table, array_agg(quote_ident(attname)) as columns
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace in ('hookwright'::regnamespace, 'hookwright_jobs'::regnamespace)
      and c.relkind in ('r', 'p') and not c.relispartition
      and a.atttypid = 'timestamptz'::regtype and a.attgenerated = '' and a.attnum > 0 and not a.attisdropped
    group by c.oid`);
  for (const { name, table, columns } of rows) {
    const by = stats.includes(table) ? Math.floor(ms / dayMs) * dayMs : ms;
    // By way of another century, because the times of statistics are a part of their key.
    for (const seconds of [3_155_760_000, by / 1_000 - 3_155_760_000]) {
      const moved = columns.map((column) => `${column} = ${column} + make_interval(secs => ${seconds})`);
      await client.query(`update ${name} set ${moved.join()}`);
    }
  }
}
