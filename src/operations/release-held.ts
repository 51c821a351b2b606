import { type Database, transaction } from '../database.js';
import { ApiError } from '../errors.js';
import { enqueueSettle, lockWebhook } from './update-webhook.js';

/**
 * Releases what a webhook held back when it was enabled with `held: KEEP`. Nothing to release is no error.
 *
 * @throws ApiError not_found; webhook_inactive: held deliveries can only be sent to an active webhook
 */
export async function releaseHeld(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  webhookId: number,
): Promise<void> {
  await transaction(db.pool, async (client) => {
    const { active } = await lockWebhook(client, tenantId, webhookId);
    if (!active) {
      throw new ApiError(
        'webhook_inactive',
        `Webhook ${webhookId} is inactive; enable it to release what it holds.`,
      );
    }
    await client.query('update hookwright.webhooks set keep_held = false where id = $1', [webhookId]);
    await enqueueSettle(client, tenantId, webhookId);
  });
}
