import type { DeliveryFilterInput } from '../filters/filters.js';

export const BULK_ACTIONS = ['resend', 'attempt', 'cancel'] as const;

export type BulkAction = (typeof BULK_ACTIONS)[number];

/** Why an operation over all that match cannot be started: by the state of the filter, or because there is no filter. */
export type BulkObstacle = 'state' | 'everything';

const OPEN: readonly unknown[] = ['PENDING', 'WAITING', 'HELD'];

/** Whether the API takes this filter for an operation; undefined if it does. Every other filter is part of each one. */
export function obstacleTo(action: BulkAction, filter: DeliveryFilterInput): BulkObstacle | undefined {
  const { status, retrying = false } = filter;
  const isPossible = {
    // Without a state: failed deliveries, and deliveries that were held for too long.
    resend: !retrying && !OPEN.includes(status),
    attempt: status === undefined || status === 'PENDING',
    cancel: status === undefined || OPEN.includes(status),
  }[action];
  if (!isPossible) {
    return 'state';
  }
  // A retry that comes early does no harm.
  return action !== 'attempt' && Object.keys(filter).length === 0 ? 'everything' : undefined;
}
