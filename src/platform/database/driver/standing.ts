import pg from 'pg';
import { sqlStateOf } from './sql-state.js';
import { verifyAddress } from './verified-address.js';

/** A host that says nothing for so long is not the primary. */
const ASK_MS = 3_000;

/** The answer of a server about itself. */
interface Standing {
  isStandby: boolean;
  /** A promotion begins a new one, with a higher number. Null: a standby, or a server that does not tell. */
  timeline: number | null;
  /** Differs between clusters; a standby has its primary's. */
  system: string | null;
}

export interface Host {
  host: string;
  port: number;
}

export interface Found extends Host, Standing {
  name: string;
}

const STANDING = `select pg_is_in_recovery() as "isStandby",
  case when not pg_is_in_recovery() then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end as timeline,
  (select system_identifier from pg_control_system())::text as system`;

/** Some servers that are rented have no such functions, or do not let the login call them. */
const STANDBY_ALONE = 'select pg_is_in_recovery() as "isStandby", null::integer as timeline, null::text as system';

export async function standingOf(client: pg.Client): Promise<Standing> {
  try {
    const { rows } = await client.query<Standing>(STANDING);
    return rows[0]!;
  } catch (error) {
    if (error instanceof pg.DatabaseError && !/^(08|57)/.test(sqlStateOf(error))) {
      return (await client.query<Standing>(STANDBY_ALONE)).rows[0]!;
    }
    throw error;
  }
}

/** @param url names one host */
export async function askHost(url: string): Promise<Found | { name: string; error: string }> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: ASK_MS,
    query_timeout: ASK_MS,
    application_name: 'hookwright finder',
  });
  client.on('error', () => {}); // the statement fails
  verifyAddress(client);
  const { host, port } = client;
  const name = `${host}:${port}`;
  try {
    await client.connect();
    return { ...(await standingOf(client)), host, port, name };
  } catch (error) {
    return { name, error: (error as Error).message || sqlStateOf(error) };
  } finally {
    void client.end().catch(() => {});
  }
}
