import { setTimeout as delay } from 'node:timers/promises';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import pg from 'pg';
import { migrations } from '../../../migrations/index.js';
import { entities } from '../../entities/index.js';
import { destroySocket } from './driver/destroy-socket.js';
import { urlOfFirstHost } from './driver/hosts-url.js';
import { endOnce, takeBackBrokenClients } from './driver/orm-pool.js';
import { PrimaryClient } from './driver/primary-client.js';
import { QuietClient } from './driver/quiet-client.js';
import { hotOptions, roleOptions } from './driver/session-url.js';
import { SQL_STATE, sqlStateOf } from './driver/sql-state.js';

/** A statement and, where it is to be prepared, its name. */
export interface Statement {
  /**
   * With a name it is planned once on each connection. What runs for each event, or every few seconds, needs one
   * (test/operations/named-statements.test.ts), and a plan that is right for an empty table of jobs and for a long one
   * (test/operations/job-plans.test.ts). Without one it is planned each time, as is right for rare statements.
   */
  name?: string;
  text: string;
}

/** Two pools: `pool` for the hot statements (prepared, pipelined, int8 as number), `orm` for everything else. */
export interface Database {
  url: string;
  pool: pg.Pool;
  orm: MikroORM;
  close(): Promise<void>;
}

/** One of the pools is enough. */
export type HasPool = Pick<Database, 'pool'>;
export type HasOrm = Pick<Database, 'orm'>;

const INT8_OID = 20;

/** Numbers for int8: ids have 53 bits, counts fewer. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text')) as never,
};

export const STATEMENT_TIMEOUT_MS = 12_000;
/** Signing in and planning the prepared statements takes 0.1 s of CPU time: connections are kept for the next burst. */
export const KEPT_WHEN_IDLE_MS = 600_000;
/** How long closing waits for a database that does not answer. */
const CLOSE_WAIT_MAX_MS = 2_000;
/** Somewhat longer than STATEMENT_TIMEOUT_MS. Then only a commit, or the network, can be the cause. */
const SILENCE_MS = 12_500;

/** Limits for a dead or unreachable database: the kernel would try a silent connection for a quarter of an hour. */
export function poolOptions(url: string, max: number, options = ''): pg.PoolConfig {
  return {
    connectionString: url,
    options, // beside those that every session needs: PrimaryClient
    Client: PrimaryClient as never,
    max,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    query_timeout: SILENCE_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: 15_000,
    application_name: 'hookwright',
  };
}

export function openPool(url: string, max: number, onError: (error: Error) => unknown, role?: string): pg.Pool {
  const pool = new pg.Pool({
    ...poolOptions(url, max, hotOptions(role)),
    idleTimeoutMillis: KEPT_WHEN_IDLE_MS,
    pipeline: true,
    Client: QuietClient,
    types,
  } as pg.PoolConfig);
  onPoolErrors(pool, onError);
  return pool;
}

/** An error of an idle connection has no caller to reject; without listeners it would end the process. */
export function onPoolErrors(pool: pg.Pool, onError: (error: Error) => unknown): void {
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
}

/** Rejects also when the connection is cut off meanwhile, which would leave the driver's promise open. */
export async function connect(client: pg.Client): Promise<void> {
  const ended = Promise.withResolvers<never>();
  client.once('end', () => ended.reject(new Error('The connection ended.')));
  await Promise.race([client.connect(), ended.promise]);
}

/** Ends a connection, also a stuck one. */
export function cutOff(client: pg.Client | undefined): void {
  if (client !== undefined) {
    void client.end().catch(() => {});
    destroySocket(client);
  }
}

export function ormOptions(
  url: string,
  poolMax: number,
  role?: string,
  onPoolCreated: (pool: pg.Pool) => void = takeBackBrokenClients,
): Options {
  return {
    clientUrl: urlOfFirstHost(url), // the driver gets all of them
    schema: 'hookwright',
    entities,
    extensions: [Migrator],
    forceUtcTimezone: true,
    autoJoinRefsForFilters: false, // relations are ids: see entities/columns.ts
    pool: { min: 0, max: poolMax },
    driverOptions: { ...poolOptions(url, poolMax, roleOptions(role)), onPoolCreated },
    migrations: {
      tableName: 'migrations',
      migrationsList: migrations,
      snapshot: false,
      silent: true,
      allOrNothing: false,
    },
  };
}

/** The pools connect at the first statement. @param role of the connections (default: the user of the url) */
export async function openDatabase(
  url: string,
  { poolMax, onError, role }: { poolMax: number; onError: (error: Error) => void; role?: string },
): Promise<Database> {
  let closing = false;
  // While we are closing, the server may be closing too: an ended connection is not an error then.
  const pool = openPool(url, poolMax, (error) => closing || onError(error), role);
  let ormPool: pg.Pool | undefined;
  const onPoolCreated = (created: pg.Pool) => {
    takeBackBrokenClients(created);
    endOnce(created);
    ormPool = created;
  };
  const orm = await MikroORM.init({ ...ormOptions(url, poolMax, role, onPoolCreated), connect: false } as Options);
  return {
    url,
    pool,
    orm,
    async close() {
      closing = true;
      // The pool ends before the ORM, which would wait without end for a connection that is being made.
      const ended = Promise.all([pool.end(), ormPool?.end()]).then(() => orm.close(true));
      await Promise.race([ended, delay(CLOSE_WAIT_MAX_MS, undefined, { ref: false })]);
    },
  };
}

/** A pool, one of its connections, or the ORM's transaction (operations/rows/unit-of-work.ts). */
export interface SqlTarget {
  query<Row extends pg.QueryResultRow>(statement: Statement & { values: unknown[] }): Promise<{ rows: Row[] }>;
}

/** Runs a statement: on a pool in a transaction of its own, on a client in the client's. */
export async function query<Row extends pg.QueryResultRow>(
  on: SqlTarget,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const result = await on.query<Row>({ ...statement, values: [...values] });
  return result.rows;
}

export type WithCommit = (statement: Promise<unknown>) => void;

/**
 * Runs `work` in one transaction. Statements that `work` hands to `withCommit` travel with the commit, in one round
 * trip, so that locks end sooner; if one fails, nothing is committed.
 *
 * @throws what `work` or the first of its statements to fail throws, after the roll-back
 */
export async function transaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, withCommit: WithCommit) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const sent: Promise<unknown>[] = [];
  // A rejection before it is awaited must not count as unhandled.
  const send = (statement: Promise<unknown>) => {
    statement.catch(() => {});
    sent.push(statement);
  };
  try {
    send(client.query('begin'));
    const result = await work(client, send);
    send(client.query('commit'));
    await Promise.all(sent);
    return result;
  } catch (error) {
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw isAborted(error) ? await causeAmong(sent, error) : error;
  } finally {
    client.release(broken);
  }
}

const isAborted = (error: unknown): boolean => sqlStateOf(error) === SQL_STATE.TRANSACTION_ABORTED;

/** The error of the first statement that failed: later ones only say that the transaction is aborted. */
async function causeAmong(sent: readonly Promise<unknown>[], aborted: unknown): Promise<unknown> {
  const answers = await Promise.allSettled(sent);
  const failed = answers.find((answer) => answer.status === 'rejected' && !isAborted(answer.reason));
  return failed?.status === 'rejected' ? failed.reason : aborted;
}
