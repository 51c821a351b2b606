import 'reflect-metadata';
import { Args, Ctx, Mutation, Resolver, Root } from 'type-graphql';
import type { Emit } from '../../../domain/events/emit.js';
import { ScheduledEvent } from '../../../entities/scheduled-event.js';
import {
  ApiError,
  eventErased,
  found,
  type InputIssue,
  invalidInput,
  refusedInput,
  requireNoIssues,
} from '../../../errors.js';
import { searchError } from '../../../operations/explorer/search.js';
import { cancelScheduledEvent } from '../../../operations/scheduled/cancel-scheduled-event.js';
import { type RefusedSchedule, scheduleEvent } from '../../../operations/scheduled/schedule-event.js';
import { FRESH, tenantEntityManager } from '../../../platform/database/tenant-database.js';
import { actorOf, type Context, tenantOf } from '../../context/context.js';
import { FilterArg, IdArg, InputArg } from '../fields/arguments.js';
import { type Connection, ConnectionArgs, pagedQuery, readConnection } from '../fields/connection.js';
import { PAYLOAD_COST } from '../fields/costs.js';
import { idOf } from '../fields/ids.js';
import { knownTypeIn } from '../fields/known-event-type.js';
import { NullableQuery, NullableResolver } from '../fields/nullable.js';
import { Requires, RequiresScope } from '../fields/requires.js';
import { chargeEvents } from './charge-events.js';
import { refusalError, withCells } from './emit-refusals.js';
import { prepareEmit } from './prepare-emit.js';
import {
  CancelScheduledEventInput,
  CancelScheduledEventPayload,
  ScheduledEventConnection,
  ScheduledEventFilter,
  ScheduleEventInput,
  ScheduleEventPayload,
} from './scheduled-types.js';

const DELAY_SECONDS_MAX = 90 * 86_400;
const TOO_FAR: InputIssue = {
  path: ['input', 'deliverAt'],
  code: 'deliver_at_too_far',
  detail: 'must be at most 90 days ahead',
};

@Resolver(() => ScheduledEvent)
export class ScheduledEventResolver {
  @Requires('events:read')
  @NullableQuery(() => ScheduledEvent, 'One scheduled event. Null with NOT_FOUND when it does not exist.')
  async scheduledEvent(@IdArg() id: string, @Ctx() context: Context): Promise<ScheduledEvent> {
    return readScheduled(context, idOf('ScheduledEvent', id, ['id']));
  }

  @Requires('events:read')
  @NullableQuery(
    () => ScheduledEventConnection,
    "The tenant's scheduled events, newest first. Emitted and canceled ones are kept for 30 days.",
  )
  async scheduledEvents(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @FilterArg(() => ScheduledEventFilter) filter: ScheduledEventFilter | null,
    @Ctx() context: Context,
  ): Promise<Connection<ScheduledEvent>> {
    const eventType = await knownTypeIn(context, filter?.eventType);
    const status = filter?.status;
    const conditions = { ...(status ? { status } : {}), ...(eventType === undefined ? {} : { eventType }) };
    const read = pagedQuery(context.em, ScheduledEvent, conditions);
    // There may be many finished ones, and few that match.
    const isSearch = eventType !== undefined || (status && status !== 'SCHEDULED');
    return readConnection('scheduledEvents', page, (slice) =>
      isSearch ? search(context, () => read(slice)) : read(slice),
    );
  }

  @RequiresScope('events:emit')
  @Mutation(() => ScheduleEventPayload, {
    description:
      'Accepts an event that is emitted at its time, to the webhooks that match then. Payload and type are checked now. The same idempotency key returns the same scheduled event; with another type, payload or ordering key it is a CONFLICT. A tenant can have 100,000 that are not emitted yet.',
  })
  async scheduleEvent(
    @InputArg(() => ScheduleEventInput) input: ScheduleEventInput,
    @Ctx() context: Context,
  ): Promise<ScheduleEventPayload> {
    await chargeEvents(context, [input]);
    const emit = await prepareEmit(context, input, ['input']);
    const time = timeIn(input);
    const result = await scheduleEvent(context.db, { ...emit, ...time });
    if (result.refused !== null) {
      const [refused] = await withCells(context.db, [emit], [result]);
      throw scheduleError(refused!, emit);
    }
    const { id, duplicate } = result;
    // A platform key may name the tenant in the input alone.
    const em = tenantEntityManager(context.db.orm.em, emit.tenantId);
    const scheduledEvent = await readScheduled({ em }, id);
    return { scheduledEvent: Object.assign(scheduledEvent, { body: emit.body }), duplicate };
  }

  @Requires('events:emit')
  @Mutation(() => CancelScheduledEventPayload, {
    description:
      'Cancels a scheduled event before it is emitted. Afterwards it is a CONFLICT (`scheduled_event_emitted`).',
  })
  async cancelScheduledEvent(
    @InputArg(() => CancelScheduledEventInput) input: CancelScheduledEventInput,
    @Ctx() context: Context,
  ): Promise<CancelScheduledEventPayload> {
    const id = idOf('ScheduledEvent', input.id, ['input', 'id']);
    await cancelScheduledEvent(context.db, tenantOf(context), id, actorOf(context));
    return { scheduledEvent: await readScheduled(context, id) };
  }

  @NullableResolver(
    () => String,
    'The exact JSON text that will be signed and sent. Null only with an error, such as ANSWER_TOO_LARGE, or CONFLICT (`event_erased`) when it was erased. Costs 100, because it may be long.',
    { complexity: PAYLOAD_COST },
  )
  async body(@Root() { id, body, erasedAt }: ScheduledEvent, @Ctx() { budget, loaders }: Context): Promise<string> {
    if (erasedAt != null) {
      throw eventErased(`scheduled event ${id}`);
    }
    if (body !== undefined) {
      return budget.spend(body);
    }
    return found(await loaders.bodyByScheduledEvent.load(id), 'scheduled event', id);
  }
}

/** @throws ApiError not_found */
async function readScheduled({ em }: Pick<Context, 'em'>, id: number): Promise<ScheduledEvent> {
  return found(await em.findOne(ScheduledEvent, { id }, FRESH), 'scheduled event', id);
}

async function search<Result>(context: Context, read: () => Promise<Result>) {
  try {
    return await context.searches.run(tenantOf(context), read);
  } catch (error) {
    throw searchError(error, 'Searching the scheduled events took too long. Leave out the event type.');
  }
}

/** @throws ApiError invalid_input */
function timeIn({ deliverAt = null, delaySeconds = null }: ScheduleEventInput) {
  if ((deliverAt === null) === (delaySeconds === null)) {
    const detail = 'must have either deliverAt or delaySeconds, and not both';
    throw refusedInput([], 'deliver_at_or_delay', detail);
  }
  if (delaySeconds !== null) {
    const path = ['input', 'delaySeconds'];
    const isTooFar = delaySeconds > DELAY_SECONDS_MAX;
    requireNoIssues(isTooFar ? [{ ...TOO_FAR, path, detail: `must be at most ${DELAY_SECONDS_MAX} (90 days)` }] : []);
  }
  return { deliverAt, delaySeconds };
}

function scheduleError({ refused, detail, cell }: RefusedSchedule, emit: Emit): ApiError {
  switch (refused) {
    case 'DELIVER_AT_TOO_FAR':
      return invalidInput([TOO_FAR]);
    case 'SCHEDULED_LIMIT_REACHED':
      return new ApiError(
        'scheduled_limit_reached',
        'The tenant has 100,000 scheduled events that are not emitted yet, the limit. Schedule more when some are.',
      );
    default:
      return refusalError({ refused, detail, cell }, emit, ['input']);
  }
}
