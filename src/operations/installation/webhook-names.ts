import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import { enterTenant, PLATFORM, tenantTransaction } from '../../platform/database/tenant-database.js';

const statement: Statement = {
  name: 'read_webhook_names',
  text: `select webhook_id as id, name from hookwright.webhook_options
         where tenant_id = $1 and webhook_id = any($2::bigint[]) and name is not null`,
};

/** The names of webhooks of several tenants, by number. A transaction sees the rows of one tenant at a time. */
export async function readWebhookNames(
  { pool }: HasPool,
  webhooks: readonly { tenantId: number; webhookId: number }[],
): Promise<ReadonlyMap<number, string>> {
  const names = new Map<number, string>();
  await tenantTransaction(pool, PLATFORM, async (client) => {
    for (const [tenantId, ofTenant] of Map.groupBy(webhooks, (webhook) => webhook.tenantId)) {
      const [, rows] = await Promise.all([
        enterTenant(client, tenantId),
        query<{ id: number; name: string }>(client, statement, [tenantId, ofTenant.map(({ webhookId }) => webhookId)]),
      ]);
      for (const { id, name } of rows) {
        names.set(id, name);
      }
    }
  });
  return names;
}
