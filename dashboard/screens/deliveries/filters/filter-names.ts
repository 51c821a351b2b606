import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import type { FilterChoicesQuery } from '../../../api/generated/graphql';
import { endpointLabel } from '../../../parts/cells';
import { DELIVERY_STATES } from '../../../parts/status';
import { shortly } from '../../../parts/time';
import type { FilterName, Filters, STATES, STATUS_CLASSES } from './filters';

/** The filters' names. `since`, `until` and `range` are one filter: the time. */
export const FILTER_NAMES: Record<FilterName, MessageDescriptor> = {
  endpoint: msg`Endpoint`,
  type: msg`Event type`,
  status: msg`State`,
  class: msg`Answer`,
  error: msg`Error`,
  range: msg`Time`,
  since: msg`Time`,
  until: msg`Time`,
  event: msg`Event`,
  key: msg`Idempotency key`,
  text: msg`Text in payload`,
};

export const CLASS_NAMES: Record<(typeof STATUS_CLASSES)[number], MessageDescriptor> = {
  HTTP_2XX: msg`2xx: success`,
  HTTP_3XX: msg`3xx: redirect`,
  HTTP_4XX: msg`4xx: rejected`,
  HTTP_5XX: msg`5xx: endpoint failed`,
  NO_ANSWER: msg`No answer`,
};

export const STATE_NAMES: Record<(typeof STATES)[number], MessageDescriptor> = {
  PENDING: DELIVERY_STATES.PENDING.name,
  SUCCEEDED: DELIVERY_STATES.SUCCEEDED.name,
  FAILED: DELIVERY_STATES.FAILED.name,
  WAITING: DELIVERY_STATES.WAITING.name,
  HELD: DELIVERY_STATES.HELD.name,
  CANCELED: DELIVERY_STATES.CANCELED.name,
  RETRYING: msg`Retrying`,
  ATTEMPT_FAILED: msg`Attempts failed`,
};

/** Hints that tell similar states apart. */
const STATE_HINTS: Partial<Record<keyof typeof STATE_NAMES, MessageDescriptor>> = {
  FAILED: msg`For good: no retry is left.`,
  ATTEMPT_FAILED: msg`The last attempt failed: for good, held, canceled or retried.`,
};

export function hintOf(state: keyof typeof STATE_NAMES, i18n: Pick<I18n, '_'>): string | undefined {
  const hint = STATE_HINTS[state];
  return hint && i18n._(hint);
}

export const RANGE_NAMES: Record<string, MessageDescriptor> = {
  '1h': msg`Last hour`,
  '24h': msg`Last 24 hours`,
  '7d': msg`Last 7 days`,
  '30d': msg`Last 30 days`,
};

/** A filter that is set, as a chip shows it. `names` are the parameters of the address that it stands for. */
export interface Chip {
  filter: FilterName;
  names: FilterName[];
  value: string;
}

/** The filters that are set, in words. */
export function useChips(filters: Filters, choices: FilterChoicesQuery | undefined): Chip[] {
  const { t, i18n } = useLingui();
  const { since, until } = filters;
  const chips: Chip[] = [];
  const add = (filter: FilterName, value: string | undefined, names = [filter]) => {
    if (value !== undefined) {
      chips.push({ filter, names, value });
    }
  };
  const endpoint = choices?.webhooks?.edges.find(
    ({ node }) => `${node.databaseId}` === filters.endpoint || node.id === filters.endpoint,
  );
  add('endpoint', filters.endpoint && (endpoint === undefined ? filters.endpoint : endpointLabel(endpoint.node)));
  add('type', filters.type);
  add('status', filters.status && i18n._(STATE_NAMES[filters.status as keyof typeof STATE_NAMES]));
  add('class', filters.class && i18n._(CLASS_NAMES[filters.class as keyof typeof CLASS_NAMES]));
  add('error', filters.error);
  const time: FilterName[] = ['range', 'since', 'until'];
  if (since !== undefined && until !== undefined) {
    add('range', `${shortly(since)} – ${shortly(until)}`, time);
  } else if (since !== undefined) {
    add('range', t`since ${shortly(since)}`, time);
  } else {
    const range = filters.range === undefined ? undefined : RANGE_NAMES[filters.range];
    add('range', range && i18n._(range), time);
    add('until', until && t`before ${shortly(until)}`, time);
  }
  add('event', filters.event);
  add('key', filters.key);
  add('text', filters.text && `“${filters.text}”`);
  return chips;
}
