import 'reflect-metadata';
import { Arg, Args, Ctx, Field, FieldResolver, ID, InputType, Query, Resolver, Root } from 'type-graphql';
import { type Context, parseId } from '../context.js';
import { Delivery } from '../entities/delivery.js';
import { Event } from '../entities/event.js';
import { notFound } from '../errors.js';
import { type Connection, ConnectionArgs, connect, connectionOf, sliceQuery } from './connection.js';
import { idsBetween, knownTypeIn } from './delivery.js';
import { Requires } from './requires.js';
import { JSONObject } from './scalars.js';

@InputType({ description: 'Which events; all conditions together.' })
export class EventFilter {
  @Field(() => String, { nullable: true, description: 'Only events of this type.' })
  eventType?: string | null;

  @Field(() => Date, { nullable: true, description: 'Only those accepted at this moment or later.' })
  since?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Only those accepted before this moment.' })
  until?: Date | null;
}

const EventConnection = connectionOf(Event, 'Event', 'events');

@Resolver(() => Event)
export class EventResolver {
  @Requires('events:read')
  @Query(() => Event, { nullable: true, description: 'One event; null with NOT_FOUND when there is none.' })
  async event(
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<Event> {
    const number = parseId(id);
    const event = number === null ? null : await context.loaders.eventById.load(number);
    if (event === null) {
      throw notFound('event', number ?? 'with such an id');
    }
    return event;
  }

  @Requires('events:read')
  @Query(() => EventConnection, { description: "The tenant's events, newest first." })
  async events(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('filter', () => EventFilter, { nullable: true, description: 'Which ones; without it all.' })
    filter: EventFilter | null,
    @Ctx() context: Context,
  ): Promise<Connection<Event>> {
    const eventType = await knownTypeIn(context, filter);
    return connect(page, (slice) => {
      const { where, options } = sliceQuery(slice, idsBetween(filter));
      return context.em.find(Event, { ...(eventType === undefined ? {} : { eventType }), ...where }, options);
    });
  }

  @FieldResolver(() => JSONObject, { description: 'What was emitted. Its exact bytes are in `body`.' })
  payload(@Root() event: Event): Record<string, unknown> {
    return JSON.parse(event.body) as Record<string, unknown>;
  }

  @Requires('deliveries:read')
  @FieldResolver(() => [Delivery], { description: 'Its deliveries, one for each webhook that it matched.' })
  deliveries(@Root() event: Event, @Ctx() context: Context): Promise<Delivery[]> {
    return context.loaders.deliveriesByEvent.load(event.id);
  }
}
