import type pg from 'pg';
import type { WithCommit } from '../../database/database.js';
import { type Actor, about, audit } from '../audit.js';
import { enqueueSettle } from '../jobs/enqueue.js';

/** A webhook whose row is locked goes on or off, or sends what it keeps. Its deliveries follow (`settle-webhook`). */

/** Enables an inactive webhook; `held`: what becomes of what it holds. */
export async function enable(
  client: pg.PoolClient,
  tenantId: number,
  webhookId: number,
  held: 'RELEASE' | 'KEEP' | 'DISCARD',
): Promise<void> {
  await client.query(
    `update hookwright.webhooks
     set active = true, generation = generation + 1, consecutive_failures = 0, disabled_at = null,
         disabled_reason = null, hold_until = null, closed_until = null, failing_since = null, next_look_at = null,
         keep_held = $2,
         keep_held_up_to = case when $2 then hookwright.next_id() end,
         discard_held_up_to = case when $3 then hookwright.next_id() else discard_held_up_to end
     where id = $1`,
    [webhookId, held === 'KEEP', held === 'DISCARD'],
  );
  await enqueueSettle(client, tenantId, webhookId);
}

/** Who releases what a webhook keeps. */
export interface Release {
  tenantId: number;
  webhookId: number;
  by: Actor;
}

/** What an active webhook keeps, whose row is locked, is sent in the background; the audit log has it. */
export async function letKeptGo(
  client: pg.PoolClient,
  withCommit: WithCommit,
  { tenantId, webhookId, by }: Release,
): Promise<void> {
  await client.query(
    'update hookwright.webhooks set keep_held = false, keep_held_up_to = null where id = $1',
    [webhookId],
  );
  await enqueueSettle(client, tenantId, webhookId);
  withCommit(audit(client, by, { ...about('WEBHOOK', tenantId, webhookId), action: 'HELD_RELEASED' }));
}

/** Pauses an active webhook, whose row is locked: what comes for it is held. */
export async function pause(
  client: pg.PoolClient,
  tenantId: number,
  webhookId: number,
  holdHours: number,
): Promise<void> {
  await client.query(
    `update hookwright.webhooks
     set active = false, generation = generation + 1, disabled_at = now(), disabled_reason = 'PAUSED',
         hold_until = now() + $2 * interval '1 hour', keep_held = false
     where id = $1`,
    [webhookId, holdHours],
  );
  await enqueueSettle(client, tenantId, webhookId);
}
