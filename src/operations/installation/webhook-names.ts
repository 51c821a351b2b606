import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import { enterTenant, PLATFORM, tenantTransaction } from '../../platform/database/tenant-database.js';

const statement: Statement = {
  name: 'read_webhook_names',
  text: `select webhook_id as id, name, external_id as "externalId" from hookwright.webhook_options
         where tenant_id = $1 and webhook_id = any($2::bigint[]) and coalesce(name, external_id) is not null`,
};

interface WebhookNames {
  name: string | null;
  externalId: string | null;
}

/**
 * The names and external ids of webhooks of several tenants, by number, of those that have one. A transaction sees the
 * rows of one tenant at a time.
 */
export async function readWebhookNames(
  { pool }: HasPool,
  webhooks: readonly { tenantId: number; webhookId: number }[],
): Promise<ReadonlyMap<number, WebhookNames>> {
  const names = new Map<number, WebhookNames>();
  await tenantTransaction(pool, PLATFORM, async (client) => {
    for (const [tenantId, ofTenant] of Map.groupBy(webhooks, (webhook) => webhook.tenantId)) {
      const ids = ofTenant.map(({ webhookId }) => webhookId);
      const [, rows] = await Promise.all([
        enterTenant(client, tenantId),
        query<{ id: number } & WebhookNames>(client, statement, [tenantId, ids]),
      ]);
      for (const { id, ...named } of rows) {
        names.set(id, named);
      }
    }
  });
  return names;
}
