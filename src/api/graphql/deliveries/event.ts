import 'reflect-metadata';
import { Args, Ctx, InputType, Int, Query, Resolver, Root } from 'type-graphql';
import { isTextDeeperThan } from '../../../domain/events/payload.js';
import type { Delivery } from '../../../entities/delivery.js';
import { Event } from '../../../entities/event.js';
import { Nullable } from '../../../entities/nullable.js';
import { JSONObject } from '../../../entities/scalars.js';
import { ApiError, eventErased, found } from '../../../errors.js';
import { pageEvents } from '../../../operations/explorer/page-events.js';
import { PAYLOAD_LEVELS_MAX } from '../../../platform/settings/limit-settings.js';
import { type Context, tenantOf } from '../../context/context.js';
import { FilterArg, IdArg } from '../fields/arguments.js';
import { type Connection, ConnectionArgs, connectionOf, readConnection } from '../fields/connection.js';
import { PAYLOAD_COST } from '../fields/costs.js';
import { idOf } from '../fields/ids.js';
import { JsonText } from '../fields/json-text.js';
import { knownTypeIn } from '../fields/known-event-type.js';
import { NullableResolver } from '../fields/nullable.js';
import { Requires } from '../fields/requires.js';
import { TimeRange } from '../fields/time-range.js';
import { boundsOf, DeliveryConnection } from './delivery.js';
import { eventOfKeyIn, PAYLOAD_CONTAINS, payloadPartIn } from './delivery-filter.js';

@InputType({ description: 'Conditions for events. All of them must be met.' })
class EventFilter extends TimeRange {
  @Nullable(() => String, 'Only events of this type.')
  eventType?: string | null;

  @Nullable(() => String, 'Only the event that was emitted with this key. Keys are kept for 7 days.')
  idempotencyKey?: string | null;

  @Nullable(() => String, PAYLOAD_CONTAINS)
  payloadContains?: string | null;
}

const EventConnection = connectionOf(Event, 'Event', 'events');

@Resolver(() => Event)
export class EventResolver {
  @Requires('events:read')
  @Query(() => Event, { nullable: true, description: 'One event. Null with NOT_FOUND when it does not exist.' })
  async event(@IdArg() id: string, @Ctx() context: Context): Promise<Event> {
    const number = idOf('Event', id, ['id']);
    return found(await context.loaders.eventById.load(number), 'event', number);
  }

  @Requires('events:read')
  @Query(() => EventConnection, { nullable: true, description: "The tenant's events, newest first." })
  async events(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @FilterArg(() => EventFilter) filter: EventFilter | null,
    @Ctx() context: Context,
  ): Promise<Connection<Event>> {
    const eventType = await knownTypeIn(context, filter?.eventType);
    const payloadContains = payloadPartIn(context, filter);
    const eventId = await eventOfKeyIn(context, filter);
    return readConnection('events', page, async (slice) => {
      if (eventId === null) {
        return [];
      }
      const conditions = { eventId, eventType, payloadContains };
      return pageEvents(context, tenantOf(context), conditions, boundsOf(slice, filter));
    });
  }

  @NullableResolver(
    () => String,
    'The exact JSON text that is signed and sent. Null only with an error, such as ANSWER_TOO_LARGE, or CONFLICT (`event_erased`) when it was erased. Costs 100, like `payload`, because it may be long: select one of them.',
    { complexity: PAYLOAD_COST },
  )
  body(@Root() event: Event, @Ctx() context: Context): Promise<string> {
    return bodyOf(event, context);
  }

  @NullableResolver(() => Int, 'Number of bytes of `body`, also when it was erased. Costs less than `body` itself.')
  async bodyBytes(
    @Root() { id, body, erasedAt, erasedBytes }: Event,
    @Ctx() { loaders }: Context,
  ): Promise<number | null> {
    if (erasedAt != null) {
      return erasedBytes;
    }
    return body === undefined ? loaders.bodyBytesByEvent.load(id) : Buffer.byteLength(body);
  }

  @NullableResolver(
    () => JSONObject,
    `The emitted payload; its exact bytes are in \`body\`. Null with ANSWER_TOO_LARGE, and with PAYLOAD_TOO_DEEP for a payload that an application wrote into the outbox with more than ${PAYLOAD_LEVELS_MAX} levels. Costs 100.`,
    { complexity: PAYLOAD_COST },
  )
  async payload(@Root() event: Event, @Ctx() context: Context): Promise<JsonText> {
    const body = await bodyOf(event, context);
    // Many JSON parsers fail at some thousand levels, and with them the client.
    if (isTextDeeperThan(body, PAYLOAD_LEVELS_MAX)) {
      throw new ApiError(
        'payload_too_deep',
        `The payload is nested deeper than ${PAYLOAD_LEVELS_MAX} levels, so the API does not show it as an object; \`body\` has its exact text.`,
      );
    }
    return new JsonText(body);
  }

  @Requires('deliveries:read')
  @NullableResolver(
    () => DeliveryConnection,
    'The deliveries of the event, newest first: one for each matching webhook, and those that `replayEvents` created.',
  )
  deliveries(
    @Root() { id }: Event,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<Delivery>> {
    return readConnection('deliveries', page, (slice) =>
      context.loaders.deliveriesByEvent.load({ eventId: id, bounds: boundsOf(slice, null) }),
    );
  }
}

/** @throws ApiError answer_too_large; event_erased; not_found when the retention time has just ended */
async function bodyOf({ id, body, erasedAt }: Event, { budget, loaders }: Context): Promise<string> {
  if (erasedAt != null) {
    throw eventErased(`event ${id}`);
  }
  if (body !== undefined) {
    return budget.spend(body);
  }
  return found(await loaders.bodyByEvent.load(id), 'event', id);
}
