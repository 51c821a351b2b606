import type { Webhook } from '../../entities/webhook.js';
import type { HasOrm } from '../../platform/database/database.js';
import { lockWebhook } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import { askAgain } from './change-verification.js';

/**
 * Has the endpoint of a webhook asked at once whether it wants deliveries. One that has proved it, or was never asked,
 * stays as it is.
 *
 * @throws ApiError not_found
 */
export async function verifyWebhook(db: HasOrm, tenantId: number, webhookId: number): Promise<Webhook> {
  return await managementTransaction(db, tenantId, async ({ em, sql }) => {
    const webhook = await lockWebhook(em, webhookId);
    await askAgain(sql, webhookId);
    return webhook;
  });
}
