import type pg from 'pg';
import type { Database } from '../../platform/database/database.js';
import { Primary } from '../../platform/database/driver/primary.js';
import { askHost } from '../../platform/database/driver/server-role.js';
import { API_ROLE } from '../../platform/database/tenant-database.js';
import { thisProgram } from '../../platform/node/this-program.js';
import type { Config } from '../../platform/settings/config.js';
import { listClosedDoors } from '../emits/outbox.js';
import { troubleOfApiRights } from '../installation/api-rights.js';
import { examineDeliveries } from '../installation/examine-deliveries.js';
import { examineForms } from '../installation/examine-forms.js';
import { examineServer } from '../installation/examine-server.js';
import type { OpenByDay } from '../installation/open-deliveries.js';
import { type Installation, readInstallation } from '../installation/read-installation.js';
import type { Searched } from '../installation/searches.js';
import type { Check } from './check.js';
import { judgeAccess } from './judge-access.js';
import { judgeDeliveries } from './judge-deliveries.js';
import { judgeForms } from './judge-forms.js';
import { judgeHosts } from './judge-replication.js';
import { judgeServer } from './judge-server.js';

/** Examines the server as the owner of the tables. @returns its clock too */
export async function examineRunningServer(
  { pool, url }: Pick<Database, 'pool' | 'url'>,
  { databasePoolMax: poolMax, replication }: Pick<Config, 'databasePoolMax' | 'replication'>,
): Promise<{ clock: Date; checks: Check[] }> {
  const { urls } = Primary.of(url);
  const asked = urls.length === 1 ? [] : Promise.all(urls.map(askHost));
  const { clock, apart, facts } = await onceReadOnly(pool, async (client) => ({
    ...(await compareClocks(client)),
    facts: await examineServer(client, API_ROLE),
  }));
  const checks = judgeServer(facts, { poolMax, replication, ...apart }, API_ROLE);
  return { clock, checks: [...judgeHosts(await asked), ...checks] };
}

/** A report keeps it for the next one. */
interface Looked {
  searched: Searched;
  openByDay: OpenByDay;
}

/**
 * Examines the rights of others and the deliveries of all tenants, as the owner of the tables.
 *
 * @param embedded all in one process
 * @param before how far searches came at the report before, and what was counted; null: everything is looked at
 * @returns the same for the next one
 */
export async function examineRunningDeliveries(
  pool: pg.Pool,
  now: Date,
  embedded: boolean,
  before: Partial<Looked> | null = null,
): Promise<Looked & { installation: Installation; checks: Check[] }> {
  const { read, deliveries, forms, rights, closedDoors } = await onceReadOnly(pool, async (client) => ({
    read: await readInstallation(client, before?.openByDay),
    deliveries: await examineDeliveries(client, before && (before.searched ?? {})),
    forms: await examineForms(client),
    rights: await troubleOfApiRights(client),
    closedDoors: await listClosedDoors(client),
  }));
  const { searched } = deliveries;
  const { openByDay, ...figures } = read;
  const installation = { ...figures, oldestLateSeconds: Math.max(read.oldestLateSeconds, secondsLate(searched, now)) };
  const startCommand = `${thisProgram} ${embedded ? 'start' : 'daemon'}`;
  const ofDeliveries = judgeDeliveries(deliveries, installation, { now, startCommand });
  const checks = [...judgeAccess(rights, closedDoors), ...ofDeliveries, judgeForms(forms)];
  return { installation, checks, searched, openByDay };
}

/** How late the oldest one is that was found; 0: none was. */
function secondsLate({ late }: Searched, now: Date): number {
  const [, dueAt] = late.found[0] ?? [];
  return dueAt === undefined ? 0 : (now.getTime() - new Date(dueAt as string).getTime()) / 1_000;
}

/** Read only, so that an examination cannot change anything by mistake. */
async function onceReadOnly<Result>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('begin transaction read only');
    return await work(client);
  } finally {
    await client.query('rollback').catch(() => {});
    client.release();
  }
}

async function compareClocks(client: pg.PoolClient) {
  const asked = Date.now();
  const { rows } = await client.query<{ clock: Date }>('select clock_timestamp() as clock');
  const answered = Date.now();
  const { clock } = rows[0]!;
  return {
    clock,
    apart: {
      clockAheadSeconds: ((asked + answered) / 2 - clock.getTime()) / 1_000,
      clockErrorSeconds: (answered - asked) / 2_000,
    },
  };
}
