import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely } from 'kysely';
import { SlotsOfEach } from '../../platform/concurrency/slots.js';
import { commitsOf } from '../../platform/database/commits.js';
import { type HasOrm, query, type SqlTarget, type Statement } from '../../platform/database/database.js';
import { filteredEntityManager, PLATFORM } from '../../platform/database/tenant-database.js';
import { type NoChange, refusedChange } from '../cells/moving.js';

/** A person's change: entities, their audit entries and the jobs that follow, in one transaction. */
export interface UnitOfWork {
  /** With the tenant's filter. Changes of its entities are written at `flush`, at the latest before the commit. */
  em: EntityManager;
  /** When the transaction began, by the clock of Postgres, in whole milliseconds. */
  now: Date;
  /**
   * The same transaction for SQL that the daemon runs as well (jobs, advisory locks). Changes of entities are visible
   * to it after a flush. An int8 is a text here, as in all raw rows of the ORM.
   */
  sql: SqlTarget;
}

/** A change occupies a connection for some ten statements, and while it waits for a row. */
const PER_TENANT = 3;
const slots = new WeakMap<MikroORM, SlotsOfEach<number>>();

const beginStatement: Statement = {
  text: `select hookwright.begin_change(set_config('app.tenant', $1, true)::bigint) as moving,
                set_config('lock_timeout', $2, true), extract(epoch from now())::float8 * 1000 as now_ms`,
};

/**
 * Runs `work` in one transaction for one tenant: row-level security hides and refuses rows of others. Entities that
 * `work` returns have the values that were written.
 *
 * @param tenantId null: the installation itself; then finds must name the tenant
 * @param lockWaitMs the longest wait of a statement for a lock; 0: no limit
 * @throws ApiError tenant_moving, tenant_elsewhere; what `work` or a statement throws, after the roll-back; with
 *   `lockWaitMs` an Error with LOCK_NOT_AVAILABLE
 */
export async function managementTransaction<Result>(
  { orm }: HasOrm,
  tenantId: number | null,
  work: (unit: UnitOfWork) => Promise<Result>,
  { lockWaitMs = 0 }: { lockWaitMs?: number } = {},
): Promise<Result> {
  const change = () =>
    filteredEntityManager(orm.em, tenantId).transactional(async (em) => {
      commitsOf(orm).requireAnswers(); // it may have waited for the connection
      const sql = sqlOf(em);
      const values = [String(tenantId ?? PLATFORM), `${lockWaitMs} ms`];
      const [begun] = await query<{ now_ms: number; moving: NoChange | null }>(sql, beginStatement, values);
      if (begun!.moving !== null) {
        throw await refusedChange(sql, tenantId!, begun!.moving);
      }
      return await work({ em, sql, now: new Date(Math.floor(begun!.now_ms)) });
    });
  const ofTenants = slots.get(orm) ?? new SlotsOfEach<number>(PER_TENANT);
  slots.set(orm, ofTenants);
  return await ofTenants.run(tenantId ?? PLATFORM, () => commitsOf(orm).run(change));
}

/** The transaction of an EntityManager for SQL. */
export const sqlOf = (em: EntityManager): SqlTarget => ({
  query: ({ text, values }) =>
    em.getTransactionContext<Kysely<unknown>>()!.executeQuery(CompiledQuery.raw(text, values)),
});
