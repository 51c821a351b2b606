import type { Database } from '../../database/database.js';
import { HOUR_MS } from '../../domain/durations.js';
import { formatSecret, SECRET_BYTES } from '../../domain/signing/secret.js';
import { formatTimestamp } from '../../domain/timestamp.js';
import type { Webhook } from '../../entities/webhook.js';
import { ApiError } from '../../errors.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { lockWebhook } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import type { SecretVault } from '../secrets/secret-vault.js';

interface Rotation {
  webhookId: number;
  /** For how long the previous secret goes on signing; 0: it is worthless at once. */
  overlapHours: number;
  by: Actor;
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
  db: Pick<Database, 'orm'>,
  vault: Pick<SecretVault, 'seal'>,
  random: (bytes: number) => Buffer,
  tenantId: number,
  { webhookId, overlapHours, by }: Rotation,
): Promise<{ secret: string; webhook: Webhook }> {
  const secret = formatSecret(random(SECRET_BYTES));
  const sealed = await vault.seal(tenantId, webhookId, secret);
  const webhook = await managementTransaction(db, tenantId, async ({ em, now }) => {
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
    audit(em, by, {
      ...about('WEBHOOK', tenantId, webhookId),
      action: 'WEBHOOK_SECRET_ROTATED',
      after: { overlapHours, previousSecretExpiresAt: until && formatTimestamp(until) },
    });
    return locked;
  });
  return { secret, webhook };
}
