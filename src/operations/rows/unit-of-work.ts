import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely } from 'kysely';
import { SlotsOfEach } from '../../concurrency/slots.js';
import { type Database, query, type SqlTarget, type Statement } from '../../database/database.js';
import { filteredEntityManager, PLATFORM } from '../../database/tenant-database.js';

/** What a person changes: entities, their audit entries and the jobs that follow, in one transaction. */
export interface UnitOfWork {
  /** With the tenant's filter. Changes of its entities are written at `flush`, at the latest before the commit. */
  em: EntityManager;
  /** When the transaction began, by the clock of Postgres, in whole milliseconds. */
  now: Date;
  /**
   * The same transaction for SQL that is shared with the daemon (jobs, advisory locks). It does not see changes of
   * entities before they are flushed. An int8 is a text here, as in all raw rows of the ORM.
   */
  sql: SqlTarget;
}

/**
 * A change holds a connection for some ten statements, and for as long as it waits for a row. So a tenant has few at a
 * time, and the others find connections.
 */
const PER_TENANT = 3;
const turns = new WeakMap<MikroORM, SlotsOfEach<number>>();

const beginStatement: Statement = {
  text: `select set_config('app.tenant', $1, true), set_config('lock_timeout', $2, true),
                extract(epoch from now())::float8 * 1000 as now_ms`,
};

/**
 * Runs `work` in one transaction for one tenant: row-level security hides all rows of others, and takes none that would
 * be theirs. Entities that `work` returns have the values that were written.
 *
 * @param tenantId null: what belongs to the installation itself; then finds must name the tenant themselves
 * @param lockWaitMs no statement waits for a lock for longer; 0: until it is free
 * @throws what `work` or a statement throws, after the roll-back; with `lockWaitMs` an Error with LOCK_NOT_AVAILABLE
 */
export async function managementTransaction<Result>(
  { orm }: Pick<Database, 'orm'>,
  tenantId: number | null,
  work: (unit: UnitOfWork) => Promise<Result>,
  { lockWaitMs = 0 }: { lockWaitMs?: number } = {},
): Promise<Result> {
  const change = () =>
    filteredEntityManager(orm.em, tenantId).transactional(async (em) => {
      const sql = sqlOf(em);
      const values = [String(tenantId ?? PLATFORM), `${lockWaitMs} ms`];
      const [begun] = await query<{ now_ms: number }>(sql, beginStatement, values);
      return await work({ em, sql, now: new Date(Math.floor(begun!.now_ms)) });
    });
  const ofTenants = turns.get(orm) ?? new SlotsOfEach<number>(PER_TENANT);
  turns.set(orm, ofTenants);
  return await ofTenants.run(tenantId ?? PLATFORM, change);
}

const sqlOf = (em: EntityManager): SqlTarget => ({
  query: ({ text, values }) =>
    em.getTransactionContext<Kysely<unknown>>()!.executeQuery(CompiledQuery.raw(text, values)),
});
