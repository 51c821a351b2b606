import 'reflect-metadata';
import { Arg, Args, Ctx, Field, FieldResolver, ID, InputType, Int, Query, Resolver, Root } from 'type-graphql';
import { type Context, tenantOf } from '../../context/context.js';
import { isTextDeeperThan } from '../../domain/events/payload.js';
import type { Delivery } from '../../entities/delivery.js';
import { Event } from '../../entities/event.js';
import { ApiError, notFound } from '../../errors.js';
import { pageEvents } from '../../operations/explorer/page-events.js';
import { PAYLOAD_LEVELS_MAX } from '../../settings/limit-settings.js';
import { type Connection, ConnectionArgs, connectionOf, readConnection } from '../fields/connection.js';
import { PAYLOAD_COST } from '../fields/costs.js';
import { found, idOf } from '../fields/ids.js';
import { JsonText } from '../fields/json-text.js';
import { knownTypeIn } from '../fields/known-event-type.js';
import { Requires } from '../fields/requires.js';
import { JSONObject } from '../fields/scalars.js';
import { boundsOf, DeliveryConnection } from './delivery.js';
import { eventOfKeyIn, PAYLOAD_CONTAINS, payloadPartIn } from './delivery-filter.js';

@InputType({ description: 'Which events; all conditions together.' })
class EventFilter {
  @Field(() => String, { nullable: true, description: 'Only events of this type.' })
  eventType?: string | null;

  @Field(() => Date, { nullable: true, description: 'Only those accepted at this moment or later.' })
  since?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Only those accepted before this moment.' })
  until?: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only the one that was emitted with this key; keys are kept 7 days.',
  })
  idempotencyKey?: string | null;

  @Field(() => String, { nullable: true, description: PAYLOAD_CONTAINS })
  payloadContains?: string | null;
}

const EventConnection = connectionOf(Event, 'Event', 'events');

@Resolver(() => Event)
export class EventResolver {
  @Requires('events:read')
  @Query(() => Event, { nullable: true, description: 'One event; null with NOT_FOUND when there is none.' })
  async event(@Arg('id', () => ID, { description: 'Its id.' }) id: string, @Ctx() context: Context): Promise<Event> {
    const number = idOf('Event', id, ['id']);
    return found(await context.loaders.eventById.load(number), 'Event', number);
  }

  @Requires('events:read')
  @Query(() => EventConnection, { nullable: true, description: "The tenant's events, newest first." })
  async events(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('filter', () => EventFilter, { nullable: true, description: 'Which ones; without it all.' })
    filter: EventFilter | null,
    @Ctx() context: Context,
  ): Promise<Connection<Event>> {
    const eventType = await knownTypeIn(context, filter?.eventType);
    const payloadContains = payloadPartIn(context, filter);
    const eventId = await eventOfKeyIn(context, filter);
    if (eventId === null) {
      return readConnection('events', page, async () => []);
    }
    return readConnection('events', page, async (slice) => {
      const conditions = { eventId, eventType, payloadContains };
      return pageEvents(context, tenantOf(context), conditions, boundsOf(slice, filter));
    });
  }

  @FieldResolver(() => String, {
    nullable: true,
    complexity: PAYLOAD_COST,
    description:
      'The exact JSON text that is signed and sent. Null only with an error, such as ANSWER_TOO_LARGE. Its cost is 100, since it may be long, and so is that of `payload`: ask for one of them.',
  })
  async body(@Root() event: Event, @Ctx() context: Context): Promise<string> {
    return await bodyOf(event, context);
  }

  @FieldResolver(() => Int, { nullable: true, description: 'How many bytes `body` has, which is not read for it.' })
  async bodyBytes(@Root() { id, body }: Event, @Ctx() { loaders }: Context): Promise<number | null> {
    return body === undefined ? loaders.bodyBytesByEvent.load(id) : Buffer.byteLength(body);
  }

  @FieldResolver(() => JSONObject, {
    nullable: true,
    complexity: PAYLOAD_COST,
    description: `What was emitted; its exact bytes are in \`body\`. Null with PAYLOAD_TOO_DEEP for one that another application has put into the outbox and that is nested deeper than ${PAYLOAD_LEVELS_MAX} levels, and with ANSWER_TOO_LARGE. Its cost is 100.`,
  })
  async payload(@Root() event: Event, @Ctx() context: Context): Promise<JsonText> {
    const body = await bodyOf(event, context);
    // Whoever reads the answer would have to parse it, and many a parser ends some thousand levels deep.
    if (isTextDeeperThan(body, PAYLOAD_LEVELS_MAX)) {
      throw new ApiError(
        'payload_too_deep',
        `The payload is nested deeper than ${PAYLOAD_LEVELS_MAX} levels, which the API cannot write as an object; \`body\` has its exact text.`,
      );
    }
    return new JsonText(body);
  }

  @Requires('deliveries:read')
  @FieldResolver(() => DeliveryConnection, {
    nullable: true,
    description:
      'Its deliveries, newest first: one for each webhook that it matched, and those that `replayEvents` made.',
  })
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

/** @throws ApiError answer_too_large; not_found when its retention ended just now */
async function bodyOf({ id, body }: Event, { budget, loaders }: Context): Promise<string> {
  if (body !== undefined) {
    return budget.spend(body);
  }
  const read = await loaders.bodyByEvent.load(id);
  if (read === null) {
    throw notFound('event', id);
  }
  return read;
}
