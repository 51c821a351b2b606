import { Webhook } from '../../../entities/webhook.js';
import { found } from '../../../errors.js';
import type { Context } from '../../context/context.js';
import { idOf } from './ids.js';

/** The webhook may be deleted: deliveries to it are still there. @throws ApiError not_found */
export async function requireKnownWebhook(context: Context, id: number): Promise<void> {
  const webhook = await context.em.findOne(Webhook, { id }, { filters: { alive: false }, fields: ['id'] });
  found(webhook, 'webhook', id);
}

/** The webhook that an optional argument names. @throws ApiError not_found; invalid_input for the id of another type */
export async function knownWebhookIn(context: Context, text: string | null | undefined): Promise<number | null> {
  if (typeof text !== 'string') {
    return null;
  }
  const id = idOf('Webhook', text, ['webhookId']);
  await requireKnownWebhook(context, id);
  return id;
}
