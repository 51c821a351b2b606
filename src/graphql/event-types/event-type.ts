import 'reflect-metadata';
import { Arg, Ctx, Field, FieldResolver, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import type { Context } from '../../context/context.js';
import { EventType } from '../../entities/event-type.js';
import {
  type EventTypeVersionRow,
  type RegisteredEventType,
  VERSIONS_SHOWN_MAX,
} from '../../operations/event-types/event-type-registry.js';
import { REGISTERED_TYPES_MAX, unknownEventType } from '../../operations/event-types/register-event-type.js';
import { mayHold, SCHEMA_COST } from '../fields/costs.js';
import { JsonText } from '../fields/json-text.js';
import { RequiresKey } from '../fields/requires.js';
import { JSONObject } from '../fields/scalars.js';

@ObjectType({ description: 'A schema that an event type has or had.' })
class EventTypeVersion {
  @Field(() => Int, { description: '1 for the first one.' })
  version!: number;

  @Field(() => Date, { description: 'Since when payloads were checked by it; other processes followed within 5 s.' })
  createdAt!: Date;

  /** JSON. */
  schema!: string;
}

@Resolver(() => EventType)
export class EventTypeResolver {
  @RequiresKey()
  @mayHold(REGISTERED_TYPES_MAX)
  @Query(() => [EventType], { nullable: true, description: 'Every event type, by name.' })
  eventTypes(@Ctx() context: Context): Promise<readonly RegisteredEventType[]> {
    return context.eventTypes.all();
  }

  @RequiresKey()
  @Query(() => EventType, { nullable: true, description: 'One event type; null with NOT_FOUND when there is none.' })
  async eventType(
    @Arg('name', () => String, { description: 'Such as `booking.created`.' }) name: string,
    @Ctx() context: Context,
  ): Promise<RegisteredEventType> {
    return await findEventType(context, name);
  }

  @FieldResolver(() => JSONObject, {
    complexity: SCHEMA_COST,
    description: 'The JSON Schema (2020-12) of the payload. Its cost is 25, since it may be long.',
  })
  schema(@Root() { schema }: RegisteredEventType, @Ctx() { budget }: Context): JsonText {
    return new JsonText(budget.spend(schema));
  }

  @FieldResolver(() => JSONObject, {
    nullable: true,
    complexity: SCHEMA_COST,
    description:
      'A payload that the schema accepts, made up from it. Null where none was found: `examples` in the schema help. Its cost is 25.',
  })
  samplePayload(@Root() { samplePayload }: RegisteredEventType, @Ctx() { budget }: Context): JsonText | null {
    return samplePayload === null ? null : new JsonText(budget.spend(samplePayload));
  }

  @mayHold(VERSIONS_SHOWN_MAX)
  @FieldResolver(() => [EventTypeVersion], {
    description: 'Its schemas, the newest first; of more than 20 the last 20.',
  })
  versions(@Root() { name }: RegisteredEventType, @Ctx() { loaders }: Context): Promise<EventTypeVersionRow[]> {
    return loaders.versionsByEventType.load(name);
  }
}

@Resolver(() => EventTypeVersion)
export class EventTypeVersionResolver {
  @FieldResolver(() => JSONObject, {
    complexity: SCHEMA_COST,
    description: 'The JSON Schema (2020-12) of the payload. Its cost is 25, since it may be long.',
  })
  schema(@Root() { schema }: EventTypeVersionRow, @Ctx() { budget }: Context): JsonText {
    return new JsonText(budget.spend(schema));
  }
}

/** @throws ApiError not_found */
export async function findEventType({ eventTypes }: Context, name: string): Promise<RegisteredEventType> {
  const found = (await eventTypes.all()).find((type) => type.name === name);
  if (found === undefined) {
    throw unknownEventType();
  }
  return found;
}
