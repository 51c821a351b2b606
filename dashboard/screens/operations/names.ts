import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { Ban, CircleCheck, CirclePause, CircleX, LoaderCircle, type LucideIcon } from 'lucide-react';
import type { BulkOperationKind, BulkOperationStatus, DeliveryOutcome } from '../../api/generated/graphql';
import type { Tone } from '../../parts/page';
import { DELIVERY_STATES } from '../../parts/status';
import { shortly } from '../../parts/time';

export const KINDS: Record<BulkOperationKind, MessageDescriptor> = {
  RECOVER_WEBHOOK: msg`Send deliveries again`,
  REPLAY_EVENTS: msg`Send past events`,
  CANCEL_DELIVERIES: msg`Cancel deliveries`,
};

export const OPERATION_STATES: Record<
  BulkOperationStatus,
  { name: MessageDescriptor; tone: Tone | 'calm'; icon: LucideIcon }
> = {
  RUNNING: { name: msg`Running`, tone: 'info', icon: LoaderCircle },
  PAUSED: { name: msg`Paused`, tone: 'warn', icon: CirclePause },
  COMPLETED: { name: msg`Completed`, tone: 'good', icon: CircleCheck },
  FAILED: { name: msg`Failed`, tone: 'bad', icon: CircleX },
  CANCELED: { name: msg`Canceled`, tone: 'calm', icon: Ban },
};

const OUTCOMES: Record<DeliveryOutcome, MessageDescriptor> = {
  FAILED: msg`failed`,
  HOLD_EXPIRED: msg`held for too long`,
  CANCELED: msg`canceled`,
  SUCCEEDED: msg`delivered`,
};

/** What an operation goes through, as name and value. Its endpoint is left out: that is a link. */
export function useFilterWords(filter: Record<string, unknown>): { name: string; value: string }[] {
  const { t, i18n } = useLingui();
  const words: { name: string; value: string }[] = [];
  const list = (values: unknown[]) => new Intl.ListFormat(i18n.locale).format(values.map(String));
  const { outcomes, status, eventType, eventTypes, eventId, since, until } = filter;
  if (Array.isArray(outcomes)) {
    const names = outcomes.map((one) => i18n._(OUTCOMES[one as DeliveryOutcome] ?? { id: String(one) }));
    words.push({ name: t`Only those`, value: list(names) });
  }
  if (typeof status === 'string') {
    const state = DELIVERY_STATES[status as keyof typeof DELIVERY_STATES];
    words.push({ name: t`State`, value: state === undefined ? status : i18n._(state.name) });
  }
  if (typeof eventType === 'string') {
    words.push({ name: t`Event type`, value: eventType });
  }
  if (Array.isArray(eventTypes)) {
    words.push({ name: t`Event types`, value: list(eventTypes) });
  }
  if (eventId != null) {
    words.push({ name: t`Event`, value: String(eventId) });
  }
  // What is older than anything that is kept is no beginning.
  if (typeof since === 'string' && Date.parse(since) > 0) {
    words.push({ name: t`Made since`, value: shortly(since) });
  }
  if (typeof until === 'string') {
    words.push({ name: t`Made before`, value: shortly(until) });
  }
  if (filter['includeDelivered'] === true) {
    words.push({ name: t`Besides`, value: t`events that the endpoint has had` });
  }
  if (filter['includeUnsubscribed'] === true) {
    words.push({ name: t`Besides`, value: t`event types that it does not subscribe to` });
  }
  return words;
}
