import { HOUR_MS } from '../../domain/text/durations.js';
import { DisabledReason, type Webhook } from '../../entities/webhook.js';
import { enqueueAlign } from '../jobs/enqueue.js';
import { idOfNow } from '../rows/allocate-id.js';
import { type Actor, about, audit } from '../rows/audit.js';
import type { UnitOfWork } from '../rows/unit-of-work.js';
import { beginVerification, requireVerified } from './change-verification.js';

/** Changes of a webhook whose row is locked. Its deliveries follow (`align-webhook`). */

/**
 * Enables an inactive webhook.
 *
 * @param held what happens to its held deliveries
 * @throws ApiError webhook_unverified
 */
export async function enable(
  { sql }: UnitOfWork,
  webhook: Webhook,
  held: 'RELEASE' | 'KEEP' | 'DISCARD',
): Promise<void> {
  await requireVerified(sql, webhook.id);
  webhook.active = true;
  webhook.generation += 1;
  webhook.consecutiveFailures = 0;
  webhook.disabledAt = null;
  webhook.disabledReason = null;
  webhook.holdUntil = null;
  webhook.closedUntil = null;
  webhook.failingSince = null;
  webhook.nextProbeAt = null;
  webhook.keepHeld = held === 'KEEP';
  webhook.keepHeldUpTo = held === 'KEEP' ? await idOfNow(sql) : null;
  if (held === 'DISCARD') {
    webhook.discardHeldUpTo = await idOfNow(sql);
  }
  await enqueueAlign(sql, webhook.tenantId, webhook.id);
}

/** Has an active webhook send the deliveries that it keeps, with an audit entry. */
export async function releaseKept({ em, sql }: UnitOfWork, webhook: Webhook, by: Actor): Promise<void> {
  const { id, tenantId } = webhook;
  webhook.keepHeld = false;
  webhook.keepHeldUpTo = null;
  await enqueueAlign(sql, tenantId, id);
  audit(em, by, { ...about('WEBHOOK', tenantId, id), action: 'HELD_RELEASED' });
}

/**
 * Pauses a webhook: only a person enables it then, and no proof and no probe. One that is inactive already goes on
 * holding as long as it would have.
 *
 * @param holdHours how long the deliveries of an active one are held
 */
export async function pause(unit: UnitOfWork, webhook: Webhook, holdHours: number): Promise<void> {
  if (webhook.disabledReason === DisabledReason.PAUSED) {
    return;
  }
  if (webhook.active) {
    markPaused(unit, webhook, holdHours);
    await enqueueAlign(unit.sql, webhook.tenantId, webhook.id);
  } else {
    webhook.disabledReason = DisabledReason.PAUSED;
  }
  webhook.generation += 1;
  webhook.keepHeld = false;
}

/** The same for a new webhook, which has no deliveries yet. */
export const markPaused = (unit: Pick<UnitOfWork, 'now'>, webhook: Webhook, holdHours: number): void =>
  markInactive(unit, webhook, DisabledReason.PAUSED, holdHours);

/** Makes a webhook one that the proof of its endpoint enables. */
export const markUnverified = (unit: Pick<UnitOfWork, 'now'>, webhook: Webhook, holdHours: number): void =>
  markInactive(unit, webhook, DisabledReason.UNVERIFIED, holdHours);

function markInactive(
  { now }: Pick<UnitOfWork, 'now'>,
  webhook: Webhook,
  reason: DisabledReason,
  holdHours: number,
): void {
  webhook.active = false;
  webhook.disabledAt = now;
  webhook.disabledReason = reason;
  webhook.holdUntil = new Date(now.getTime() + holdHours * HOUR_MS);
}

/**
 * Has another endpoint of a webhook prove that it wants deliveries, which are held until then. The proof enables the
 * webhook, unless it is paused.
 *
 * @param isWanted somebody wants it to be active, though it may be paused
 */
export async function demandProof(
  unit: UnitOfWork,
  webhook: Webhook,
  isWanted: boolean,
  holdHours: number,
): Promise<void> {
  await beginVerification(unit.sql, webhook);
  if (isWanted || webhook.disabledReason !== DisabledReason.PAUSED) {
    markUnverified(unit, webhook, holdHours);
    webhook.generation += 1;
    await enqueueAlign(unit.sql, webhook.tenantId, webhook.id);
  }
}
