import type pg from 'pg';
import { visibleText } from '../../domain/text/visible-text.js';
import { ApiKey, activeKeys } from '../../entities/api-key.js';
import { NoticeRecipient } from '../../entities/notice-recipient.js';
import { ApiError } from '../../errors.js';
import { tryEach } from '../../platform/concurrency/try-each.js';
import { type HasOrm, query, type Statement } from '../../platform/database/database.js';
import { enterTenant } from '../../platform/database/tenant-database.js';
import { forgetRows } from '../housekeeping/forget.js';
import { EVENT_EXTRA_DAYS } from '../housekeeping/roll-partitions.js';
import { enqueueAligns } from '../jobs/enqueue.js';
import { eraseRecipient } from '../notices/change-recipients.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { lockTenant } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import { eraseSigningKeys } from '../signing-keys/change-signing-keys.js';
import { eraseWebhooks } from '../webhooks/delete-webhook.js';

interface DeletedTenant {
  webhookIds: number[];
  apiKeyIds: number[];
}

/** All living webhooks of a tenant. */
const lockStatement: Statement = {
  name: 'lock_webhooks_of_tenant',
  text: 'select id from hookwright.webhooks where tenant_id = $1 and deleted_at is null order by id for update',
};

/**
 * Deletes a tenant: its keys are revoked (every process refuses them within 5 s), its webhooks are deleted and their
 * secrets erased, open deliveries are canceled, and its name and external id are free. `eraseTenants` deletes its data
 * later.
 *
 * @param name the tenant's, so that no other one is deleted by mistake
 * @throws ApiError not_found; invalid_input for another name
 */
export async function deleteTenant(
  db: HasOrm,
  { tenantId, name }: { tenantId: number; name: string },
  by: Actor,
): Promise<DeletedTenant> {
  return await managementTransaction(db, tenantId, async (unit) => {
    const { em, now, sql } = unit;
    const tenant = await lockTenant(em, tenantId);
    // Names may have been stored with characters that nobody sees, and that `name` has no more.
    if (visibleText(tenant.name) !== name) {
      const issues = [{ path: ['input', 'name'], code: 'other_name', detail: 'is not its name' }];
      throw new ApiError('invalid_input', 'The tenant has another name; nothing was deleted.', { issues });
    }
    const webhookIds = (await query<{ id: number }>(sql, lockStatement, [tenantId])).map(({ id }) => id);
    await eraseWebhooks(unit, webhookIds);
    await eraseSigningKeys(sql, tenantId);
    for (const recipient of await em.find(NoticeRecipient, {})) {
      eraseRecipient(recipient, now);
    }
    // Expired keys stay: there may be very many portal sessions.
    const apiKeys = await em.find(ApiKey, activeKeys(), { orderBy: { id: 'asc' } });
    for (const apiKey of apiKeys) {
      apiKey.revokedAt = now;
    }
    tenant.deletedAt = now;
    await enqueueAligns(sql, tenantId, webhookIds);
    await em.flush();
    // The tenant's own log is erased with it, so the entry goes to the installation's.
    await enterTenant(sql, null);
    const named = tenant.externalId === null ? {} : { externalId: tenant.externalId };
    const before = { name, ...named, webhooks: webhookIds.length, apiKeys: apiKeys.length };
    audit(em, by, { ...about('TENANT', null, tenantId), action: 'TENANT_DELETED', before });
    return { webhookIds, apiKeyIds: apiKeys.map(({ id }) => id) };
  });
}

/**
 * Referring tables come first. Events, deliveries and attempts were deleted with their days by then. Some are sorted by
 * webhook, and not by tenant.
 */
const TABLES_OF_TENANTS = {
  idempotency_keys: 'tenant',
  creation_keys: 'tenant',
  raised_events: 'webhook',
  endpoint_states: 'webhook',
  delivery_stats: 'tenant',
  failure_stats: 'tenant',
  queue_stats: 'tenant',
  bulk_operations: 'tenant',
  outbox_grants: 'tenant',
  audit_log: 'tenant',
  ordering_queue: 'tenant',
  ordering_keys: 'webhook',
  scheduled_events: 'tenant',
  event_ends: 'tenant',
  tenant_erasures: 'tenant',
  erasure_counts: 'tenant',
  notices: 'tenant',
  notice_recipients: 'tenant',
  confirmation_requests: 'tenant',
  webhook_options: 'webhook',
  webhook_contents: 'webhook',
  webhook_recoveries: 'webhook',
  verifications: 'webhook',
  endpoint_tokens: 'webhook',
  webhooks: 'deleted',
  signing_keys: 'tenant',
  tenant_rates: 'tenant',
  outbox_emits: 'tenant',
  api_keys: 'tenant',
} as const;

/** Events are deleted later than their deliveries, and whole days at a time. */
export const ERASED_AFTER_RETENTION_DAYS = EVENT_EXTRA_DAYS + 1;

/**
 * Deletes the data of tenants that were deleted before the retention time.
 *
 * @returns their ids
 * @throws AggregateError the failures, after all have been tried
 */
export async function eraseTenants(pool: pg.Pool, retentionDays: number): Promise<number[]> {
  // As a number, by which a plan sees how few they are, and uses their index.
  const days = retentionDays + ERASED_AFTER_RETENTION_DAYS;
  const { rows } = await pool.query<{ id: number }>(
    `select id from hookwright.tenants where deleted_at < now() - interval '${days} days' order by id`,
  );
  await tryEach(rows, 'tenants to erase', ({ id }) => eraseTenant(pool, id));
  return rows.map(({ id }) => id);
}

async function eraseTenant(pool: pg.Pool, id: number): Promise<void> {
  // All are deleted, and no other index has them: without it, all tenants' webhooks are read each time.
  await eraseManaged(pool, id, 'deleted_at is not null');
  await forgetRows(pool, 'tenants', `id = ${id}`);
}

/**
 * Deletes all rows of a tenant but its own and those that go with their days, chunk by chunk.
 *
 * @param whichWebhooks SQL: a condition that all of its webhooks meet
 */
export async function eraseManaged(pool: pg.Pool, id: number, whichWebhooks = 'true'): Promise<void> {
  const ofTenant = `tenant_id = ${id}`;
  const webhooks = `${ofTenant} and ${whichWebhooks}`;
  const conditions = {
    tenant: ofTenant,
    webhook: `${ofTenant} and webhook_id in (select w.id from hookwright.webhooks w where w.${webhooks})`,
    deleted: webhooks,
  };
  for (const [table, by] of Object.entries(TABLES_OF_TENANTS)) {
    await forgetRows(pool, table, conditions[by]);
  }
}
