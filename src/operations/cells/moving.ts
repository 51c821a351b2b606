import { type ApiError, tenantMoving } from '../../errors.js';
import { query, type SqlTarget, type Statement } from '../../platform/database/database.js';
import { missingTenant } from './own-cell.js';

/** Tenants that move to another cell (docs/decisions/0099). */

/** Why a tenant takes no changes: the last of it is being moved, or it lives in another cell. */
export type NoChange = 'CLOSED' | 'GONE';

export const refusedChange = async (sql: SqlTarget, tenantId: number, why: NoChange): Promise<ApiError> =>
  why === 'GONE' ? await missingTenant(sql, tenantId) : tenantMoving();

const beginStatement: Statement = {
  name: 'begin_change',
  text: 'select hookwright.begin_change($1) as moving',
};

/**
 * Begins a change in a transaction that names the tenant, and is no `managementTransaction`.
 *
 * @throws ApiError tenant_moving, tenant_elsewhere
 */
export async function beginChange(sql: SqlTarget, tenantId: number): Promise<void> {
  const [row] = await query<{ moving: NoChange | null }>(sql, beginStatement, [tenantId]);
  if (row!.moving !== null) {
    throw await refusedChange(sql, tenantId, row!.moving);
  }
}

const movingSql = (marks: string) => `array(select m.id from hookwright.tenants m where m.moving ${marks})`;

/**
 * SQL condition: a sweep may make work for the tenant of this column, since it does not move. Those that do are read
 * once for the statement, from an index that is usually empty. No other index is chosen for the condition.
 */
export const staysSql = (tenantId: string): string => `(${tenantId} <> all(${movingSql('is not null')})) is true`;

/** The same for what is erased at its time: what a tenant has left here ends at the same time as in its new cell. */
export const mayEraseSql = (tenantId: string): string =>
  `(${tenantId} <> all(${movingSql("in ('DRAINING', 'CLOSED')")})) is true`;

/** Jobs of a tenant that moves come again after this time. */
export const MOVING_REST_MS = 60_000;
