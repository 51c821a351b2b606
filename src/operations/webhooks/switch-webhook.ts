import { HOUR_MS } from '../../domain/text/durations.js';
import { DisabledReason, type Webhook } from '../../entities/webhook.js';
import { enqueueAlign } from '../jobs/enqueue.js';
import { nextId } from '../rows/allocate-id.js';
import { type Actor, about, audit } from '../rows/audit.js';
import type { UnitOfWork } from '../rows/unit-of-work.js';

/** Changes of a webhook whose row is locked. Its deliveries follow (`align-webhook`). */

/** Enables an inactive webhook. @param held what happens to its held deliveries */
export async function enable(
  { sql }: UnitOfWork,
  webhook: Webhook,
  held: 'RELEASE' | 'KEEP' | 'DISCARD',
): Promise<void> {
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
  webhook.keepHeldUpTo = held === 'KEEP' ? await nextId(sql) : null;
  if (held === 'DISCARD') {
    webhook.discardHeldUpTo = await nextId(sql);
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

/** Pauses an active webhook. @param holdHours how long its deliveries are held */
export async function pause(unit: UnitOfWork, webhook: Webhook, holdHours: number): Promise<void> {
  markPaused(unit, webhook, holdHours);
  webhook.generation += 1;
  webhook.keepHeld = false;
  await enqueueAlign(unit.sql, webhook.tenantId, webhook.id);
}

/** The same for a new webhook, which has no deliveries yet. */
export function markPaused({ now }: Pick<UnitOfWork, 'now'>, webhook: Webhook, holdHours: number): void {
  webhook.active = false;
  webhook.disabledAt = now;
  webhook.disabledReason = DisabledReason.PAUSED;
  webhook.holdUntil = new Date(now.getTime() + holdHours * HOUR_MS);
}
