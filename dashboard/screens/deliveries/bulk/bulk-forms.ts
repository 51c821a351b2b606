import type { DeliveryFilterInput, FilterName, Filters } from '../filters/filters.js';

/** A part of a filter that an operation over all that match does not know. */
export type BulkObstacle = Exclude<FilterName, 'range' | 'since' | 'until'>;

export type BulkForm<Input> =
  | { possible: true; input: Input }
  /** `remove`: what the API has no bulk form for. `need`: what it cannot do without. */
  | { possible: false; remove: BulkObstacle[]; need: 'endpoint' | 'any' | undefined };

/** Canceling all that match: by endpoint, event type, time, and a state that is still open. */
export function cancelAll(filters: Filters, filter: DeliveryFilterInput): BulkForm<DeliveryFilterInput> {
  const remove = obstacles(filters, ['class', 'error', 'event', 'key', 'text']);
  if (filter.status !== undefined && filter.status !== 'PENDING' && filter.status !== 'HELD') {
    remove.push('status');
  }
  if (remove.length > 0) {
    return { possible: false, remove, need: undefined };
  }
  return Object.keys(filter).length === 0
    ? { possible: false, remove, need: 'any' }
    : { possible: true, input: filter };
}

/** The filters as the API's `RecoverWebhookInput`. */
export interface RecoverInput {
  id: string;
  filter: {
    outcomes: ('FAILED' | 'HOLD_EXPIRED' | 'CANCELED' | 'SUCCEEDED')[];
    since: string;
    until?: string;
  };
}

/**
 * Sending all that match again: of one endpoint, by outcome and time. Without a state it is what has failed, or was held
 * for too long: what has succeeded is sent again only where somebody has asked for just that.
 */
export function resendAll(filters: Filters, filter: DeliveryFilterInput): BulkForm<RecoverInput> {
  const remove = obstacles(filters, ['type', 'class', 'error', 'event', 'key', 'text']);
  if (filter.status === 'PENDING' || filter.status === 'HELD') {
    remove.push('status');
  }
  if (remove.length > 0 || filter.webhookId === undefined) {
    return { possible: false, remove, need: filter.webhookId === undefined ? 'endpoint' : undefined };
  }
  const { webhookId: id, status, since = '1970-01-01T00:00:00Z', until } = filter;
  const outcomes: RecoverInput['filter']['outcomes'] =
    status === undefined ? ['FAILED', 'HOLD_EXPIRED'] : [status as 'FAILED' | 'CANCELED' | 'SUCCEEDED'];
  return {
    possible: true,
    input: { id, filter: { outcomes, since, ...(until !== undefined && { until }) } },
  };
}

function obstacles(filters: Filters, unknown: BulkObstacle[]): BulkObstacle[] {
  return unknown.filter((name) => filters[name] !== undefined);
}
