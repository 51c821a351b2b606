import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { Ban, CircleCheck, CirclePause, CircleX, LoaderCircle } from 'lucide-react';
import type { FilterOp } from '../../../src/domain/content/filter';
import type { BulkOperationKind, BulkOperationStatus } from '../../api/generated/graphql';
import type { State } from '../../parts/status';
import { shortly } from '../../parts/time';
import { OPERATOR_WORDS } from '../endpoints/content/words';

export const KINDS: Record<BulkOperationKind, MessageDescriptor> = {
  RECOVER_WEBHOOK: msg`Send deliveries again`,
  RECOVER_DELIVERIES: msg`Send deliveries again`,
  ATTEMPT_NOW: msg`Try retries now`,
  REPLAY_EVENTS: msg`Replay past events`,
  CANCEL_DELIVERIES: msg`Cancel deliveries`,
  ERASE_EVENTS: msg`Erase events`,
};

export const OPERATION_STATES: Record<BulkOperationStatus, State> = {
  RUNNING: { name: msg`Running`, tone: 'info', icon: LoaderCircle },
  PAUSED: { name: msg`Paused`, tone: 'warn', icon: CirclePause },
  COMPLETED: { name: msg`Completed`, tone: 'good', icon: CircleCheck },
  FAILED: { name: msg`Failed`, tone: 'bad', icon: CircleX },
  CANCELED: { name: msg`Canceled`, tone: 'calm', icon: Ban },
};

/** There is no stream of operations. */
export const REFRESH_MS = 2_000;

/** Whether an operation changes by itself: a paused one goes on when its endpoint is enabled. */
export function goesOn({ status }: { status: BulkOperationStatus }): boolean {
  return status === 'RUNNING' || status === 'PAUSED';
}

const OUTCOMES: Record<string, MessageDescriptor> = {
  FAILED: msg`failed`,
  HOLD_EXPIRED: msg`held for too long`,
  CANCELED: msg`canceled`,
  SUCCEEDED: msg`delivered`,
  PENDING: msg`pending`,
  WAITING: msg`waiting`,
  HELD: msg`held`,
};

/** The selection of an operation, as names and values. Its endpoint is left out: that is a link. */
export function useFilterWords({ filter }: { filter: Record<string, unknown> }): { name: string; value: string }[] {
  const { t, i18n } = useLingui();
  const { status, eventType, eventTypes, eventId, since, until } = filter;
  const field = filter['field'] as { path: string; op: FilterOp } | undefined;
  const list = (values: unknown) =>
    new Intl.ListFormat(i18n.locale).format(
      (Array.isArray(values) ? values : [values]).map((value) => i18n._(OUTCOMES[value] ?? { id: String(value) })),
    );
  return [
    status != null && { name: t`State`, value: list(status) },
    eventType != null && { name: t`Event type`, value: list(eventType) },
    eventTypes != null && { name: t`Event types`, value: list(eventTypes) },
    field != null && { name: t`Condition`, value: `${field.path} ${i18n._(OPERATOR_WORDS[field.op])} …` },
    eventId != null && { name: t`Event`, value: String(eventId) },
    // A time before anything that is kept means that no beginning was chosen.
    typeof since === 'string' && Date.parse(since) > 0 && { name: t`Created since`, value: shortly(since) },
    typeof until === 'string' && { name: t`Created before`, value: shortly(until) },
    filter['includeDelivered'] === true && { name: t`Includes`, value: t`events already delivered to the endpoint` },
    filter['includeUnsubscribed'] === true && {
      name: t`Includes`,
      value: t`event types that it does not subscribe to`,
    },
    filter['includeFiltered'] === true && { name: t`Includes`, value: t`events that its filter leaves out` },
  ].filter((word) => word !== false);
}
