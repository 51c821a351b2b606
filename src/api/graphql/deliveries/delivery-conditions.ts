import type { NumberedType } from '../../../domain/ids/global-id.js';
import { found } from '../../../errors.js';
import type { DeliveryConditions } from '../../../operations/explorer/page-deliveries.js';
import type { Context } from '../../context/context.js';
import { idIn } from '../fields/ids.js';
import { knownTypeIn } from '../fields/known-event-type.js';
import { requireKnownWebhook } from '../fields/known-webhook.js';
import { conditionsIn, type DeliveryFilter, eventOfKeyIn, payloadPartIn } from './delivery-filter.js';

/**
 * The conditions of a filter for all deliveries of the tenant.
 *
 * @param path of the filter in the arguments
 * @returns null when no delivery can meet it
 * @throws ApiError invalid_input, scope_missing, not_found
 */
export async function conditionsOf(
  context: Context,
  filter: DeliveryFilter | null,
  path: readonly string[] = ['filter'],
): Promise<DeliveryConditions | null> {
  const idFilter = (type: NumberedType, text: string | null | undefined, name: string) =>
    typeof text === 'string' ? idIn(type, text, [...path, name]) : undefined;
  const conditions: DeliveryConditions = {
    ...conditionsIn(filter, path),
    webhookId: idFilter('Webhook', filter?.webhookId, 'webhookId'),
    eventId: idFilter('Event', filter?.eventId, 'eventId'),
    payloadContains: payloadPartIn(context, filter, path),
    eventType: await knownTypeIn(context, filter?.eventType, [...path, 'eventType']),
  };
  await requireKnown(context, conditions);
  const ofKey = await eventOfKeyIn(context, filter, path);
  if (ofKey === undefined) {
    return conditions;
  }
  const isOther = conditions.eventId !== undefined && conditions.eventId !== ofKey;
  return ofKey === null || isOther ? null : { ...conditions, eventId: ofKey };
}

/** A mistyped id must not look as if nothing had been sent. @throws ApiError not_found */
async function requireKnown(context: Context, { webhookId, eventId }: DeliveryConditions): Promise<void> {
  if (webhookId !== undefined) {
    await requireKnownWebhook(context, webhookId);
  }
  if (eventId !== undefined) {
    found(await context.loaders.eventById.load(eventId), 'event', eventId);
  }
}
