import 'reflect-metadata';
import { Arg, Args, Ctx, Field, ID, InputType, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import type { ShownChanges } from '../../../domain/content/changes.js';
import { Payload } from '../../../domain/content/payload.js';
import {
  EXCERPT_CHARS,
  PREVIEW_VALUES_MAX,
  PREVIEWED_CHARS,
  type PayloadPreview as Preview,
  previewOf,
} from '../../../domain/content/payload-preview.js';
import { isTextDeeperThan } from '../../../domain/events/payload.js';
import { globalId } from '../../../domain/ids/global-id.js';
import type { Delivery } from '../../../entities/delivery.js';
import { Event } from '../../../entities/event.js';
import { Nullable } from '../../../entities/nullable.js';
import { JSONObject } from '../../../entities/scalars.js';
import { ApiError, eventErased, found } from '../../../errors.js';
import { pageEvents } from '../../../operations/explorer/page-events.js';
import { piece } from '../../../platform/concurrency/in-pieces.js';
import { PAYLOAD_LEVELS_MAX } from '../../../platform/settings/limit-settings.js';
import { type Context, tenantOf } from '../../context/context.js';
import { FilterArg, IdArg } from '../fields/arguments.js';
import { type Connection, ConnectionArgs, connectionOf, readConnection } from '../fields/connection.js';
import { mayHold, PAYLOAD_COST } from '../fields/costs.js';
import { idOf } from '../fields/ids.js';
import { JsonText } from '../fields/json-text.js';
import { knownTypeIn } from '../fields/known-event-type.js';
import { NullableResolver } from '../fields/nullable.js';
import { Requires } from '../fields/requires.js';
import { TimeRange } from '../fields/time-range.js';
import { boundsOf, DeliveryConnection } from './delivery.js';
import { eventOfKeyIn, PAYLOAD_CONTAINS, payloadPartIn, textIn } from './delivery-filter.js';

@InputType({ description: 'Conditions for events. All of them must be met.' })
class EventFilter extends TimeRange {
  @Nullable(() => String, 'Only events of this type.')
  eventType?: string | null;

  @Nullable(() => String, 'Only the event that was emitted with this key. Keys are kept for 7 days.')
  idempotencyKey?: string | null;

  @Nullable(() => String, PAYLOAD_CONTAINS)
  payloadContains?: string | null;
}

@ObjectType({ description: 'A text, number, boolean or null of a payload.', simpleResolvers: true })
class PayloadValue {
  @Field(() => String, { description: 'Names and places in lists, joined by dots, such as `order.items.0.sku`.' })
  path!: string;

  @Field(() => String, { description: 'A text without quotes, all else as in the JSON. A long one ends with `…`.' })
  value!: string;
}

@ObjectType({ description: 'The beginning of a payload, in few words, for lists.' })
class PayloadPreview implements Preview {
  @mayHold(PREVIEW_VALUES_MAX)
  @Field(() => [PayloadValue], {
    description: `The first values of the payload, at most ${PREVIEW_VALUES_MAX}, found in its first ${PREVIEWED_CHARS} characters.`,
  })
  values!: PayloadValue[];

  @Nullable(
    () => String,
    `Up to ${EXCERPT_CHARS.all} characters of JSON around the text that \`contains\` names, where no value shows it.`,
  )
  excerpt!: string | null;
}

@ObjectType({ description: 'The paths that differ between two states, in their order.', simpleResolvers: true })
class EventChanges implements ShownChanges {
  @Field(() => [String], { description: 'Values that were not there before, such as `lines[0].sku`.' })
  added!: string[];

  @Field(() => [String], { description: 'Values that were others before.' })
  updated!: string[];

  @Field(() => [String], { description: 'Values that are no longer there.' })
  removed!: string[];

  @Field(() => Boolean, { description: 'Whether more than 1,000 paths differ: these are the first.' })
  truncated!: boolean;
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

  @NullableResolver(
    () => String,
    'The JSON text of the state before the change, as it was emitted. Null when there is none, or when the event was erased. Costs 100, because it may be long.',
    { complexity: PAYLOAD_COST },
  )
  previousBody(@Root() { id }: Event, @Ctx() { loaders }: Context): Promise<string | null> {
    return loaders.previousByEvent.load(id);
  }

  @NullableResolver(
    () => EventChanges,
    'What has changed since the state before. Null when that is not known, or when the event was erased. Costs 100.',
    { complexity: PAYLOAD_COST },
  )
  async changes(@Root() event: Event, @Ctx() context: Context): Promise<ShownChanges | null> {
    const previous = event.erasedAt == null ? await context.loaders.previousByEvent.load(event.id) : null;
    if (previous === null) {
      return null;
    }
    const body = await bodyOf(event, context);
    return await piece(event.tenantId, () => new Payload(body, previous).changes);
  }

  @NullableResolver(
    () => [ID],
    'The ids of the webhooks that the event is for, where it was emitted with `to`. Null otherwise.',
  )
  async targets(@Root() { id, targets }: Event, @Ctx() { loaders }: Context): Promise<string[] | null> {
    const ids = targets === undefined ? ((await loaders.eventById.load(id))?.targets ?? null) : targets;
    return ids?.map((webhook) => globalId('Webhook', Number(webhook))) ?? null;
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

  @NullableResolver(() => PayloadPreview, 'The first values of the payload. Null when it is no longer kept.')
  async preview(
    @Root() { id, body }: Event,
    @Arg('contains', () => String, {
      nullable: true,
      description: 'A text of 3 to 200 characters that it may contain.',
    })
    contains: string | null | undefined,
    @Ctx() { loaders }: Context,
  ): Promise<Preview | null> {
    const text = textIn(contains, ['contains']);
    if (body !== undefined && text === null) {
      return previewOf(body.slice(0, PREVIEWED_CHARS));
    }
    return (await loaders.previewByEvent.load({ eventId: id, text }))[0] ?? null;
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
