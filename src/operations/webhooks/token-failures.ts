import { tokenFailureDetail } from '../../domain/oauth/token-failure.js';
import type { HasPool, Statement } from '../../platform/database/database.js';
import { bigintArray } from '../../platform/database/rows-parameter.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';

/** A request for a token of a webhook that gave none. */
interface TokenFailure {
  at: Date;
  code: string;
  /** A sentence for the webhook's owner. */
  detail: string;
}

/** A failure from before the options were changed says nothing about the present ones. */
const statement: Statement = {
  name: 'read_token_failures',
  text: `
    select w.id as "webhookId", t.failed_at as at, t.failure as code
    from hookwright.webhooks w join hookwright.endpoint_tokens t on t.webhook_id = w.id
    where w.id = any($2::bigint[]) and w.tenant_id = $1 and t.tenant_id = $1 and t.options_version = w.options_version
      and t.failed_at is not null and t.failure is not null`,
};

/** The latest failures, of those webhooks that have got no token since. */
export async function readTokenFailures(
  { pool }: HasPool,
  tenantId: number,
  webhookIds: readonly number[],
): Promise<Map<number, TokenFailure>> {
  const rows = await tenantQuery<{ webhookId: number; at: Date; code: string }>(pool, tenantId, statement, [
    tenantId,
    bigintArray(webhookIds),
  ]);
  return new Map(rows.map(({ webhookId, at, code }) => [webhookId, { at, code, detail: tokenFailureDetail(code) }]));
}
