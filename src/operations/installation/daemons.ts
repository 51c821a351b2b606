import type pg from 'pg';
import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';

/** A daemon's report of itself. */
interface DaemonReport {
  /** A UUID of the process. */
  id: string;
  host: string;
  pid: number;
  version: string;
  /** The most requests that it makes at a time. */
  slots: number;
  inFlight: number;
  startedAt: Date;
}

/** The options of webhooks that a daemon can follow. */
interface DaemonSkills {
  /** The fields with `since` that it knows, and skills such as `OTHER_SECRETS`. */
  knows: readonly string[];
  /** The digests of the signature forms that it signs in, by their names. */
  signatureForms: Readonly<Record<string, string>>;
}

interface KnownDaemon extends DaemonReport {
  lastSeenAt: Date;
}

const SHOWN_MINUTES = 10;
const DAEMONS_MAX = 100;

/** One that was killed counts until then: a daemon reports every five seconds. */
export const ALIVE_SECONDS = 15;

const reportStatement: Statement = {
  name: 'report_daemon',
  text: `
    with gone as (delete from hookwright.daemons where last_seen_at < now() - interval '1 day' and id <> $1),
    own as (
      insert into hookwright.daemons (id, host, pid, version, slots, in_flight, started_at, knows, signature_forms)
      values ($1, $2, $3, $4, $5, $6, $7, $8::text[], $9::jsonb)
      on conflict (id) do update set in_flight = excluded.in_flight, last_seen_at = now())
    select 1 + count(*)::integer as alive from hookwright.daemons
    where id <> $1 and last_seen_at > now() - interval '${ALIVE_SECONDS} s'`,
};

/** @returns how many daemons are alive, this one included */
export async function reportDaemon(pool: pg.Pool, daemon: DaemonReport & DaemonSkills): Promise<number> {
  const { id, host, pid, version, slots, inFlight, startedAt, knows, signatureForms } = daemon;
  const values = [id, host, pid, version, slots, inFlight, startedAt, [...knows], JSON.stringify(signatureForms)];
  const [row] = await query<{ alive: number }>(pool, reportStatement, values);
  return row!.alive;
}

/** Takes back the report of a daemon that ends. */
export async function forgetDaemon(pool: pg.Pool, id: string): Promise<void> {
  await query(pool, { name: 'forget_daemon', text: 'delete from hookwright.daemons where id = $1' }, [id]);
}

const readStatement: Statement = {
  name: 'read_daemons',
  text: `
    select id, host, pid, version, slots, in_flight as "inFlight", started_at as "startedAt",
           last_seen_at as "lastSeenAt"
    from hookwright.daemons where last_seen_at > now() - interval '${SHOWN_MINUTES} minutes'
    order by started_at desc, id limit ${DAEMONS_MAX}`,
};

/** The daemons that have reported within ten minutes, the youngest first. */
export const readDaemons = ({ pool }: HasPool): Promise<KnownDaemon[]> =>
  tenantQuery<KnownDaemon>(pool, null, readStatement, []);

const olderStatement: Statement = {
  name: 'older_daemon',
  text: `
    select host, version from hookwright.daemons
    where last_seen_at > now() - interval '${ALIVE_SECONDS} s' and not coalesce(knows @> $1::text[], false)
    order by started_at, id limit 1`,
};

/** A daemon that is alive and does not know one of these fields or skills. A version before says nothing of any. */
export async function olderDaemon(
  { pool }: HasPool,
  fields: readonly string[],
): Promise<Pick<DaemonReport, 'host' | 'version'> | null> {
  const [older] = await tenantQuery<Pick<DaemonReport, 'host' | 'version'>>(pool, null, olderStatement, [[...fields]]);
  return older ?? null;
}
