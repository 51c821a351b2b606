import type pg from 'pg';
import type { OptionsRowOf } from '../../domain/fields/field.js';
import { flat } from '../../domain/fields/field-table.js';
import { webhookSecretNames } from '../../domain/fields/secrets.js';
import { webhookFields } from '../../domain/fields/webhook-fields.js';
import { snakeCase } from '../../domain/text/snake-case.js';
import { query, type Statement } from '../../platform/database/database.js';
import { bigintArray } from '../../platform/database/rows-parameter.js';

type Delivery = keyof (typeof webhookFields)['delivery']['fields'];

/** The options of a webhook that an attempt needs: its own, or its tenant's. Secrets are sealed. */
export interface StoredDeliveryOptions extends Pick<OptionsRowOf<typeof webhookFields>, Delivery | 'format'> {
  webhookId: number;
  /** The version of the options row that these are from. */
  version: number;
}

/**
 * The columns of the delivery options, those of the tenant `t` where the webhook's row `o` has none, and of all
 * secrets: no answer may keep one.
 */
const columns = flat(webhookFields)
  .filter(([name, , place]) => place === 'delivery' || webhookSecretNames.includes(name))
  .map(([name, field]) => {
    const column = field.column ?? snakeCase(name);
    return `${field.inherited === undefined ? `o.${column}` : `coalesce(o.${column}, t.${column})`} as "${name}"`;
  })
  .join(', ');

const statement: Statement = {
  name: 'read_delivery_options',
  text: `
    select w.id as "webhookId", w.options_version as version, o.format, ${columns}
    from hookwright.webhooks w
    join hookwright.tenants t on t.id = w.tenant_id
    left join hookwright.webhook_options o on o.webhook_id = w.id
    where w.id = any($1::bigint[]) and w.deleted_at is null and w.options_version is not null`,
};

/** Null for a webhook that has no options any more. */
export async function readDeliveryOptions(
  pool: pg.Pool,
  webhookIds: readonly number[],
): Promise<(StoredDeliveryOptions | null)[]> {
  const rows = await query<StoredDeliveryOptions>(pool, statement, [bigintArray(webhookIds)]);
  const found = new Map(rows.map((row) => [row.webhookId, row]));
  return webhookIds.map((id) => found.get(id) ?? null);
}
