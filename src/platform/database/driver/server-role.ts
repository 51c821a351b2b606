import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { sqlStateOf } from './sql-state.js';
import { verifyAddress } from './verified-address.js';

/** A host that says nothing for so long is not the primary. */
const ASK_MS = 3_000;
/** Once a primary has answered, the other hosts have this long to say that they are primaries too. */
const OTHERS_MS = 300;

/** The answer of a server about itself. */
interface ServerRole {
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

export interface Found extends Host, ServerRole {
  name: string;
}

const SERVER_ROLE = `select pg_is_in_recovery() as "isStandby",
  case when not pg_is_in_recovery() then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end as timeline,
  (select system_identifier from pg_control_system())::text as system`;

/** Some servers that are rented have no such functions, or do not let the login call them. */
const ROLE_OF_STANDBY = 'select pg_is_in_recovery() as "isStandby", null::integer as timeline, null::text as system';

export async function roleOf(client: pg.Client): Promise<ServerRole> {
  try {
    const { rows } = await client.query<ServerRole>(SERVER_ROLE);
    return rows[0]!;
  } catch (error) {
    if (error instanceof pg.DatabaseError && !/^(08|57)/.test(sqlStateOf(error))) {
      return (await client.query<ServerRole>(ROLE_OF_STANDBY)).rows[0]!;
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
    return { ...(await roleOf(client)), host, port, name };
  } catch (error) {
    return { name, error: (error as Error).message || sqlStateOf(error) };
  } finally {
    void client.end().catch(() => {});
  }
}

/** Asks all hosts at once. Hosts that are away do not hold up the one that answers. */
export async function askHosts(urls: readonly string[]): Promise<{ primaries: Found[]; reasons: string[] }> {
  const primaries: Found[] = [];
  const reasons: string[] = [];
  const first = Promise.withResolvers<void>();
  const asked = urls.map(async (url) => {
    const answer = await askHost(url);
    if ('error' in answer) {
      reasons.push(`${answer.name}: ${answer.error}`);
    } else if (answer.isStandby) {
      reasons.push(`${answer.name} is a standby`);
    } else {
      primaries.push(answer);
      first.resolve();
    }
  });
  const all = Promise.all(asked);
  await Promise.race([all, first.promise.then(() => delay(OTHERS_MS, undefined, { ref: false }))]);
  return { primaries: [...primaries], reasons };
}
