import { TEST_EVENT_TYPE } from '../../domain/events/event-type.js';
import { LANES } from '../../domain/pacing/lanes.js';
import { found } from '../../errors.js';
import { type HasOrm, query, type Statement } from '../../platform/database/database.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import { requireVerified } from './change-verification.js';

const statement: Statement = {
  text: 'select hookwright.check_webhook($1, $2, $3, $4, $5)::float8 as id',
};
const BODY = JSON.stringify({ message: 'A check of this webhook.' });

/**
 * Sends `webhook.test` to a webhook once, even though it is inactive. The check changes no health and raises no event.
 *
 * @returns the id of the delivery
 * @throws ApiError not_found, webhook_unverified
 */
export async function checkWebhook(db: HasOrm, tenantId: number, webhookId: number): Promise<number> {
  const values = [tenantId, webhookId, TEST_EVENT_TYPE, BODY, LANES.TEST.priority];
  const [row] = await managementTransaction(db, tenantId, async ({ sql }) => {
    await requireVerified(sql, webhookId);
    return await query<{ id: number | null }>(sql, statement, values);
  });
  return found(row?.id, 'webhook', webhookId);
}
