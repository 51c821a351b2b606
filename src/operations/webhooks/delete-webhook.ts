import { type HasOrm, query, type Statement } from '../../platform/database/database.js';
import { enqueueAlign } from '../jobs/enqueue.js';
import { type Actor, about, audit, picked } from '../rows/audit.js';
import { lockWebhook } from '../rows/lock-for-change.js';
import { managementTransaction, type UnitOfWork } from '../rows/unit-of-work.js';
import { eraseTokens } from '../tokens/endpoint-tokens.js';
import { endVerifications } from './change-verification.js';
import { eraseOptionsRows } from './settings.js';

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
  await managementTransaction(db, tenantId, async (unit) => {
    const { em, sql } = unit;
    const webhook = await lockWebhook(em, webhookId, ifVersion);
    const externalId = webhook.options?.externalId ?? null;
    const before = { ...picked(webhook, ['url', 'eventTypes']), ...(externalId === null ? {} : { externalId }) };
    await eraseWebhooks(unit, [webhookId]);
    await enqueueAlign(sql, tenantId, webhookId);
    audit(em, by, { ...about('WEBHOOK', tenantId, webhookId), action: 'WEBHOOK_DELETED', before });
  });
}

const eraseStatement: Statement = {
  name: 'erase_webhooks',
  text: `
    update hookwright.webhooks
    set deleted_at = $2, active = false, generation = generation + 1, version = version + 1, hold_until = null,
        sealed_secret = '', previous_sealed_secret = null, previous_secret_expires_at = null
    where id = any($1::bigint[])`,
};

/** A tenant may have tens of thousands. @param webhookIds locked */
export async function eraseWebhooks({ em, sql, now }: UnitOfWork, webhookIds: readonly number[]): Promise<void> {
  await eraseOptionsRows({ em, sql }, webhookIds);
  await endVerifications(sql, webhookIds);
  await eraseTokens(sql, webhookIds);
  await query(sql, eraseStatement, [[...webhookIds], now]);
}
