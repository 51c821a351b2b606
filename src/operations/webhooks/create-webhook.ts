import type { Database } from '../../database/database.js';
import { tenantTransaction } from '../../database/tenant-database.js';
import { formatSecret, SECRET_BYTES } from '../../domain/secret.js';
import { ApiError } from '../../errors.js';
import { allocateId } from '../allocate-id.js';
import { type Actor, about, audit } from '../audit.js';
import { lockTenant } from '../lock-tenant.js';
import type { SecretVault } from '../secrets/secret-vault.js';
import { type WebhookRow, webhookColumns } from './webhook-row.js';

interface NewWebhook {
  tenantId: number;
  /** Judged and normalised: see domain/addresses/target.ts. */
  url: string;
  /** Existing names, or exactly `['*']`. */
  eventTypes: readonly string[];
  /** How many webhooks the tenant may have. */
  webhooksMax: number;
  by: Actor;
}

/**
 * Makes a webhook and its signing secret. The answer is the only place where the secret ever stands in the clear
 * (docs/interface.md, "A webhook"): so it needs no query after the commit, which could fail.
 *
 * @throws ApiError webhook_limit_reached, not_found for an unknown tenant
 */
export async function createWebhook(
  db: Pick<Database, 'pool'>,
  vault: Pick<SecretVault, 'seal'>,
  random: (bytes: number) => Buffer,
  { tenantId, url, eventTypes, webhooksMax, by }: NewWebhook,
): Promise<{ id: number; secret: string; webhook: WebhookRow }> {
  const id = await allocateId(db.pool, 'webhooks');
  const secret = formatSecret(random(SECRET_BYTES));
  const sealed = await vault.seal(tenantId, id, secret);
  const webhook = await tenantTransaction(db.pool, tenantId, async (client, withCommit) => {
    await lockTenant(client, tenantId);
    const { rows } = await client.query<{ webhooks: number }>(
      `select count(*)::integer as webhooks from hookwright.webhooks where tenant_id = $1 and deleted_at is null`,
      [tenantId],
    );
    if ((rows[0]?.webhooks ?? 0) >= webhooksMax) {
      throw new ApiError(
        'webhook_limit_reached',
        `A tenant may have ${webhooksMax} webhooks; delete one first.`,
      );
    }
    const inserted = await client.query<WebhookRow>(
      `insert into hookwright.webhooks (id, tenant_id, url, event_types, sealed_secret) values ($1, $2, $3, $4, $5)
       returning ${webhookColumns}`,
      [id, tenantId, url, [...eventTypes], sealed],
    );
    const after = { url, eventTypes };
    withCommit(audit(client, by, { ...about('WEBHOOK', tenantId, id), action: 'WEBHOOK_CREATED', after }));
    return inserted.rows[0]!;
  });
  return { id, secret, webhook };
}
