import type { Context } from '../context.js';
import { Webhook } from '../entities/webhook.js';
import { found, idOf } from './fields/ids.js';

/**
 * The id of a webhook, or of one that was deleted: what was sent to it is still there. Null stays null.
 *
 * @throws ApiError not_found for an unknown or foreign one
 */
export async function knownWebhookId(context: Context, id: string | null): Promise<number | null> {
  if (id === null) {
    return null;
  }
  const number = idOf('webhook', id);
  const webhook = await context.em.findOne(
    Webhook,
    { id: number },
    { filters: { alive: false }, fields: ['id'] },
  );
  return found(webhook, 'webhook', number).id;
}
