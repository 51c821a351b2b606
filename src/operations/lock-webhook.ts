import type pg from 'pg';
import { notFound } from '../errors.js';

/** What its owner can change of it. */
export interface ChangeableWebhook {
  url: string;
  eventTypes: string[];
  active: boolean;
}

interface LockedWebhook extends ChangeableWebhook {
  /** Since it was enabled with `held: KEEP`. */
  keepsHeld: boolean;
}

/**
 * Locks a living webhook of this tenant for the rest of the transaction. Several are locked in the order of ids.
 *
 * @throws ApiError not_found for a foreign, unknown or deleted webhook
 */
export async function lockWebhook(
  client: pg.PoolClient,
  tenantId: number,
  webhookId: number,
): Promise<LockedWebhook> {
  const { rows } = await client.query<LockedWebhook>(
    `select url, event_types as "eventTypes", active, keep_held as "keepsHeld" from hookwright.webhooks
     where tenant_id = $1 and id = $2 and deleted_at is null for update`,
    [tenantId, webhookId],
  );
  const [webhook] = rows;
  if (webhook === undefined) {
    throw notFound('webhook', webhookId);
  }
  return webhook;
}
