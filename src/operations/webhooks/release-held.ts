import type { Webhook } from '../../entities/webhook.js';
import type { HasOrm } from '../../platform/database/database.js';
import { inactive } from '../proofs/inactive.js';
import type { Actor } from '../rows/audit.js';
import { lockWebhook } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import { releaseKept } from './switch-webhook.js';

/**
 * Releases the deliveries that a webhook kept when it was enabled with `held: KEEP`, if there are any.
 *
 * @throws ApiError not_found; webhook_inactive, webhook_unverified: only an active webhook sends what it holds
 */
export async function releaseHeld(db: HasOrm, tenantId: number, webhookId: number, by: Actor): Promise<Webhook> {
  return await managementTransaction(db, tenantId, async (unit) => {
    const webhook = await lockWebhook(unit.em, webhookId);
    if (!webhook.active) {
      const is = `Webhook ${webhookId} is inactive; enable it to release what it holds`;
      throw inactive(is, webhookId, webhook.disabledReason);
    }
    if (webhook.keepHeld) {
      await releaseKept(unit, webhook, by);
    }
    return webhook;
  });
}
