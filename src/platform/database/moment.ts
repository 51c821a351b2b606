import type { EntityManager } from '@mikro-orm/postgresql';
import pg from 'pg';
import { Slots, SlotsOfEach } from '../concurrency/slots.js';
import type { Database, Statement } from './database.js';
import { enterTenant, filteredEntityManager } from './tenant-database.js';

type Asked = string | (Statement & { values?: readonly unknown[]; types?: pg.CustomTypesConfig });

/** The ORM reads times from their texts: date, timestamp, timestamptz, interval. */
const READ_BY_ORM = new Set([1082, 1114, 1184, 1186]);
const ormTypes = {
  getTypeParser: (oid: number, format?: 'text') =>
    READ_BY_ORM.has(oid) ? (text: string) => text : pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

/** A tenant with many queries at once waits for its own. */
const PER_TENANT = 2;

/** Moments of a process. Half of the pool is left for single reads, which a query in a moment may need as well. */
class Places {
  readonly #ofTenants = new SlotsOfEach<number>(PER_TENANT);
  readonly #all: Slots;

  constructor({ options: { max } }: pg.Pool) {
    this.#all = new Slots(Math.max(1, Math.floor(max / 2)));
  }

  run<Result>(tenantId: number, work: () => Promise<Result>): Promise<Result> {
    return this.#ofTenants.run(tenantId, () => this.#all.run(work));
  }
}

const placesOf = new WeakMap<pg.Pool, Places>();

/**
 * All reads of one query, in one read-only transaction: they see the same commits. It begins at the first read, on one
 * connection, where reads come one after the other. Each is undone up to a savepoint, with its settings, so that one
 * that fails or takes too long leaves the others as they are.
 */
export class Moment {
  /** A database whose pool reads in this moment. The ORM's connections do not: use `em`. */
  readonly db: Database;
  readonly em: EntityManager;
  readonly #ended = Promise.withResolvers<void>();
  #opened: Promise<pg.PoolClient> | undefined;
  #lastRead: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly outside: Database,
    private readonly tenantId: number,
  ) {
    const query = (asked: Asked) => this.#alone((client) => answerOf(client, asked));
    this.db = { ...outside, pool: { connect: () => this.#session(), query } as unknown as pg.Pool };
    this.em = filteredEntityManager(outside.orm.em, tenantId);
    this.em.setTransactionContext({
      executeQuery: ({ sql }: { sql: string }) => query({ text: sql, types: ormTypes }),
    });
  }

  /** Ends the transaction. A read that nobody waits for any more ends first. */
  async end(): Promise<void> {
    if (this.#opened !== undefined) {
      await this.#lastRead;
      this.#ended.resolve();
    }
  }

  /** A transaction of `transaction()` within the moment. */
  async #session(): Promise<pg.PoolClient> {
    const end = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<pg.PoolClient>();
    this.#alone(async (client) => {
      begun.resolve(client);
      await end.promise;
    }).catch(begun.reject);
    const client = await begun.promise;
    const query = async (asked: Asked) => (isBoundary(asked) ? { rows: [] } : answerOf(client, asked));
    return { query, release: end.resolve } as unknown as pg.PoolClient;
  }

  /** Does `read` when those before it have ended. */
  #alone<Result>(read: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const result = this.#lastRead.then(async () => {
      this.#opened ??= this.#open();
      const client = await this.#opened;
      try {
        return await read(client);
      } finally {
        void client.query('rollback to savepoint read').catch(() => {}); // the next read meets the same fault
      }
    });
    this.#lastRead = result.catch(() => {});
    return result;
  }

  #open(): Promise<pg.PoolClient> {
    const opened = Promise.withResolvers<pg.PoolClient>();
    const { pool } = this.outside;
    const places = placesOf.get(pool) ?? new Places(pool);
    placesOf.set(pool, places);
    const work = async () => {
      const client = await pool.connect();
      const sent = [
        client.query('begin isolation level repeatable read read only'),
        enterTenant(client, this.tenantId),
        client.query('savepoint read'),
      ];
      const begun = Promise.all(sent).then(
        () => null,
        (error: Error) => error,
      );
      opened.resolve(client);
      await this.#ended.promise;
      const failure =
        (await begun) ??
        (await client.query('commit').then(
          () => null,
          (error: Error) => error,
        ));
      client.release(failure ?? undefined);
    };
    places.run(this.tenantId, work).catch(opened.reject);
    return opened.promise;
  }
}

const isBoundary = (asked: Asked) => asked === 'begin' || asked === 'commit' || asked === 'rollback';

const answerOf = (client: pg.PoolClient, asked: Asked) => client.query(asked as pg.QueryConfig);
