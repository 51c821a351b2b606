import type { EntityManager } from '@mikro-orm/postgresql';
import pg from 'pg';
import type { Database, Statement } from './database.js';
import { enterTenant, filteredEntityManager } from './tenant-database.js';

type Asked = string | (Statement & { values?: readonly unknown[]; types?: pg.CustomTypesConfig });

/** The ORM reads times from their texts: date, timestamp, timestamptz, interval. */
const READ_BY_ORM = new Set([1082, 1114, 1184, 1186]);
const ormTypes = {
  getTypeParser: (oid: number, format?: 'text') =>
    READ_BY_ORM.has(oid) ? (text: string) => text : pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

/** Holds a place for a query until `work` ends. Places leave connections to single reads, which a query needs too. */
type Place = (work: () => Promise<void>) => Promise<void>;

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
  #isOver = false;

  private constructor(
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

  /** Waits for a place first: a query that waited in the middle could hold what another one waits for. */
  static async begin(outside: Database, tenantId: number, place: Place): Promise<Moment> {
    const moment = new Moment(outside, tenantId);
    await new Promise<void>((resolve, reject) => {
      place(async () => {
        resolve();
        await moment.#ended.promise;
      }).catch(reject);
    });
    return moment;
  }

  /** Ends the transaction. A read that nobody waits for any more ends first, and later ones are refused. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#lastRead;
    const client = await this.#opened?.catch(() => undefined);
    if (client !== undefined) {
      const failure = await client.query('commit').then(
        () => undefined,
        (error: Error) => error,
      );
      client.release(failure);
    }
    this.#ended.resolve();
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
    if (this.#isOver) {
      return Promise.reject(new Error('The query has ended.'));
    }
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

  async #open(): Promise<pg.PoolClient> {
    const client = await this.outside.pool.connect();
    const begun = [
      client.query('begin isolation level repeatable read read only'),
      enterTenant(client, this.tenantId),
      client.query('savepoint read'),
    ];
    for (const one of begun) {
      one.catch(() => {}); // the reads behind it fail too, and so does the commit
    }
    return client;
  }
}

const isBoundary = (asked: Asked) => asked === 'begin' || asked === 'commit' || asked === 'rollback';

const answerOf = (client: pg.PoolClient, asked: Asked) => client.query(asked as pg.QueryConfig);
