import type { Database } from '../../database/database.js';
import { tenantTransaction } from '../../database/tenant-database.js';
import { ApiError } from '../../errors.js';
import type { Actor } from '../audit.js';
import { lockWebhook } from '../lock-webhook.js';
import { letKeptGo } from './switch-webhook.js';

/**
 * Releases what a webhook held back when it was enabled with `held: KEEP`. One that keeps nothing is left as it
 * is: that is no error, and no change that the audit log would have.
 *
 * @throws ApiError not_found; webhook_inactive: held deliveries can only be sent to an active webhook
 */
export async function releaseHeld(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  webhookId: number,
  by: Actor,
): Promise<void> {
  await tenantTransaction(db.pool, tenantId, async (client, withCommit) => {
    const { active, keepsHeld } = await lockWebhook(client, tenantId, webhookId);
    if (!active) {
      throw new ApiError(
        'webhook_inactive',
        `Webhook ${webhookId} is inactive; enable it to release what it holds.`,
      );
    }
    if (keepsHeld) {
      await letKeptGo(client, withCommit, { tenantId, webhookId, by });
    }
  });
}
