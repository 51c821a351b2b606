import type { Database } from '../../database/database.js';
import { formatSecret, SECRET_BYTES } from '../../domain/signing/secret.js';
import { Webhook } from '../../entities/webhook.js';
import { ApiError } from '../../errors.js';
import { allocateId } from '../rows/allocate-id.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { lockTenant } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import type { SecretVault } from '../secrets/secret-vault.js';
import type { WebhookSettings } from './webhook-settings.js';

interface NewWebhook extends WebhookSettings {
  tenantId: number;
  webhooksMax: number;
  by: Actor;
}

/**
 * The secret is shown only in this answer (docs/interface.md, "A webhook"), so no query that could fail follows the
 * commit.
 *
 * @throws ApiError webhook_limit_reached, not_found for an unknown tenant
 */
export async function createWebhook(
  db: Pick<Database, 'pool' | 'orm'>,
  vault: Pick<SecretVault, 'seal'>,
  random: (bytes: number) => Buffer,
  { tenantId, webhooksMax, by, ...settings }: NewWebhook,
): Promise<{ id: number; secret: string; webhook: Webhook }> {
  const id = await allocateId(db.pool, 'webhooks');
  const secret = formatSecret(random(SECRET_BYTES));
  const sealedSecret = await vault.seal(tenantId, id, secret);
  const webhook = await managementTransaction(db, tenantId, async ({ em }) => {
    await lockTenant(em, tenantId);
    if ((await em.count(Webhook)) >= webhooksMax) {
      throw new ApiError('webhook_limit_reached', `A tenant may have ${webhooksMax} webhooks; delete one first.`);
    }
    audit(em, by, { ...about('WEBHOOK', tenantId, id), action: 'WEBHOOK_CREATED', after: settings });
    return em.create(Webhook, { id, tenantId, ...settings, sealedSecret });
  });
  return { id, secret, webhook };
}
