import type { EntityManager } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { query, type SqlTarget, type Statement, transaction, type WithCommit } from './database.js';

/**
 * The role of API processes. It owns nothing, and row-level security shows it the rows of one tenant: the one that a
 * transaction names (`tenantTransaction`). Daemon and command line work for all tenants, as the role of DATABASE_URL.
 */
export const API_ROLE = 'hookwright_api';

/** In place of a tenant: what belongs to the installation itself, such as platform keys. No tenant has this id. */
export const PLATFORM = 0;

const enterStatement: Statement = {
  name: 'enter_tenant',
  text: `select set_config('app.tenant', $1, true)`,
};

/**
 * As `transaction`, for one tenant: row-level security hides all rows of others, and takes none that would be theirs.
 *
 * @param tenantId null: what belongs to the installation itself
 */
export function tenantTransaction<Result>(
  pool: pg.Pool,
  tenantId: number | null,
  work: (client: pg.PoolClient, withCommit: WithCommit) => Promise<Result>,
): Promise<Result> {
  return transaction(pool, (client, withCommit) => {
    withCommit(enterTenant(client, tenantId));
    return work(client, withCommit);
  });
}

/** Goes on with a transaction for another tenant: with null, for what belongs to the installation itself. */
export async function enterTenant(client: SqlTarget, tenantId: number | null): Promise<void> {
  await query(client, enterStatement, [String(tenantId ?? PLATFORM)]);
}

/** Runs one prepared statement for one tenant. It travels together with the transaction's begin and end. */
export async function tenantQuery<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  tenantId: number | null,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  let rows: Promise<Row[]> = Promise.resolve([]);
  await tenantTransaction(pool, tenantId, async (client, withCommit) => {
    rows = query<Row>(client, statement, values);
    withCommit(rows);
  });
  return rows;
}

/** Rows are read past the identity map: a mutation of the same request may have changed them just before. */
export const FRESH = { disableIdentityMap: true } as const;

/** Options of a query whose conditions name the tenant themselves, or that is for all of them. */
export const UNFILTERED = { filters: { tenant: false }, ...FRESH } as const;

/**
 * The ORM for one tenant: its filter is set, and row-level security behind it. Each statement is a short transaction.
 *
 * @param tenantId null: what belongs to the installation itself; then the filter has no argument, and every query that
 *   needs one throws
 */
export function tenantEntityManager(em: EntityManager, tenantId: number | null): EntityManager {
  const fork = filteredEntityManager(em, tenantId);
  fork.setSessionContext({ variables: { 'app.tenant': String(tenantId ?? PLATFORM) } });
  return fork;
}

/** With the tenant's filter alone: row-level security follows with the transaction. */
export function filteredEntityManager(em: EntityManager, tenantId: number | null): EntityManager {
  const fork = em.fork({ useContext: false });
  if (tenantId !== null) {
    fork.setFilterParams('tenant', { tenantId });
  }
  return fork;
}
