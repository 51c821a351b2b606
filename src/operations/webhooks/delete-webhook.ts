import type pg from 'pg';
import type { Database } from '../../database/database.js';
import { tenantTransaction } from '../../database/tenant-database.js';
import { type Actor, about, audit } from '../audit.js';
import { enqueueSettles } from '../jobs/enqueue.js';
import { lockWebhook } from '../lock-webhook.js';

/**
 * Deletes a webhook: it is gone for every reader at once, and its secrets are erased. The row stays, because its
 * deliveries are history until their retention ends; those still open are canceled by `settle-webhook`.
 *
 * @throws ApiError not_found for a foreign, unknown or deleted webhook
 */
export async function deleteWebhook(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  webhookId: number,
  by: Actor,
): Promise<void> {
  await tenantTransaction(db.pool, tenantId, async (client, withCommit) => {
    const { url, eventTypes } = await lockWebhook(client, tenantId, webhookId);
    await eraseWebhooks(client, tenantId, [webhookId]);
    const before = { url, eventTypes };
    withCommit(
      audit(client, by, {
        ...about('WEBHOOK', tenantId, webhookId),
        action: 'WEBHOOK_DELETED',
        before,
      }),
    );
  });
}

/** @param webhookIds of webhooks whose rows the caller has locked */
export async function eraseWebhooks(
  client: pg.PoolClient,
  tenantId: number,
  webhookIds: readonly number[],
): Promise<void> {
  await client.query(
    `update hookwright.webhooks
     set deleted_at = now(), active = false, generation = generation + 1, sealed_secret = '', hold_until = null,
         previous_sealed_secret = null, previous_secret_expires_at = null
     where id = any($1::bigint[])`,
    [webhookIds],
  );
  await enqueueSettles(client, tenantId, webhookIds);
}
