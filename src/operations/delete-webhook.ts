import { type Database, transaction } from '../database.js';
import { enqueueSettle, lockWebhook } from './update-webhook.js';

/**
 * Deletes a webhook: it is gone for every reader at once, and its secret is erased. The row stays, because its
 * deliveries are history until their retention ends; those still open are canceled by `settle-webhook`.
 *
 * @throws ApiError not_found for a foreign, unknown or deleted webhook
 */
export async function deleteWebhook(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  webhookId: number,
): Promise<void> {
  await transaction(db.pool, async (client) => {
    await lockWebhook(client, tenantId, webhookId);
    await client.query(
      `update hookwright.webhooks
       set deleted_at = now(), active = false, generation = generation + 1, sealed_secret = '', hold_until = null
       where id = $1`,
      [webhookId],
    );
    await enqueueSettle(client, tenantId, webhookId);
  });
}
