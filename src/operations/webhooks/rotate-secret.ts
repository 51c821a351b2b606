import { formatSecret, SECRET_BYTES } from '../../domain/signing/secret.js';
import { HOUR_MS } from '../../domain/text/durations.js';
import { formatTimestamp } from '../../domain/text/timestamp.js';
import type { Webhook } from '../../entities/webhook.js';
import { ApiError } from '../../errors.js';
import type { HasOrm } from '../../platform/database/database.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { lockWebhook } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import type { SecretVault } from '../secrets/secret-vault.js';
import { askAgain } from './change-verification.js';

interface Rotation {
  webhookId: number;
  /** How long the previous secret signs too; 0: it is erased at once. */
  overlapHours: number;
  by: Actor;
}

/**
 * Gives a webhook a new signing secret, which is shown only in this answer, so no query that could fail follows the
 * commit. The headers hold two signatures, so a rotation during the overlap of an earlier one is refused, unless it
 * ends that overlap (`overlapHours: 0`) and erases both previous secrets.
 *
 * @throws ApiError not_found; rotation_under_way
 */
export async function rotateSecret(
  db: HasOrm,
  vault: Pick<SecretVault, 'seal'>,
  random: (bytes: number) => Buffer,
  tenantId: number,
  { webhookId, overlapHours, by }: Rotation,
): Promise<{ secret: string; webhook: Webhook }> {
  const secret = formatSecret(random(SECRET_BYTES));
  const sealed = await vault.seal(tenantId, webhookId, secret);
  const webhook = await managementTransaction(db, tenantId, async ({ em, sql, now }) => {
    const locked = await lockWebhook(em, webhookId);
    const { previousSecretExpiresAt: overlapsUntil } = locked;
    const until = overlapHours > 0 ? new Date(now.getTime() + overlapHours * HOUR_MS) : null;
    if (overlapsUntil !== null && until !== null) {
      throw new ApiError(
        'rotation_under_way',
        `The secret before the last rotation is valid until ${formatTimestamp(overlapsUntil)}. ` +
          'Wait until then, or rotate with overlapHours: 0, which ends it now.',
      );
    }
    locked.previousSealedSecret = until && locked.sealedSecret;
    locked.overlapEndsAt = until;
    locked.previousSecretExpiresAt = until;
    locked.sealedSecret = sealed;
    await askAgain(sql, webhookId); // the answers of before were to another signature
    const after = { overlapHours, previousSecretExpiresAt: until && formatTimestamp(until) };
    audit(em, by, { ...about('WEBHOOK', tenantId, webhookId), action: 'WEBHOOK_SECRET_ROTATED', after });
    return locked;
  });
  return { secret, webhook };
}
