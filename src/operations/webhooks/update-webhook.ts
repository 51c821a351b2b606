import type { Database } from '../../database/database.js';
import type { Webhook } from '../../entities/webhook.js';
import { invalidInput } from '../../errors.js';
import { enqueueAlign } from '../jobs/enqueue.js';
import { type Actor, about, audit, differences, picked } from '../rows/audit.js';
import { lockWebhook } from '../rows/lock-for-change.js';
import { managementTransaction, type UnitOfWork } from '../rows/unit-of-work.js';
import { enable, letKeptGo, pause } from './switch-webhook.js';
import type { WebhookSettings } from './webhook-settings.js';

/** What becomes of held deliveries. */
type Held = 'RELEASE' | 'KEEP' | 'DISCARD';

export interface WebhookChange extends Partial<WebhookSettings> {
  active?: boolean;
  /**
   * What becomes of held deliveries when the webhook is enabled, and of those that a pause has not got round to
   * holding; then the default is RELEASE. Of one that is active already, what it keeps since `KEEP`: RELEASE sends it,
   * DISCARD is refused. Without meaning otherwise.
   */
  held?: Held;
}

/**
 * Changes a webhook. Its deliveries follow in a task of their own (`align-webhook`), and at the latest when their turn
 * comes. A value that it has already changes nothing, and neither raises the version nor stands in the audit log;
 * only `held` may have a meaning all the same.
 *
 * @param holdHours how long the webhook collects events while it is inactive
 * @param ifVersion the version that it must have; undefined: any
 * @returns the webhook as it is now
 * @throws ApiError not_found for a foreign, unknown or deleted webhook; precondition_failed for another version;
 *   invalid_input for what `held` cannot do
 */
export async function updateWebhook(
  db: Pick<Database, 'orm'>,
  tenantId: number,
  webhookId: number,
  { held, active, ...settings }: WebhookChange,
  holdHours: number,
  by: Actor,
  ifVersion?: number,
): Promise<Webhook> {
  return await managementTransaction(db, tenantId, async (unit) => {
    const { em, sql } = unit;
    const webhook = await lockWebhook(em, webhookId, ifVersion);
    const names = [...(Object.keys(settings) as (keyof WebhookSettings)[]), 'active'] as const;
    const before = picked(webhook, names);
    em.assign(webhook, settings);
    if (webhook.url !== (before.url ?? webhook.url)) {
      // What the old endpoint asked for with Retry-After does not bind the new one; settling wakes who waited for it.
      webhook.closedUntil = null;
      webhook.nextProbeAt = null;
      await enqueueAlign(sql, tenantId, webhookId);
    }
    if (active === true && !webhook.active) {
      await enable(unit, webhook, held ?? 'RELEASE');
    } else if (active === true && webhook.keepHeld) {
      await decideOnKept(unit, webhook, held, by);
    } else if (active === false && webhook.active) {
      await pause(unit, webhook, holdHours);
    }
    const changed = differences(before, picked(webhook, names));
    if (changed !== null) {
      const heldToo = changed.after.active === true ? { held: held ?? 'RELEASE' } : {};
      audit(em, by, {
        ...about('WEBHOOK', tenantId, webhookId),
        action: 'WEBHOOK_UPDATED',
        before: changed.before,
        after: { ...changed.after, ...heldToo },
      });
    }
    return webhook;
  });
}

/** Of an active webhook: what it keeps is released, or stays. */
async function decideOnKept(unit: UnitOfWork, webhook: Webhook, held: Held | undefined, by: Actor): Promise<void> {
  if (held === 'DISCARD') {
    const detail =
      `is for enabling, and the webhook is active already; cancel what it keeps with cancelDeliveries(input: ` +
      `{filter: {webhookId: "${webhook.id}", status: HELD}})`;
    throw invalidInput([{ path: ['input', 'held'], code: 'contradiction', detail }]);
  }
  if (held === 'RELEASE') {
    await letKeptGo(unit, webhook, by);
  }
}
