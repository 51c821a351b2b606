import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import { enterTenant, PLATFORM, tenantTransaction } from '../../platform/database/tenant-database.js';

const statement: Statement = {
  name: 'read_webhook_names',
  text: `select w.id, w.url, o.name, o.external_id as "externalId" from hookwright.webhooks w
         left join hookwright.webhook_options o on o.webhook_id = w.id
         where w.tenant_id = $1 and w.id = any($2::bigint[])`,
};

interface WebhookNames {
  url: string;
  name: string | null;
  externalId: string | null;
}

/**
 * The URLs, names and external ids of webhooks of several tenants, by number. A transaction sees the rows of one
 * tenant at a time.
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
