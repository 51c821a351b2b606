import { globalId } from '../../../domain/ids/global-id.js';
import { type InputIssue, requireNoIssues } from '../../../errors.js';
import type { BulkRequest } from '../../../operations/bulk/bulk-operations.js';
import type { Context } from '../../context/context.js';
import { conditionsOf } from '../deliveries/delivery-conditions.js';
import type { DeliveryFilter } from '../deliveries/delivery-filter.js';
import { rangeIssues, type TimeRange } from '../fields/time-range.js';

interface Allowed {
  /** The states that the filter may name. */
  states: readonly string[];
  /** The states that are meant when it names none; default: all of these. */
  byDefault?: readonly string[];
  /** The rule for `status`, as a sentence that continues its path. */
  unless: string;
  mayBeEmpty?: boolean;
}

export const OTHER_STATES = {
  open: 'must be PENDING, WAITING or HELD',
  finished: 'must be SUCCEEDED, FAILED or CANCELED; attemptNow is for pending deliveries, releaseHeld for held ones',
  pending: 'must be PENDING; releaseHeld is for held deliveries, recoverDeliveries for finished ones',
};

/**
 * The rows of a bulk operation over the filter of the list of deliveries.
 *
 * @throws ApiError invalid_input that names the field which cannot be part of it, scope_missing, not_found
 */
export async function deliveriesIn(
  context: Context,
  filter: DeliveryFilter,
  { states, byDefault = states, unless, mayBeEmpty = false }: Allowed,
): Promise<Omit<BulkRequest, 'kind' | 'dryRun'>> {
  const path = ['input', 'filter'];
  const { status, retrying, statusCodeClass } = filter;
  const issues = pastIssues(context, filter, path);
  if (!mayBeEmpty && Object.values(filter).every((value) => (value ?? false) === false)) {
    issues.push({ path, code: 'nothing_chosen', detail: 'must have at least one condition' });
  }
  if (status && !states.includes(status)) {
    issues.push({ path: [...path, 'status'], code: 'out_of_range', detail: unless });
  }
  if (retrying && !states.includes('PENDING')) {
    issues.push({
      path: [...path, 'retrying'],
      code: 'out_of_range',
      detail: 'is for pending deliveries, not for these',
    });
  }
  requireNoIssues(issues);
  const conditions = await conditionsOf(context, filter, path);
  const { errorCode, lastAttemptFailed, payloadContains, eventId, eventType, webhookId } = conditions ?? {};
  const wanted = status ? [status] : byDefault;
  return {
    webhookId: webhookId ?? null,
    filter: {
      status: conditions === null ? [] : wanted,
      ...(eventType === undefined ? {} : { eventTypes: [eventType] }),
      ...(statusCodeClass ? { statusCodeClass } : {}),
      ...(errorCode === undefined ? {} : { errorCode }),
      ...(lastAttemptFailed ? { lastAttemptFailed } : {}),
      ...(retrying ? { retrying } : {}),
      ...(payloadContains === undefined ? {} : { payloadContains }),
      ...(eventId === undefined ? {} : { eventId: globalId('Event', eventId) }),
    },
    ...rangeOf(filter),
  };
}

export const rangeOf = ({ since, until }: TimeRange) => ({ since: since ?? null, until: until ?? null });

/** The items of a bulk operation are fixed when it starts, so its range must not begin in the future. */
export function pastIssues({ clock }: Context, range: TimeRange, path: readonly string[]): InputIssue[] {
  const issues = rangeIssues(range, path);
  return issues.length === 0 && range.since && range.since > clock()
    ? [{ path: [...path, 'since'], code: 'out_of_range', detail: 'must not lie in the future' }]
    : issues;
}
