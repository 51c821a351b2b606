import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { SQL_STATE, sqlStateOf } from './sql-state.js';

/** For how long a pool makes do with what it has, and how long it keeps a connection idle meanwhile. */
const MAKE_DO_MS = 5_000;
/** Some work needs two at once, one of them for its lock: with fewer it would wait for itself. */
const ENOUGH = 2;
/** Postgres counts a connection that has ended for a moment longer. */
const RETRY_MS = 200;
/** As long as one waits for a connection of a pool that is full. */
const PATIENCE_MS = 5_000;

type Connect = pg.Pool['connect'];

/** The pools of this process, and how each asks Postgres: what one has, another may lack. */
const pools = new Map<pg.Pool, Connect>();
const makingDo = new WeakSet<pg.Pool>();
const growing = new WeakSet<pg.Pool>();
/** Those that have been asked for one, and will close it when one is free. */
const giving = new WeakSet<pg.Pool>();

/**
 * Postgres may refuse a further connection (53300) long before a pool has its number: `max_connections`, and the limits
 * of a login and of a database, are shared with others. From then on such a pool waits for one of its own, as when it
 * is full, and gives back those that idle, which others may lack; after some seconds it asks for more again. One that
 * has too few to work with gets one that another pool of this process has.
 *
 * `connect` throws DatabaseError with TOO_MANY_CONNECTIONS only when the pool gets none for some seconds.
 */
export function makeDoWithFew(pool: pg.Pool): void {
  for (const other of pools.keys()) {
    if (other.ended) {
      pools.delete(other);
    }
  }
  const connect: Connect = pool.connect.bind(pool);
  pools.set(pool, connect);
  // Not a promise each time: all hot statements come through here.
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

const isRefusal = (error: unknown): error is Error => sqlStateOf(error) === SQL_STATE.TOO_MANY_CONNECTIONS;

/** For a connection that stands alone and is tried again: if it was refused, a pool gives one back. @throws `error` */
export function makeRoomAndThrow(error: unknown): never {
  if (isRefusal(error)) {
    takeFromAnother();
  }
  throw error;
}

async function connectLater(pool: pg.Pool, connect: Connect, first: unknown): Promise<pg.PoolClient> {
  const until = performance.now() + PATIENCE_MS;
  let error = first;
  while (isRefusal(error) && performance.now() < until) {
    makeDo(pool, Math.max(1, pool.totalCount), error);
    void grow(pool, connect);
    while (pool.totalCount === 0 && growing.has(pool)) {
      await delay(RETRY_MS);
    }
    try {
      return await connect();
    } catch (later) {
      error = later;
    }
  }
  throw error;
}

/** Gets a pool enough connections, if that can be done in time. One asks for all that wait: refused ones count, too. */
async function grow(pool: pg.Pool, connect: Connect): Promise<void> {
  if (growing.has(pool)) {
    return;
  }
  growing.add(pool);
  const until = performance.now() + PATIENCE_MS;
  while (pool.totalCount < ENOUGH && !pool.ending && performance.now() < until) {
    takeFromAnother(pool);
    await delay(RETRY_MS);
    makeDo(pool, ENOUGH);
    await connect().then(
      (client) => client.release(), // for whoever waits
      () => makeDo(pool, Math.max(1, pool.totalCount)),
    );
  }
  growing.delete(pool);
}

/** Has the pool that has most, and more than enough, give one back as soon as one is free. */
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
