import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { indexes, type LargeIndex } from '../../../migrations/indexes.js';
import { PrimaryClient } from '../../platform/database/driver/primary-client.js';
import { inPatientTransaction } from './lock-patience.js';

const INDEXES_LOCK = "hashtextextended('hookwright.indexes', 0)";

const WAIT_MS = 1_000;

interface Installation {
  /** Called when another process is making indexes. */
  onWait?: () => void;
  /** Called before each index is made. */
  onIndex?: (name: string) => void;
  /** Ends the work. What Postgres is doing then, it may finish. */
  signal?: AbortSignal;
  wanted?: readonly LargeIndex[];
}

/** @returns names of `wanted` that a database with our tables has not, or has not finished */
export async function missingIndexes(
  client: Pick<pg.ClientBase, 'query'>,
  wanted: readonly LargeIndex[] = indexes,
): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select name from unnest($1::text[], $2::text[]) with ordinality as wanted(name, "table", place)
     where not exists (
       select from pg_index where indexrelid = to_regclass('hookwright.' || name)
         and indrelid = to_regclass('hookwright.' || "table") and indisvalid)
     order by place`,
    [wanted.map(({ name }) => name), wanted.map(({ table }) => table)],
  );
  return rows.map(({ name }) => name);
}

/**
 * Makes missing indexes, one by one and each `concurrently`: nobody waits for it. It waits for every transaction of the
 * database that is older, so it takes minutes beside a long one; and for a process that makes some already, also for
 * the session of one that was killed.
 *
 * @throws what the database throws. What was made stays, and the next call makes the rest.
 */
export async function installIndexes(
  databaseUrl: string,
  { onWait = () => {}, onIndex = () => {}, signal, wanted = indexes }: Installation = {},
): Promise<void> {
  const client = new PrimaryClient({ connectionString: databaseUrl, application_name: 'hookwright migrate' });
  client.on('error', () => {}); // the statement fails
  const end = () => void client.end();
  await client.connect();
  try {
    signal?.throwIfAborted();
    signal?.addEventListener('abort', end);
    if ((await missingIndexes(client, wanted)).length === 0) {
      return;
    }
    await client.query('set statement_timeout = 0; set lock_timeout = 0');
    await lockIndexes(client, onWait);
    const missing = await missingIndexes(client, wanted);
    for (const index of wanted.filter(({ name }) => missing.includes(name))) {
      onIndex(index.name);
      await install(client, index);
    }
  } finally {
    signal?.removeEventListener('abort', end);
    await client.end();
  }
}

/**
 * A statement that waits for a lock is an open transaction, which the index that it waits for would wait for. So it
 * asks again and again, and for a lock other than migrate's, which processes of 0.1.0 wait for.
 */
async function lockIndexes(client: pg.Client, onWait: () => void): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { rows } = await client.query<{ locked: boolean }>(`select pg_try_advisory_lock(${INDEXES_LOCK}) as locked`);
    if (rows[0]?.locked === true) {
      return;
    }
    if (tries === 1) {
      onWait();
    }
    await delay(WAIT_MS);
  }
}

/** Partitions that are made meanwhile get theirs from the index of the whole table. */
async function install(client: pg.Client, { name, table, on }: LargeIndex): Promise<void> {
  if (!(await isPartitioned(client, table))) {
    await build(client, name, table, on);
    return;
  }
  await inPatientTransaction(client, () =>
    client.query(`create index if not exists ${name} on only hookwright.${table} ${on}`),
  );
  for (const partition of await partitionsWithout(client, name, table)) {
    const part = `${partition}_${name}`;
    await build(client, part, partition, on);
    await inPatientTransaction(client, () =>
      client.query(`alter index hookwright.${name} attach partition hookwright.${part}`),
    );
  }
}

/** One that was broken off is there, invalid, and `if not exists` would keep it. Another table's stays: an error. */
async function build(client: pg.Client, name: string, table: string, on: string): Promise<void> {
  const { rowCount } = await client.query(
    'select from pg_index where indexrelid = to_regclass($1) and indrelid = $2::regclass',
    [`hookwright.${name}`, `hookwright.${table}`],
  );
  if (rowCount === 1) {
    await client.query(`drop index concurrently hookwright.${name}`);
  }
  await client.query(`create index concurrently ${name} on hookwright.${table} ${on}`);
}

async function isPartitioned(client: pg.Client, table: string): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_partitioned_table where partrelid = $1::regclass', [
    `hookwright.${table}`,
  ]);
  return rowCount === 1;
}

async function partitionsWithout(client: pg.Client, index: string, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_inherits as part join pg_class on oid = part.inhrelid
     where part.inhparent = $1::regclass and not exists (
       select from pg_inherits as attached join pg_index on indexrelid = attached.inhrelid
       where attached.inhparent = $2::regclass and indrelid = part.inhrelid)
     order by relname desc`,
    [`hookwright.${table}`, `hookwright.${index}`],
  );
  return rows.map(({ name }) => name);
}
