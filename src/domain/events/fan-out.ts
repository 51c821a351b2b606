import { matches } from './matching.js';

/** Why an event has no delivery to a webhook. */
export type FanOutVerdict =
  | 'CREATED_LATER'
  | 'NOT_SUBSCRIBED'
  | 'INACTIVE'
  | 'FOR_ANOTHER_WEBHOOK'
  | 'ABOUT_THIS_WEBHOOK'
  | 'NO_LONGER_KEPT'
  | 'UNKNOWN';

/** A webhook as it is now, and what changes have made of it since an event. */
interface WebhookHistory {
  id: number;
  createdAt: Date;
  eventTypes: readonly string[];
  active: boolean;
  /** As they were before the first change of them after the event; null when there was none. */
  eventTypesBefore: readonly string[] | null;
  activeBefore: boolean | null;
}

interface EventFacts {
  eventType: string;
  createdAt: Date;
  /** Whether it was meant for one webhook alone, whatever that subscribed to, as tests are. */
  forOneWebhook: boolean;
  /** Of an operational event: the webhook that it tells of, which is not sent it. */
  aboutWebhookId: number | null;
  /** Older than deliveries are kept. */
  beyondRetention: boolean;
}

/**
 * Why an event has no delivery to a webhook of its tenant, from what the webhook was when the event came. That is not
 * stored with the event: a webhook that has not been changed since was what it is, and one that has was what the audit
 * log says it was before its first change after that moment. What both cannot explain is UNKNOWN: a change in the
 * same moment, or one past the API.
 */
export function whyNoDelivery(event: EventFacts, webhook: WebhookHistory): FanOutVerdict {
  if (webhook.createdAt > event.createdAt) {
    return 'CREATED_LATER';
  }
  if (event.aboutWebhookId === webhook.id) {
    return 'ABOUT_THIS_WEBHOOK';
  }
  if (!event.forOneWebhook && !matches(webhook.eventTypesBefore ?? webhook.eventTypes, event.eventType)) {
    return 'NOT_SUBSCRIBED';
  }
  // It may have been meant for this webhook, or may have been held for it.
  if (event.beyondRetention) {
    return 'NO_LONGER_KEPT';
  }
  if (event.forOneWebhook) {
    return 'FOR_ANOTHER_WEBHOOK';
  }
  // An inactive webhook still collects events for a while: without a delivery that was over.
  return (webhook.activeBefore ?? webhook.active) ? 'UNKNOWN' : 'INACTIVE';
}
