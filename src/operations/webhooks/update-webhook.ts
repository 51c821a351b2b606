import type pg from 'pg';
import type { Database, WithCommit } from '../../database/database.js';
import { tenantTransaction } from '../../database/tenant-database.js';
import { invalidInput } from '../../errors.js';
import { type Actor, about, audit } from '../audit.js';
import { enqueueSettle } from '../jobs/enqueue.js';
import { type ChangeableWebhook, lockWebhook } from '../lock-webhook.js';
import { enable, letKeptGo, pause, type Release } from './switch-webhook.js';

export interface WebhookChange {
  url?: string;
  eventTypes?: string[];
  active?: boolean;
  /**
   * What becomes of held deliveries when the webhook is enabled, and of those that a pause has not got round to
   * holding; then the default is RELEASE. Of one that is active already, what it keeps since `KEEP`: RELEASE sends it,
   * DISCARD is refused. Without meaning otherwise.
   */
  held?: 'RELEASE' | 'KEEP' | 'DISCARD';
}

/**
 * Changes a webhook's row. Its deliveries follow in a task of their own (`settle-webhook`), and at the latest when
 * their turn comes. Setting `active` to the value it has changes nothing, but for what `held` says.
 *
 * @param holdHours how long the webhook collects events while it is inactive
 * @throws ApiError not_found for a foreign, unknown or deleted webhook; invalid_input for what `held` cannot do
 */
export async function updateWebhook(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  webhookId: number,
  change: WebhookChange,
  holdHours: number,
  by: Actor,
): Promise<void> {
  await tenantTransaction(db.pool, tenantId, async (client, withCommit) => {
    const webhook = await lockWebhook(client, tenantId, webhookId);
    const { active } = webhook;
    if (change.url !== undefined) {
      // What the old endpoint asked for with Retry-After does not bind the new one; settling wakes who waited for it.
      const { rowCount } = await client.query(
        `update hookwright.webhooks set url = $2, closed_until = null, next_look_at = null
         where id = $1 and url <> $2`,
        [webhookId, change.url],
      );
      if (rowCount === 1) {
        await enqueueSettle(client, tenantId, webhookId);
      }
    }
    if (change.eventTypes !== undefined) {
      await client.query('update hookwright.webhooks set event_types = $2 where id = $1', [
        webhookId,
        change.eventTypes,
      ]);
    }
    if (change.active === true && !active) {
      await enable(client, tenantId, webhookId, change.held ?? 'RELEASE');
    }
    if (change.active === true && active && webhook.keepsHeld) {
      await decideOnKept(client, withCommit, { tenantId, webhookId, by }, change.held);
    }
    if (change.active === false && active) {
      await pause(client, tenantId, webhookId, holdHours);
    }
    const changed = differences(webhook, change);
    if (changed !== null) {
      withCommit(
        audit(client, by, {
          ...about('WEBHOOK', tenantId, webhookId),
          action: 'WEBHOOK_UPDATED',
          ...changed,
        }),
      );
    }
  });
}

/** What a change really changes, for the audit log; null when it is nothing. */
function differences(
  webhook: ChangeableWebhook,
  { url, eventTypes, active, held }: WebhookChange,
): { before: Record<string, unknown>; after: Record<string, unknown> } | null {
  const wanted = { url, eventTypes, active };
  const changed = (['url', 'eventTypes', 'active'] as const).filter(
    (name) => wanted[name] !== undefined && JSON.stringify(wanted[name]) !== JSON.stringify(webhook[name]),
  );
  if (changed.length === 0) {
    return null;
  }
  const pick = (from: Partial<ChangeableWebhook>) =>
    Object.fromEntries(changed.map((name) => [name, from[name]]));
  const heldToo = active === true && changed.includes('active') ? { held: held ?? 'RELEASE' } : {};
  return { before: pick(webhook), after: { ...pick(wanted as Partial<ChangeableWebhook>), ...heldToo } };
}

/** Of an active webhook, whose row is locked: what it keeps is released, or stays. */
async function decideOnKept(
  client: pg.PoolClient,
  withCommit: WithCommit,
  release: Release,
  held: WebhookChange['held'],
): Promise<void> {
  if (held === 'DISCARD') {
    const detail =
      `is for enabling, and the webhook is active already; cancel what it keeps with cancelDeliveries(input: ` +
      `{filter: {webhookId: "${release.webhookId}", status: HELD}})`;
    throw invalidInput([{ path: ['input', 'held'], code: 'contradiction', detail }]);
  }
  if (held === 'RELEASE') {
    await letKeptGo(client, withCommit, release);
  }
}
