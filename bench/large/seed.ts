import type pg from 'pg';
import type { SecretVault } from '../../src/operations/secrets/secret-vault.js';
import { DAYS, type Size } from './plan.js';
import { makeDays, seedDay, seedWaiting } from './seed-deliveries.js';
import { seedOwners } from './seed-managed.js';
import { seedOptions } from './seed-options.js';
import { finishStats, seedStats } from './seed-stats.js';

/** Days are written at the same time. */
const SESSIONS = 2;

/**
 * Fills an installation that was just made, as ten days of work leave it: tenants of which one is much the largest,
 * webhooks in every state, and deliveries with their events, statistics and a part of their attempts. Nothing falls due
 * within the next 55 minutes.
 *
 * @returns the largest tenant, and the seconds that it took
 */
export async function seedLarge(
  pool: pg.Pool,
  vault: SecretVault,
  size: Size,
): Promise<{ tenantId: number; seconds: number }> {
  const startedAt = performance.now();
  const plan = await withSession(pool, async (client) => {
    const made = await seedOwners(client, vault, size);
    await seedOptions(client, made);
    await makeDays(client);
    return made;
  });
  const until = new Date();
  await eachDay(pool, DAYS, (client, day) => seedDay(client, plan, until, day));
  await withSession(pool, (client) => seedWaiting(client, plan));
  await eachDay(pool, DAYS + 1, (client, ago) => seedStats(client, until, ago));
  await withSession(pool, async (client) => {
    await finishStats(client, until);
    await vacuum(client);
  });
  return { tenantId: plan.firstTenant, seconds: (performance.now() - startedAt) / 1000 };
}

/** Leaves all tables as autovacuum has them after a while. */
export async function vacuum(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ tables: string }>(tablesSql);
  await client.query(`vacuum (freeze, analyze) ${rows[0]!.tables}`);
}

/** Autovacuum analyzes each day, and never what the days are partitions of: no plan may rely on statistics of those. */
const tablesSql = `
  select string_agg(oid::regclass::text, ', ') as tables from pg_class
  where relkind = 'r' and relnamespace in ('hookwright'::regnamespace, 'hookwright_jobs'::regnamespace)`;

async function eachDay(
  pool: pg.Pool,
  days: number,
  work: (client: pg.ClientBase, day: number) => Promise<void>,
): Promise<void> {
  const left = Array.from({ length: days }, (_, day) => day);
  const one = () =>
    withSession(pool, async (client) => {
      for (let day = left.shift(); day !== undefined; day = left.shift()) {
        await work(client, day);
      }
    });
  await Promise.all(Array.from({ length: SESSIONS }, one));
}

/** Settings of this session alone, which nobody measures. */
async function withSession<Result>(pool: pg.Pool, work: (client: pg.ClientBase) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query(`set synchronous_commit = off; set timezone = 'UTC'; set work_mem = '256MB';
                        set maintenance_work_mem = '256MB'`);
    return await work(client);
  } finally {
    client.release(true);
  }
}
