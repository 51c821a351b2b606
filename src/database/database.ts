import { setTimeout as delay } from 'node:timers/promises';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import pg from 'pg';
import { migrations } from '../../migrations/index.js';
import { entities } from '../entities/index.js';
import { endOnce, takeBackBrokenClients } from './driver/orm-pool.js';
import { destroySocket, QuietClient } from './driver/quiet-client.js';
import { makeDoWithFew, makeRoomAndThrow } from './driver/scarce-connections.js';
import { hotUrl, sessionUrl } from './driver/session-url.js';
import { SQL_STATE, sqlStateOf } from './driver/sql-state.js';

/** A statement and, where it is to be prepared, its name. */
export interface Statement {
  /**
   * Under this name it is sent to each connection once, and planned once in the connection's life. Without one it is
   * planned each time, by the tables as they are then: for the jobs, whose table is empty one moment and long the next.
   * Neither is planned for its values, but in a transaction that asks for it (`search`).
   */
  name?: string;
  text: string;
}

/**
 * Postgres, twice: `pool` for the hot statements (prepared, pipelined, int8 as number), `orm` for everything else.
 */
export interface Database {
  url: string;
  pool: pg.Pool;
  orm: MikroORM;
  close(): Promise<void>;
}

const INT8_OID = 20;

/** Numbers for int8: ids have 53 bits, counts fewer. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text')) as never,
};

export const STATEMENT_TIMEOUT_MS = 12_000;
/**
 * A connection for prepared statements costs what signing in and planning them costs, a tenth of a second of CPU time
 * in all: it is kept until the next burst of work.
 */
export const KEPT_WHEN_IDLE_MS = 600_000;
/** Whoever closes has given up what is still at work: a database that does not answer is waited for no longer. */
const CLOSE_PATIENCE_MS = 2_000;

/**
 * The limits that keep a dead or cut-off database from hanging us for ever: a black-holed connection shows no
 * error at all by itself (the kernel would try for a quarter of an hour).
 */
export function poolOptions(url: string, max: number): pg.PoolConfig {
  return {
    connectionString: sessionUrl(url),
    max,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    query_timeout: 15_000,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: 15_000,
    application_name: 'hookwright',
  };
}

export function openPool(url: string, max: number, onError: (error: Error) => unknown, role?: string): pg.Pool {
  const pool = new pg.Pool({
    ...poolOptions(hotUrl(url, role), max),
    idleTimeoutMillis: KEPT_WHEN_IDLE_MS,
    pipeline: true,
    Client: QuietClient,
    types,
  } as pg.PoolConfig);
  makeDoWithFew(pool);
  onPoolErrors(pool, onError);
  return pool;
}

/** An error of an idle connection has no caller to reject; without listeners it would end the process. */
export function onPoolErrors(pool: pg.Pool, onError: (error: Error) => unknown): void {
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
}

/** As `client.connect`, but rejects when the connection is cut off meanwhile: that promise would stay open for ever. */
export async function connect(client: pg.Client): Promise<void> {
  const ended = Promise.withResolvers<never>();
  client.once('end', () => ended.reject(new Error('The connection ended.')));
  await Promise.race([client.connect(), ended.promise]).catch(makeRoomAndThrow);
}

/** Ends a connection, also one that is stuck, which does not end when asked to. */
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
  const roleUrl = sessionUrl(url, role === undefined ? '' : `-c role=${role}`);
  return {
    clientUrl: roleUrl,
    schema: 'hookwright',
    entities,
    extensions: [Migrator],
    forceUtcTimezone: true,
    autoJoinRefsForFilters: false, // relations are ids: see entities/columns.ts
    pool: { min: 0, max: poolMax },
    driverOptions: {
      ...poolOptions(roleUrl, poolMax),
      onPoolCreated,
    },
    migrations: {
      tableName: 'migrations',
      migrationsList: migrations,
      snapshot: false,
      silent: true,
      allOrNothing: false,
    },
  };
}

/**
 * Opens both pools. Connects lazily: a database that is away shows at the first statement.
 *
 * @param role what the connections may do; without it, what the user of the url may
 */
export async function openDatabase(
  url: string,
  { poolMax, onError, role }: { poolMax: number; onError: (error: Error) => void; role?: string },
): Promise<Database> {
  let closing = false;
  // While we are closing, the server may be closing too: who ends whose connection first is no news.
  const pool = openPool(url, poolMax, (error) => closing || onError(error), role);
  let ormPool: pg.Pool | undefined;
  const onPoolCreated = (created: pg.Pool) => {
    takeBackBrokenClients(created);
    makeDoWithFew(created);
    endOnce(created);
    ormPool = created;
  };
  const options = { ...ormOptions(url, poolMax, role, onPoolCreated), connect: false } as Options;
  const orm = await MikroORM.init(options);
  return {
    url,
    pool,
    orm,
    async close() {
      closing = true;
      // The pool before the ORM, which forgets a connection that is still being made and would wait for it for ever.
      const ended = Promise.all([pool.end(), ormPool?.end()]).then(() => orm.close(true));
      await Promise.race([ended, delay(CLOSE_PATIENCE_MS, undefined, { ref: false })]);
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

/** Takes a statement that travels with the commit. */
export type WithCommit = (statement: Promise<unknown>) => void;

/**
 * Runs `work` in one transaction. The connections are pipelined: statements that are sent without waiting share a
 * round trip. Those that `work` hands to `withCommit` travel with the commit, which shortens the time that locks are
 * held; should one fail, nothing is committed.
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
  // What is not awaited at once must not become an unhandled rejection in the meantime.
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

/** The statement that failed first, of which later ones say only that it did. All have been answered by now. */
async function causeAmong(sent: readonly Promise<unknown>[], aborted: unknown): Promise<unknown> {
  const answers = await Promise.allSettled(sent);
  const failed = answers.find((answer) => answer.status === 'rejected' && !isAborted(answer.reason));
  return failed?.status === 'rejected' ? failed.reason : aborted;
}
