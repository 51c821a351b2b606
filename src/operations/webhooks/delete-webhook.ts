import type { Webhook } from '../../entities/webhook.js';
import type { HasOrm, SqlTarget } from '../../platform/database/database.js';
import { enqueueAlign } from '../jobs/enqueue.js';
import { type Actor, about, audit, picked } from '../rows/audit.js';
import { lockWebhook } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import { eraseOptionsRow } from './settings.js';

/**
 * Deletes a webhook: no reader finds it, and its secrets and options are erased. The row stays for the history of its
 * deliveries; open ones are canceled by `align-webhook`.
 *
 * @param ifVersion the version that it must have; undefined: any
 * @throws ApiError not_found for a foreign, unknown or deleted webhook; precondition_failed for another version
 */
export async function deleteWebhook(
  db: HasOrm,
  tenantId: number,
  webhookId: number,
  by: Actor,
  ifVersion?: number,
): Promise<void> {
  await managementTransaction(db, tenantId, async ({ em, now, sql }) => {
    const webhook = await lockWebhook(em, webhookId, ifVersion);
    const before = picked(webhook, ['url', 'eventTypes']);
    await eraseWebhook(sql, webhook, now);
    await enqueueAlign(sql, tenantId, webhookId);
    audit(em, by, { ...about('WEBHOOK', tenantId, webhookId), action: 'WEBHOOK_DELETED', before });
  });
}

/** @param webhook locked, and read with its secrets and its options row */
export async function eraseWebhook(sql: SqlTarget, webhook: Webhook, now: Date): Promise<void> {
  webhook.deletedAt = now;
  webhook.active = false;
  webhook.generation += 1;
  webhook.holdUntil = null;
  webhook.sealedSecret = Buffer.alloc(0);
  webhook.previousSealedSecret = null;
  webhook.overlapEndsAt = null;
  await eraseOptionsRow(sql, webhook);
}
