import type { Database } from '../../database/database.js';
import { tenantTransaction } from '../../database/tenant-database.js';
import { formatSecret, SECRET_BYTES } from '../../domain/secret.js';
import { formatTimestamp } from '../../domain/timestamp.js';
import { ApiError } from '../../errors.js';
import { type Actor, about, audit } from '../audit.js';
import { lockWebhook } from '../lock-webhook.js';
import type { SecretVault } from '../secrets/secret-vault.js';
import { type WebhookRow, webhookColumns } from './webhook-row.js';

interface Rotation {
  webhookId: number;
  /** For how long the previous secret goes on signing; 0: it is worthless at once. */
  overlapHours: number;
  by: Actor;
}

interface Row {
  overlaps_until: Date | null;
  until: Date | null;
}

/**
 * Gives a webhook a new signing secret. The answer is the only place where it ever stands in the clear, so
 * it needs no query after the commit, which could fail. While the overlap lasts the previous secret signs too: see
 * domain/delivery-request.ts.
 *
 * A third secret has no place in the headers, so a second rotation must wait for the end of the first one's overlap,
 * unless it ends it (`overlapHours: 0`): then both previous secrets are erased.
 *
 * @throws ApiError not_found; rotation_under_way
 */
export async function rotateSecret(
  db: Pick<Database, 'pool'>,
  vault: Pick<SecretVault, 'seal'>,
  random: (bytes: number) => Buffer,
  tenantId: number,
  { webhookId, overlapHours, by }: Rotation,
): Promise<{ secret: string; webhook: WebhookRow }> {
  const secret = formatSecret(random(SECRET_BYTES));
  const sealed = await vault.seal(tenantId, webhookId, secret);
  const webhook = await tenantTransaction(db.pool, tenantId, async (client, withCommit) => {
    await lockWebhook(client, tenantId, webhookId);
    const { rows } = await client.query<Row>(
      `select case when previous_secret_expires_at > now() then previous_secret_expires_at end as overlaps_until,
              case when $2::integer > 0 then now() + $2::integer * interval '1 hour' end as until
       from hookwright.webhooks where id = $1`,
      [webhookId, overlapHours],
    );
    const row = rows[0]!;
    if (row.overlaps_until !== null && row.until !== null) {
      throw new ApiError(
        'rotation_under_way',
        `The secret before the last rotation is valid until ${formatTimestamp(row.overlaps_until)}. ` +
          'Wait until then, or rotate with overlapHours: 0, which ends it now.',
      );
    }
    const rotated = await client.query<WebhookRow>(
      `update hookwright.webhooks
       set sealed_secret = $2, previous_secret_expires_at = $3,
           previous_sealed_secret = case when $3::timestamptz is not null then sealed_secret end
       where id = $1
       returning ${webhookColumns}`,
      [webhookId, sealed, row.until],
    );
    withCommit(
      audit(client, by, {
        ...about('WEBHOOK', tenantId, webhookId),
        action: 'WEBHOOK_SECRET_ROTATED',
        after: { overlapHours, previousSecretExpiresAt: row.until && formatTimestamp(row.until) },
      }),
    );
    return rotated.rows[0]!;
  });
  return { secret, webhook };
}

/**
 * Erases secrets whose overlap is over: nothing signs with them any more. Webhooks that another session has locked are
 * left to the next time: whoever waited for them would keep the outcomes of all the others waiting.
 */
export async function forgetPreviousSecrets({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await pool.query(
    `with over as materialized (
       select id from hookwright.webhooks where previous_secret_expires_at < now()
       for no key update skip locked)
     update hookwright.webhooks w set previous_sealed_secret = null, previous_secret_expires_at = null
     from over where w.id = over.id`,
  );
}
