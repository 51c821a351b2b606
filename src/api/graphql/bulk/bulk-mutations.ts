import 'reflect-metadata';
import { Ctx, Mutation, Resolver } from 'type-graphql';
import { type InputIssue, requireNoIssues } from '../../../errors.js';
import {
  type BulkRequest,
  cancelBulkOperation,
  resumeBulkOperation,
  startBulkOperation,
} from '../../../operations/bulk/bulk-operations.js';
import { isOpen, OPEN_STATUSES } from '../../../operations/deliveries/delivery-state.js';
import { actorOf, type Context, tenantOf } from '../../context/context.js';
import { InputArg } from '../fields/arguments.js';
import { found, idOf } from '../fields/ids.js';
import { parseInput, replayedEventTypes } from '../fields/input.js';
import { knownTypeIn } from '../fields/known-event-type.js';
import { Requires } from '../fields/requires.js';
import { rangeIssues, type TimeRange } from '../fields/time-range.js';
import {
  CancelBulkOperationInput,
  CancelBulkOperationPayload,
  CancelDeliveriesInput,
  CancelDeliveriesPayload,
  RECOVERED_BY_DEFAULT,
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
    description: 'Sends finished deliveries of a webhook again, like `redeliver`: with the same ids and all retries.',
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
    const path = ['input', 'filter'];
    const { webhookId, eventType, status } = filter;
    const issues = pastIssues(context, filter, path);
    if (![webhookId, eventType, status, filter.since, filter.until].some((value) => (value ?? null) !== null)) {
      issues.push({ path, code: 'nothing_chosen', detail: 'must have at least one condition' });
    }
    if (status && !isOpen(status)) {
      issues.push({ path: [...path, 'status'], code: 'out_of_range', detail: 'must be PENDING or HELD' });
    }
    requireNoIssues(issues);
    const type = await knownTypeIn(context, eventType, [...path, 'eventType']);
    return start(context, {
      kind: 'CANCEL_DELIVERIES',
      webhookId: typeof webhookId === 'string' ? idOf('Webhook', webhookId, [...path, 'webhookId']) : null,
      filter: { status: status ? [status] : OPEN_STATUSES, ...(type === undefined ? {} : { eventTypes: [type] }) },
      ...rangeOf(filter),
      dryRun: dryRun ?? false,
    });
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

async function start(context: Context, request: BulkRequest): Promise<RecoverWebhookPayload> {
  // Counting may take seconds, so it waits in the queue of searches.
  const started = await context.searches.run(tenantOf(context), () =>
    startBulkOperation(context.db, tenantOf(context), request, actorOf(context)),
  );
  return { total: started.count, totalCapped: started.isCapped, bulkOperation: started.operation };
}

const rangeOf = ({ since, until }: TimeRange) => ({ since: since ?? null, until: until ?? null });

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

/** @throws ApiError not_found */
async function knownEventIn(
  { loaders }: Context,
  id: string | null | undefined,
  path: string[],
): Promise<number | null> {
  if (typeof id !== 'string') {
    return null;
  }
  const number = idOf('Event', id, path);
  return found(await loaders.eventById.load(number), 'Event', number).id;
}

/** The items of a bulk operation are fixed when it starts, so its range must not begin in the future. */
function pastIssues({ clock }: Context, range: TimeRange, path: readonly string[]): InputIssue[] {
  const issues = rangeIssues(range, path);
  return issues.length === 0 && range.since && range.since > clock()
    ? [{ path: [...path, 'since'], code: 'out_of_range', detail: 'must not lie in the future' }]
    : issues;
}
