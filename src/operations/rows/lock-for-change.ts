import type { EntityClass, FilterQuery } from '@mikro-orm/core';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Tenant } from '../../entities/tenant.js';
import { Webhook } from '../../entities/webhook.js';
import { WebhookOptions } from '../../entities/webhook-options.js';
import { ApiError, found } from '../../errors.js';
import { missingTenant } from '../cells/own-cell.js';
import { sqlOf } from './unit-of-work.js';

/** Reads secrets too: only a secret that was read can be erased. */
const LOCKED_WITH_SECRETS = {
  lockMode: LockMode.PESSIMISTIC_WRITE,
  populate: ['sealedSecret', 'previousSealedSecret'],
} as const;

/**
 * Locks a living webhook of the tenant.
 *
 * @param ifVersion the version that it must have; undefined: any
 * @returns with its options row
 * @throws ApiError not_found for a foreign, unknown or deleted webhook; precondition_failed when it has another version
 */
export async function lockWebhook(em: EntityManager, webhookId: number, ifVersion?: number): Promise<Webhook> {
  const webhook = found(await em.findOne(Webhook, { id: webhookId }, LOCKED_WITH_SECRETS), 'webhook', webhookId);
  if (ifVersion !== undefined && webhook.version !== ifVersion) {
    throw new ApiError(
      'precondition_failed',
      `The webhook has version ${webhook.version}, and the request is for version ${ifVersion}. Read it again and ` +
        'decide again.',
    );
  }
  await readOptions(em, [webhook]);
  return webhook;
}

/** Locks all living webhooks of the tenant, in the order of ids. */
export async function lockWebhooks(em: EntityManager): Promise<Webhook[]> {
  const webhooks = await em.find(Webhook, {}, { ...LOCKED_WITH_SECRETS, orderBy: { id: 'asc' } });
  await readOptions(em, webhooks);
  return webhooks;
}

/** Reads the options rows of webhooks whose own rows are locked: nobody changes one without that. */
async function readOptions(em: EntityManager, webhooks: readonly Webhook[]): Promise<void> {
  const ids = webhooks.filter(({ optionsVersion }) => optionsVersion !== null).map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await em.find(WebhookOptions, { webhookId: { $in: ids } });
  for (const webhook of webhooks) {
    webhook.options = rows.find(({ webhookId }) => webhookId === webhook.id) ?? null;
  }
}

/**
 * Locks a tenant before something is made for it: it is not deleted meanwhile, and no two transactions together pass a
 * limit.
 *
 * @throws ApiError not_found, also for a deleted tenant; tenant_elsewhere for one of another cell
 */
export async function lockTenant(em: EntityManager, tenantId: number): Promise<Tenant> {
  const [tenant] = await lockRows(em, Tenant, { id: tenantId, deletedAt: null });
  if (tenant === undefined) {
    throw await missingTenant(sqlOf(em), tenantId);
  }
  return tenant;
}

/**
 * Locks rows `for no key update`, in the order of ids. LockMode has only `for update`, for which new references wait:
 * emits with idempotency keys for their tenant, audit entries for their API key.
 *
 * @param where names the tenant too: no filter is applied
 */
export async function lockRows<Entity extends { id: number }>(
  em: EntityManager,
  entity: EntityClass<Entity>,
  where: FilterQuery<Entity>,
  rowsMax = 1,
): Promise<Entity[]> {
  const select = em.createQueryBuilder<object>(entity).select('*');
  select
    .where(where as object)
    .orderBy({ id: 'asc' })
    .limit(rowsMax);
  const rows = await em.execute<object[]>(`${select.getFormattedQuery()} for no key update`);
  return rows.map((row) => em.map(entity, row as never) as Entity);
}
