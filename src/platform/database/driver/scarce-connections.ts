import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { SQL_STATE, sqlStateOf } from './sql-state.js';

/** How long a pool stays smaller, and how long it keeps a connection idle meanwhile. */
const MAKE_DO_MS = 5_000;
/** Some work needs two at once, one of them for its lock: with fewer it would wait for itself. */
const ENOUGH = 2;
/** Postgres counts a connection that has ended for a moment longer. */
const RETRY_MS = 200;
/** A full pool lets wait for a connection as long. */
const PATIENCE_MS = 5_000;

type Connect = pg.Pool['connect'];

/** The pools of this process, with their own `connect`. */
const pools = new Map<pg.Pool, Connect>();
const makingDo = new WeakSet<pg.Pool>();
/** The pools that close a connection as soon as one is free. */
const giving = new WeakSet<pg.Pool>();

/**
 * When Postgres refuses a connection (53300: `max_connections` is shared with others), the pool makes do with those
 * that it has for some seconds, and closes idle ones; a pool that has fewer than ENOUGH gets one of another pool of
 * this process. `connect` throws DatabaseError with TOO_MANY_CONNECTIONS only when there is none for some seconds.
 */
export function makeDoWithFew(pool: pg.Pool): void {
  for (const other of pools.keys()) {
    if (other.ended) {
      pools.delete(other);
    }
  }
  const connect: Connect = pool.connect.bind(pool);
  pools.set(pool, connect);
  // No promise of our own: all hot statements come through here.
  pool.connect = ((callback?: Parameters<Connect>[0]) => {
    if (callback === undefined) {
      return connect().catch((error: unknown) => connectLater(pool, connect, error));
    }
    return connect((error, client, release) => {
      if (!isRefusal(error)) {
        callback(error, client, release);
        return;
      }
      connectLater(pool, connect, error).then(
        (later) => callback(undefined, later, later.release),
        (last: Error) => callback(last, undefined, () => {}),
      );
    });
  }) as Connect;
}

/** Takes a connection from another pool if Postgres refused one that no pool has. @throws `error` */
export function makeRoomAndThrow(error: unknown): never {
  if (isRefusal(error)) {
    takeFromAnother();
  }
  throw error;
}

const isRefusal = (error: unknown): error is Error => sqlStateOf(error) === SQL_STATE.TOO_MANY_CONNECTIONS;

async function connectLater(pool: pg.Pool, connect: Connect, refusal: unknown): Promise<pg.PoolClient> {
  const until = performance.now() + PATIENCE_MS;
  let error = refusal;
  while (isRefusal(error) && performance.now() < until) {
    makeDo(pool, Math.max(ENOUGH, pool.totalCount), error);
    if (pool.totalCount < ENOUGH) {
      takeFromAnother(pool);
    }
    await delay(RETRY_MS); // by then only connections that were not refused count
    makeDo(pool, Math.max(ENOUGH, pool.totalCount));
    try {
      return await connect();
    } catch (later) {
      error = later;
    }
  }
  throw error;
}

/** Has the pool that has most, and more than enough, close one as soon as it is free. */
function takeFromAnother(taker?: pg.Pool): void {
  const [donor] = [...pools.keys()]
    .filter((pool) => pool !== taker && !pool.ending && pool.totalCount > ENOUGH)
    .sort((a, b) => b.totalCount - a.totalCount);
  if (donor !== undefined && !giving.has(donor)) {
    giving.add(donor);
    makeDo(donor, donor.totalCount - 1);
    pools.get(donor)?.((_, __, release) => {
      giving.delete(donor);
      release?.(true); // none, when none was free in time
    });
  }
}

/** @param refusal for the log */
function makeDo(pool: pg.Pool, connections: number, refusal?: Error): void {
  const { options } = pool;
  if (!makingDo.has(pool)) {
    makingDo.add(pool);
    const { max, idleTimeoutMillis } = options;
    setTimeout(() => {
      makingDo.delete(pool);
      Object.assign(options, { max, idleTimeoutMillis });
    }, MAKE_DO_MS).unref();
    if (refusal !== undefined) {
      pool.emit('error', refusal);
    }
  }
  Object.assign(options, { max: connections, idleTimeoutMillis: MAKE_DO_MS });
}
