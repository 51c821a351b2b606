import { matches } from './event-type.js';

export type FanOutVerdict =
  | 'CREATED_LATER'
  | 'NOT_SUBSCRIBED'
  | 'FILTERED'
  | 'INACTIVE'
  | 'FOR_ANOTHER_WEBHOOK'
  | 'NEEDS_A_PATH'
  | 'ABOUT_THIS_WEBHOOK'
  | 'NO_LONGER_KEPT'
  | 'UNKNOWN';

/** A webhook as it is now, and as it was at the time of an event. */
interface WebhookHistory {
  id: number;
  createdAt: Date;
  eventTypes: readonly string[];
  active: boolean;
  /** Whether it takes only events that name a path, by its option now. */
  callback: boolean;
  /** Before their first change after the event; null when there was none. */
  eventTypesBefore: readonly string[] | null;
  activeBefore: boolean | null;
}

interface EventFacts {
  eventType: string;
  createdAt: Date;
  /** Whether it was for one webhook alone, without regard to subscriptions, as tests are. */
  forOneWebhook: boolean;
  /** The ids of the webhooks that it was for (`to`); null: all that match. */
  targets: readonly number[] | null;
  /** The subject of an operational event, which does not get it. */
  aboutWebhookId: number | null;
  beyondRetention: boolean;
}

/**
 * Why an event has no delivery to a webhook of its tenant. The webhook's state when the event came is today's, or the
 * one before the first change since, as the audit log has it. A change in the same moment, or past the API, is UNKNOWN.
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
  // It may have been for this webhook alone, or HELD for it.
  if (event.beyondRetention) {
    return 'NO_LONGER_KEPT';
  }
  if (event.forOneWebhook || (event.targets !== null && !event.targets.includes(webhook.id))) {
    return 'FOR_ANOTHER_WEBHOOK';
  }
  if (webhook.callback && event.targets === null) {
    return 'NEEDS_A_PATH';
  }
  // An inactive webhook still collects events for a while: without a delivery that was over.
  return (webhook.activeBefore ?? webhook.active) ? 'UNKNOWN' : 'INACTIVE';
}

/** Whether the webhook would have got the event, so that its filter may have kept it away. */
export const isFilterAsked = (verdict: FanOutVerdict): boolean => verdict === 'UNKNOWN' || verdict === 'INACTIVE';
