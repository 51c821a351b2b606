import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { examineRunningDeliveries } from '../../src/operations/doctor/examine.js';
import { rollPartitions } from '../../src/operations/housekeeping/roll-partitions.js';
import { repairFutureTimes } from '../../src/operations/installation/future-times.js';
import { repairIgnoredFilters } from '../../src/operations/installation/ignored-filters.js';
import { CONTROL_NAME } from '../../src/platform/graphile-worker/worker-pools.js';
import { AllowedLife } from '../support/allowed-life.js';
import { type Life, lives } from '../support/allowed-lives.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { draws, drawsTimeoutMs, fc } from '../support/properties.js';

/** The rows of every table, as a digest. */
async function rowsOf(stack: DeliveryStack): Promise<object> {
  const tables = await stack.rows<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     where c.relnamespace in ('hookwright'::regnamespace, 'hookwright_jobs'::regnamespace)
       and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  const digests = tables.map(
    ({ name }) => `(select md5(string_agg(t::text, ',' order by t::text)) from ${name} t) as "${name}"`,
  );
  const [digest] = await stack.rows<object>(`select ${digests.join()}`);
  return digest!;
}

async function complaints(life: Life): Promise<unknown> {
  await using stack = await DeliveryStack.open({ RETRY_BASE_SECONDS: '3600', MAX_RETRIES: '9' });
  const { pool } = stack.services.db;
  await rollPartitions(pool, 30);
  await new AllowedLife(stack).live(life);
  const daemon = new pg.Client({ connectionString: stack.databaseUrl, application_name: CONTROL_NAME });
  await daemon.connect();
  const { checks } = await examineRunningDeliveries(pool, new Date(), false);
  await daemon.end();
  const before = await rowsOf(stack);
  const repaired = (await repairFutureTimes(pool)) + (await repairIgnoredFilters(pool));
  expect(await rowsOf(stack)).toEqual(before);
  return { repaired, complaints: checks.filter(({ status }) => status !== 'ok') };
}

test(
  'where only what is allowed happens, the doctor has no complaint, and --repair changes no row',
  async () => {
    await fc.assert(
      fc.asyncProperty(lives, async (life) => {
        expect(await complaints(life)).toEqual({ repaired: 0, complaints: [] });
      }),
      // Each has a database of its own: making the counterexample shorter would take minutes.
      { ...draws(5), endOnFailure: true },
    );
  },
  drawsTimeoutMs(120_000),
);

test('a failed job waits as graphile-worker has it wait', async () => {
  const path = new URL('../../node_modules/graphile-worker/dist/sql/failJobs.js', import.meta.url);
  const pauses = (await readFile(path, 'utf8')).match(/run_at = .*/g);
  expect(new Set(pauses)).toEqual(
    new Set(["run_at = greatest(now(), run_at) + (exp(least(attempts, 10)) * interval '1 second'),"]),
  );
});
