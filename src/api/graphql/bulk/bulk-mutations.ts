import 'reflect-metadata';
import { Ctx, Mutation, Resolver } from 'type-graphql';
import { eventErased, found, type InputIssue, refusedInput, requireNoIssues } from '../../../errors.js';
import {
  type BulkRequest,
  cancelBulkOperation,
  resumeBulkOperation,
  startBulkOperation,
} from '../../../operations/bulk/bulk-operations.js';
import { attemptNow } from '../../../operations/deliveries/attempt-now.js';
import { OPEN_STATUSES } from '../../../operations/deliveries/delivery-state.js';
import { actorOf, type Context, requireScope, tenantOf } from '../../context/context.js';
import { readDelivery } from '../deliveries/delivery.js';
import { InputArg } from '../fields/arguments.js';
import { idOf } from '../fields/ids.js';
import { parseInput, replayedEventTypes } from '../fields/input.js';
import { Requires } from '../fields/requires.js';
import type { TimeRange } from '../fields/time-range.js';
import { deliveriesIn, OTHER_STATES, pastIssues, rangeOf } from './bulk-deliveries.js';
import {
  ATTEMPTED_NOW_MAX,
  AttemptNowInput,
  AttemptNowPayload,
  CancelBulkOperationInput,
  CancelBulkOperationPayload,
  CancelDeliveriesInput,
  CancelDeliveriesPayload,
  RECOVERED_BY_DEFAULT,
  RecoverDeliveriesInput,
  RecoverDeliveriesPayload,
  RecoverWebhookInput,
  RecoverWebhookPayload,
  ReplayEventsInput,
  ReplayEventsPayload,
  ResumeBulkOperationInput,
  ResumeBulkOperationPayload,
} from './bulk-operation-types.js';

@Resolver()
export class BulkMutations {
  @Requires('deliveries:bulk')
  @Mutation(() => RecoverWebhookPayload, {
    description:
      'Sends finished deliveries of a webhook again, like `redeliver`: with the same ids and all retries. Checks are left out.',
  })
  async recoverWebhook(
    @InputArg(() => RecoverWebhookInput) { id, filter, dryRun }: RecoverWebhookInput,
    @Ctx() context: Context,
  ): Promise<RecoverWebhookPayload> {
    const path = ['input', 'filter'];
    const outcomes = [...new Set(filter.outcomes ?? RECOVERED_BY_DEFAULT)];
    const issues = pastIssues(context, filter, path);
    if (outcomes.length === 0) {
      issues.push({ path: [...path, 'outcomes'], code: 'too_small', detail: 'must name at least one' });
    }
    requireNoIssues(issues);
    return start(context, {
      kind: 'RECOVER_WEBHOOK',
      webhookId: idOf('Webhook', id, ['input', 'id']),
      filter: { status: outcomes },
      ...rangeOf(filter),
      dryRun: dryRun ?? false,
    });
  }

  @Requires('deliveries:bulk')
  @Mutation(() => ReplayEventsPayload, {
    description: 'Creates new deliveries of past events for one webhook, which may be newer than the events.',
  })
  async replayEvents(
    @InputArg(() => ReplayEventsInput) { filter, webhookId, ...wanted }: ReplayEventsInput,
    @Ctx() context: Context,
  ): Promise<ReplayEventsPayload> {
    const path = ['input', 'filter'];
    const names = await context.eventTypes.names();
    const eventTypes = parseInput(replayedEventTypes(names).optional(), filter.eventTypes ?? undefined, [
      ...path,
      'eventTypes',
    ]);
    requireNoIssues(replayIssues(context, filter, path));
    return start(context, {
      kind: 'REPLAY_EVENTS',
      webhookId: idOf('Webhook', webhookId, ['input', 'webhookId']),
      filter: {
        eventTypes: eventTypes ?? null,
        includeDelivered: wanted.includeDelivered ?? false,
        includeUnsubscribed: wanted.includeUnsubscribed ?? false,
        ...(wanted.includeFiltered ? { includeFiltered: true } : {}),
      },
      ...rangeOf(filter),
      eventId: await knownEventIn(context, filter.eventId, [...path, 'eventId']),
      dryRun: wanted.dryRun ?? false,
    });
  }

  @Requires('deliveries:bulk')
  @Mutation(() => CancelDeliveriesPayload, {
    description: 'Cancels pending and held deliveries. Requests in flight end and are recorded.',
  })
  async cancelDeliveries(
    @InputArg(() => CancelDeliveriesInput) { filter, dryRun }: CancelDeliveriesInput,
    @Ctx() context: Context,
  ): Promise<CancelDeliveriesPayload> {
    const rows = await deliveriesIn(context, filter, { states: OPEN_STATUSES, unless: OTHER_STATES.open });
    return start(context, { kind: 'CANCEL_DELIVERIES', ...rows, dryRun: dryRun ?? false });
  }

  @Requires('deliveries:bulk')
  @Mutation(() => RecoverDeliveriesPayload, {
    description:
      'Sends finished deliveries again, like `recoverWebhook`, of all webhooks that meet the filter. Those of inactive webhooks and checks are left out.',
  })
  async recoverDeliveries(
    @InputArg(() => RecoverDeliveriesInput) { filter, dryRun }: RecoverDeliveriesInput,
    @Ctx() context: Context,
  ): Promise<RecoverDeliveriesPayload> {
    const rows = await deliveriesIn(context, filter, {
      states: ['SUCCEEDED', 'FAILED', 'CANCELED'],
      byDefault: RECOVERED_BY_DEFAULT,
      unless: OTHER_STATES.finished,
    });
    return start(context, { kind: 'RECOVER_DELIVERIES', ...rows, dryRun: dryRun ?? false });
  }

  @Requires('deliveries:resend', 'deliveries:bulk')
  @Mutation(() => AttemptNowPayload, {
    description:
      'Makes pending deliveries due now, instead of waiting for their next attempt. Their retries go on from the number of that attempt. A pause that an endpoint asked for still holds. By `deliveryIds` all or none of them, by `filter` in a bulk operation. A delivery whose attempt is in progress is left as it is, and `total` does not count it.',
  })
  async attemptNow(
    @InputArg(() => AttemptNowInput) { deliveryIds, filter, dryRun }: AttemptNowInput,
    @Ctx() context: Context,
  ): Promise<AttemptNowPayload> {
    if (Boolean(deliveryIds) === Boolean(filter)) {
      const detail = 'must have either `deliveryIds` or `filter`';
      throw refusedInput([], 'contradiction', detail);
    }
    if (filter) {
      requireScope(context, 'deliveries:bulk');
      const states = { states: ['PENDING'], mayBeEmpty: true, unless: OTHER_STATES.pending };
      const rows = await deliveriesIn(context, filter, states);
      const started = await start(context, { kind: 'ATTEMPT_NOW', ...rows, dryRun: dryRun ?? false });
      return { deliveries: [], ...started };
    }
    requireScope(context, 'deliveries:resend');
    const ids = attemptedIds(deliveryIds ?? [], dryRun ?? false);
    const due = await attemptNow(context.db, tenantOf(context), ids, actorOf(context));
    const deliveries = await Promise.all(ids.map((id) => readDelivery(context, id)));
    return { deliveries, total: due.length, totalCapped: false, leftOut: 0, bulkOperation: null };
  }

  @Requires('deliveries:bulk')
  @Mutation(() => CancelBulkOperationPayload, {
    description: 'Stops a bulk operation. Finished work stays done, and queued deliveries are sent.',
  })
  async cancelBulkOperation(
    @InputArg(() => CancelBulkOperationInput) { id }: CancelBulkOperationInput,
    @Ctx() context: Context,
  ): Promise<CancelBulkOperationPayload> {
    const number = idOf('BulkOperation', id, ['input', 'id']);
    return { bulkOperation: await cancelBulkOperation(context.db, tenantOf(context), number, actorOf(context)) };
  }

  @Requires('deliveries:bulk')
  @Mutation(() => ResumeBulkOperationPayload, {
    description: 'Continues a bulk operation that was canceled or has failed, from where it stopped.',
  })
  async resumeBulkOperation(
    @InputArg(() => ResumeBulkOperationInput) { id }: ResumeBulkOperationInput,
    @Ctx() context: Context,
  ): Promise<ResumeBulkOperationPayload> {
    const number = idOf('BulkOperation', id, ['input', 'id']);
    return { bulkOperation: await resumeBulkOperation(context.db, tenantOf(context), number, actorOf(context)) };
  }
}

/** @throws ApiError invalid_input, not_found */
function attemptedIds(texts: readonly string[], dryRun: boolean): number[] {
  const path = ['input', 'deliveryIds'];
  const ids = new Set(texts.map((text, index) => idOf('Delivery', text, [...path, String(index)])));
  requireNoIssues([
    ...(ids.size === 0 || ids.size > ATTEMPTED_NOW_MAX
      ? [{ path, code: 'out_of_range', detail: `must have 1 to ${ATTEMPTED_NOW_MAX} ids` }]
      : []),
    ...(dryRun
      ? [{ path: ['input', 'dryRun'], code: 'contradiction', detail: 'has a meaning only together with `filter`' }]
      : []),
  ]);
  return [...ids];
}

async function start(context: Context, request: BulkRequest): Promise<RecoverWebhookPayload> {
  // Counting may take seconds, so it waits in the queue of searches.
  const started = await context.searches.run(tenantOf(context), () =>
    startBulkOperation(context.db, tenantOf(context), request, actorOf(context)),
  );
  const { count: total, isCapped: totalCapped, leftOut, operation: bulkOperation } = started;
  return { total, totalCapped, leftOut, bulkOperation };
}

function replayIssues(
  context: Context,
  { eventId, since, until }: { eventId?: string | null } & TimeRange,
  path: readonly string[],
): InputIssue[] {
  if (!eventId) {
    return since
      ? pastIssues(context, { since, until: until ?? null }, path)
      : [{ path: [...path, 'since'], code: 'required', detail: 'is required, unless `eventId` names one event' }];
  }
  return Object.entries({ since, until })
    .filter(([, time]) => (time ?? null) !== null)
    .map(([name]) => ({
      path: [...path, name],
      code: 'contradiction',
      detail: 'has no meaning together with `eventId`',
    }));
}

/** @throws ApiError not_found, event_erased */
async function knownEventIn(
  { loaders }: Context,
  id: string | null | undefined,
  path: string[],
): Promise<number | null> {
  if (typeof id !== 'string') {
    return null;
  }
  const number = idOf('Event', id, path);
  const { erasedAt } = found(await loaders.eventById.load(number), 'event', number);
  if (erasedAt !== null) {
    throw eventErased(`event ${number}`);
  }
  return number;
}
