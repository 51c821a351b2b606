import type { EntityManager } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { query, type SqlTarget, type Statement, transaction, type WithCommit } from './database.js';

/**
 * The role of API processes. Row-level security shows it the rows of the tenant that a transaction names
 * (`tenantTransaction`). Daemon and command line work for all tenants, as the role of DATABASE_URL.
 */
export const API_ROLE = 'hookwright_api';

/** In place of a tenant: the installation itself, which has platform keys. No tenant has this id. */
export const PLATFORM = 0;

const enterStatement: Statement = {
  name: 'enter_tenant',
  text: `select set_config('app.tenant', $1, true)`,
};

/** `transaction` for one tenant: row-level security hides and refuses rows of others. @param tenantId null: PLATFORM */
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

/** Continues a transaction for another tenant. @param tenantId null: PLATFORM */
export async function enterTenant(client: SqlTarget, tenantId: number | null): Promise<void> {
  await query(client, enterStatement, [String(tenantId ?? PLATFORM)]);
}

/** Runs one statement for one tenant, in one round trip. @param settings a statement that sets up the transaction */
export async function tenantQuery<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  tenantId: number | null,
  statement: Statement,
  values: readonly unknown[],
  settings?: Statement & { values: string[] },
): Promise<Row[]> {
  let rows: Promise<Row[]> = Promise.resolve([]);
  await tenantTransaction(pool, tenantId, async (client, withCommit) => {
    if (settings !== undefined) {
      withCommit(client.query(settings));
    }
    rows = query<Row>(client, statement, values);
    withCommit(rows);
  });
  return rows;
}

/** Reads rows past the identity map: a mutation of the same request may have changed them before. */
export const FRESH = { disableIdentityMap: true } as const;

/** Options of a query whose conditions name the tenant, or that is for all tenants. */
export const UNFILTERED = { filters: { tenant: false }, ...FRESH } as const;

/**
 * The ORM for one tenant: its filter is set, and row-level security behind it. Each statement is a short transaction.
 *
 * @param tenantId null: PLATFORM; then the filter has no argument, and every query that needs one throws
 */
export function tenantEntityManager(em: EntityManager, tenantId: number | null): EntityManager {
  const fork = filteredEntityManager(em, tenantId);
  fork.setSessionContext({ variables: { 'app.tenant': String(tenantId ?? PLATFORM) } });
  return fork;
}

/** The ORM for a transaction that names the tenant. */
export function filteredEntityManager(em: EntityManager, tenantId: number | null): EntityManager {
  const fork = em.fork({ useContext: false });
  if (tenantId !== null) {
    fork.setFilterParams('tenant', { tenantId });
  }
  return fork;
}
