import type { Webhook } from '../../entities/webhook.js';
import { ApiError, invalidInput } from '../../errors.js';
import type { HasOrm, HasPool } from '../../platform/database/database.js';
import { enqueueAlign } from '../jobs/enqueue.js';
import { type Actor, about, audit, differences } from '../rows/audit.js';
import { requireFreeExternalId, webhookConflict } from '../rows/external-ids.js';
import { lockWebhook } from '../rows/lock-for-change.js';
import { managementTransaction, type UnitOfWork } from '../rows/unit-of-work.js';
import type { NewSigningKey } from '../secrets/secret-vault.js';
import { addFirstKey } from '../signing-keys/change-signing-keys.js';
import { requireBoundSecrets } from './bound-secrets.js';
import { auditedSettings, ownSettings, readSettings, type SealedSettings, writeOptionsRow } from './settings.js';
import { enable, pause, releaseKept } from './switch-webhook.js';

type Held = 'RELEASE' | 'KEEP' | 'DISCARD';

export interface WebhookChange extends SealedSettings {
  active?: boolean | undefined;
  /**
   * The fate of held and open deliveries when the webhook is enabled (default RELEASE). An active webhook that keeps
   * some since `KEEP` sends them by RELEASE; DISCARD is refused.
   */
  held?: Held | undefined;
  /** Becomes the tenant's, if it has none. */
  signingKey?: NewSigningKey | null;
}

/**
 * Changes a webhook. Its deliveries follow in a task (`align-webhook`), at the latest when they are loaded. Setting
 * current values does not change the version and makes no audit entry.
 *
 * @param holdHours how long the webhook collects events while it is inactive
 * @param ifVersion the version that it must have; undefined: any
 * @throws ApiError not_found for a foreign, unknown or deleted webhook; precondition_failed for another version;
 *   invalid_input for what `held` cannot do; external_id_taken; option_not_allowed for another external id than the one
 *   it has, unless a platform key sets it; those of requireBoundSecrets
 */
export async function updateWebhook(
  db: HasPool & HasOrm,
  tenantId: number,
  webhookId: number,
  { held, active, signingKey = null, ...settings }: WebhookChange,
  holdHours: number,
  by: Actor,
  ifVersion?: number,
): Promise<Webhook> {
  const changing = managementTransaction(db, tenantId, async (unit) => {
    const { em, sql } = unit;
    const webhook = await lockWebhook(em, webhookId, ifVersion);
    const names = [...Object.keys(settings), 'active'];
    const before = readSettings(webhook, names);
    requireSameExternalId(before['externalId'], settings.externalId, by);
    await requireFreeExternalId(sql, tenantId, webhookId, settings.externalId);
    em.assign(webhook, ownSettings(settings));
    await writeOptionsRow(unit, webhook, settings);
    requireBoundSecrets(webhook, before, settings);
    if (signingKey !== null) {
      await addFirstKey(unit, tenantId, signingKey);
    }
    if (webhook.url !== (before['url'] ?? webhook.url)) {
      // Retry-After of the old endpoint does not bind the new one; aligning wakes the deliveries that waited for it.
      webhook.closedUntil = null;
      webhook.nextProbeAt = null;
      await enqueueAlign(sql, tenantId, webhookId);
    }
    if (isOrdered(before['by']) && !isOrdered(readSettings(webhook, ['by'])['by'])) {
      await enqueueAlign(sql, tenantId, webhookId); // what waits for others is sent
    }
    if (active === true && !webhook.active) {
      await enable(unit, webhook, held ?? 'RELEASE');
    } else if (active === true && webhook.keepHeld) {
      await decideOnKept(unit, webhook, held, by);
    } else if (active === false && webhook.active) {
      await pause(unit, webhook, holdHours);
    }
    const changed = differences(before, readSettings(webhook, names));
    if (changed !== null) {
      const heldToo = changed.after['active'] === true ? { held: held ?? 'RELEASE' } : {};
      audit(em, by, {
        ...about('WEBHOOK', tenantId, webhookId),
        action: 'WEBHOOK_UPDATED',
        before: auditedSettings(changed.before, changed.after),
        after: { ...auditedSettings(changed.after, changed.before), ...heldToo },
      });
    }
    return webhook;
  });
  return await changing.catch(async (error: unknown) => {
    throw await webhookConflict(db, error, tenantId, settings.externalId);
  });
}

/** Programs of the operator find the webhook by it, so its tenant sets it once. @param after undefined: it stays */
function requireSameExternalId(before: unknown, after: string | null | undefined, by: Actor): void {
  if (before != null && after !== undefined && after !== before && by.kind !== 'PLATFORM_KEY') {
    const detail = 'The webhook has another external id, which only a platform key can change.';
    throw new ApiError('option_not_allowed', detail);
  }
}

const isOrdered = (by: unknown) => typeof by === 'string' && by !== 'NONE';

/** Decides on the deliveries that an active webhook keeps. */
async function decideOnKept(unit: UnitOfWork, webhook: Webhook, held: Held | undefined, by: Actor): Promise<void> {
  if (held === 'DISCARD') {
    const detail =
      `is for enabling, and the webhook is active already; cancel what it keeps with cancelDeliveries(input: ` +
      `{filter: {webhookId: "${webhook.id}", status: HELD}})`;
    throw invalidInput([{ path: ['input', 'held'], code: 'contradiction', detail }]);
  }
  if (held === 'RELEASE') {
    await releaseKept(unit, webhook, by);
  }
}
