import { ApiError } from '../../errors.js';
import { type HasPool, query, type SqlTarget, type Statement } from '../../platform/database/database.js';
import { SQL_STATE, sqlStateOf } from '../../platform/database/driver/sql-state.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';

/** The tenants and webhooks with external ids (docs/decisions/0081). */

const tenantStatement: Statement = {
  name: 'tenant_of_external_id',
  text: 'select id from hookwright.tenants where external_id = $1 and deleted_at is null',
};

/**
 * The existing tenant with an external id.
 *
 * @param within finds this tenant alone; null: all of them
 */
export async function tenantOfExternalId(
  { pool }: HasPool,
  externalId: string,
  within: number | null = null,
): Promise<number | null> {
  const [tenant] = await tenantQuery<{ id: number }>(pool, within, tenantStatement, [externalId]);
  return tenant?.id ?? null;
}

const webhookStatement: Statement = {
  name: 'webhook_of_external_id',
  text: 'select webhook_id as id from hookwright.webhook_options where external_id = $2 and tenant_id = $1',
};

/** Processes of 0.1.0 delete webhooks too, and leave them their external ids. */
const freeStatement: Statement = {
  name: 'free_external_id',
  text: `
    update hookwright.webhook_options o set external_id = null from hookwright.webhooks w
    where o.external_id = $2 and o.tenant_id = $1 and w.id = o.webhook_id and w.deleted_at is not null`,
};

/**
 * Requires that no other webhook of the tenant has the external id that one is to get.
 *
 * @param externalId null or undefined: it gets none
 * @throws ApiError external_id_taken
 */
export async function requireFreeExternalId(
  sql: SqlTarget,
  tenantId: number,
  webhookId: number,
  externalId: string | null | undefined,
): Promise<void> {
  if (externalId == null) {
    return;
  }
  await query(sql, freeStatement, [tenantId, externalId]);
  const [webhook] = await query<{ id: number | string }>(sql, webhookStatement, [tenantId, externalId]);
  if (webhook !== undefined && Number(webhook.id) !== webhookId) {
    throw externalIdTaken('Webhook', Number(webhook.id));
  }
}

/**
 * The error of a change of a webhook. Of two changes at the same time that want one external id, the index refuses the
 * one that comes later.
 */
export async function webhookConflict(
  { pool }: HasPool,
  error: unknown,
  tenantId: number,
  externalId: string | null | undefined,
): Promise<unknown> {
  if (sqlStateOf(error) !== SQL_STATE.UNIQUE_VIOLATION || externalId == null) {
    return error;
  }
  const [webhook] = await tenantQuery<{ id: number }>(pool, tenantId, webhookStatement, [tenantId, externalId]);
  return externalIdTaken('Webhook', webhook?.id ?? null);
}

/** The same for a tenant, whose name is unique as well. */
export async function tenantConflict(
  db: HasPool,
  error: unknown,
  externalId: string | null | undefined,
): Promise<unknown> {
  if (sqlStateOf(error) !== SQL_STATE.UNIQUE_VIOLATION) {
    return error;
  }
  const tenant = externalId == null ? null : await tenantOfExternalId(db, externalId);
  return tenant === null
    ? new ApiError('name_taken', 'Another tenant has this name.')
    : externalIdTaken('Tenant', tenant);
}

/** @param id null: it has gone meanwhile */
const externalIdTaken = (noun: 'Tenant' | 'Webhook', id: number | null): ApiError =>
  new ApiError(
    'external_id_taken',
    id === null
      ? 'Another one had this external id a moment ago. Send the request again.'
      : `${noun} ${id} has this external id.`,
  );
