import { isElsewhere } from '../../domain/challenges/challenge.js';
import type { DisabledReason, StoredSettings, Webhook } from '../../entities/webhook.js';
import { ApiError, refusedInput } from '../../errors.js';
import type { HasOrm, HasPool } from '../../platform/database/database.js';
import { enqueueAlign } from '../jobs/enqueue.js';
import { unverified } from '../proofs/inactive.js';
import { type Actor, about, audit, differences } from '../rows/audit.js';
import { requireFreeExternalId, webhookConflict } from '../rows/external-ids.js';
import { lockWebhook } from '../rows/lock-for-change.js';
import { managementTransaction, type UnitOfWork } from '../rows/unit-of-work.js';
import type { NewSigningKey } from '../secrets/secret-vault.js';
import { addFirstKey } from '../signing-keys/change-signing-keys.js';
import { requireBoundSecrets } from './bound-secrets.js';
import { askAgain, moveUnasked, waiveProof } from './change-verification.js';
import { auditedSettings, ownSettings, readSettings, type SealedSettings, writeOptionsRow } from './settings.js';
import { requireSettling } from './settle-rules.js';
import { demandProof, enable, pause, releaseKept } from './switch-webhook.js';

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
  /** Whether another endpoint must prove that it wants deliveries (ENDPOINT_CHALLENGE). */
  challenge?: boolean;
}

/**
 * Changes a webhook. Its deliveries follow in a task (`align-webhook`), at the latest when they are loaded. Setting
 * current values does not change the version and makes no audit entry.
 *
 * @param holdHours how long the webhook collects events while it is inactive
 * @param ifVersion the version that it must have; undefined: any
 * @throws ApiError not_found for a foreign, unknown or deleted webhook; precondition_failed for another version;
 *   invalid_input for what `held` cannot do; external_id_taken; option_not_allowed for another external id than the one
 *   it has, unless a platform key sets it; webhook_unverified; those of requireBoundSecrets
 */
export async function updateWebhook(
  db: HasPool & HasOrm,
  tenantId: number,
  webhookId: number,
  { held, active, signingKey = null, challenge = false, ...settings }: WebhookChange,
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
    requireSettling(webhook, settings);
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
    const isMoved = isElsewhere(String(before['url'] ?? webhook.url), webhook.url);
    const reason = webhook.disabledReason;
    await switchTo(unit, webhook, { active, held, challenge, isMoved }, holdHours, by);
    const reasonBeside = (value: DisabledReason | null) =>
      reason === null || webhook.active ? {} : ({ reason: value } as Record<string, unknown>);
    const changed = differences(
      { ...before, ...reasonBeside(reason) },
      { ...readSettings(webhook, names), ...reasonBeside(webhook.disabledReason) },
    );
    if (challenge && !isMoved && ASKED_WITH.some((name) => name in (changed?.after ?? {}))) {
      await askAgain(sql, webhookId); // the answers of before were to another request
    }
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

/** The settings that decide on the request which asks an endpoint. Another origin or path begins a proof of its own. */
const ASKED_WITH = ['url', 'method', 'headers', 'auth', 'tls', 'signing'] as const satisfies (keyof StoredSettings)[];

interface Switch extends Pick<WebhookChange, 'active' | 'held' | 'challenge'> {
  /** It has another endpoint. */
  isMoved: boolean;
}

async function switchTo(
  unit: UnitOfWork,
  webhook: Webhook,
  { active, held, challenge, isMoved }: Switch,
  holdHours: number,
  by: Actor,
): Promise<void> {
  if (active === false) {
    await pause(unit, webhook, holdHours);
  }
  if (isMoved && !challenge) {
    await moveUnasked(unit.sql, webhook);
  }
  if (isMoved && challenge) {
    if (active === true && held !== undefined && held !== 'RELEASE') {
      throw unverified(webhook.id); // the proof releases all that the webhook does not keep
    }
    await demandProof(unit, webhook, active === true, holdHours);
  } else if (active === true && !webhook.active) {
    if (!challenge) {
      await waiveProof(unit.sql, webhook.id);
    }
    await enable(unit, webhook, held ?? 'RELEASE');
  } else if (active === true && webhook.keepHeld) {
    await decideOnKept(unit, webhook, held, by);
  }
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
    throw refusedInput(['held'], 'contradiction', detail);
  }
  if (held === 'RELEASE') {
    await releaseKept(unit, webhook, by);
  }
}
