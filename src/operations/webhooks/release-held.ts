import type { Webhook } from '../../entities/webhook.js';
import { ApiError } from '../../errors.js';
import type { HasOrm } from '../../platform/database/database.js';
import type { Actor } from '../rows/audit.js';
import { lockWebhook } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import { releaseKept } from './switch-webhook.js';

/**
 * Releases the deliveries that a webhook kept when it was enabled with `held: KEEP`, if there are any.
 *
 * @throws ApiError not_found; webhook_inactive: held deliveries can only be sent to an active webhook
 */
export async function releaseHeld(db: HasOrm, tenantId: number, webhookId: number, by: Actor): Promise<Webhook> {
  return await managementTransaction(db, tenantId, async (unit) => {
    const webhook = await lockWebhook(unit.em, webhookId);
    if (!webhook.active) {
      throw new ApiError('webhook_inactive', `Webhook ${webhookId} is inactive; enable it to release what it holds.`);
    }
    if (webhook.keepHeld) {
      await releaseKept(unit, webhook, by);
    }
    return webhook;
  });
}
