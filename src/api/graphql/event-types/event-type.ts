import 'reflect-metadata';
import { Arg, Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { type Converter, STEPS_MAX } from '../../../domain/content/converter.js';
import { idToDate } from '../../../domain/ids/delivery-id.js';
import { ConverterStep } from '../../../entities/converter.js';
import { EventType } from '../../../entities/event-type.js';
import { JSONObject } from '../../../entities/scalars.js';
import {
  type EventTypeVersionRow,
  type RegisteredEventType,
  VERSIONS_SHOWN_MAX,
} from '../../../operations/event-types/event-type-registry.js';
import { listedTypes } from '../../../operations/event-types/listed-types.js';
import { REGISTERED_TYPES_MAX, unknownEventType } from '../../../operations/event-types/register-event-type.js';
import type { Context } from '../../context/context.js';
import { mayHold, SCHEMA_COST } from '../fields/costs.js';
import { JsonText } from '../fields/json-text.js';
import { NullableQuery, NullableResolver } from '../fields/nullable.js';
import { RequiresKey } from '../fields/requires.js';

@ObjectType({ description: 'A current or former schema of an event type.' })
class EventTypeVersion {
  @Field(() => Int, { description: 'Number of the schema, starting with 1.' })
  version!: number;

  @Field(() => Date, {
    description: 'When payloads began to be checked by this schema; other processes follow within 5 seconds.',
  })
  createdAt!: Date;

  /** JSON. */
  schema!: string;
  converter!: Converter | null;
  converterFrom!: number | null;
}

@Resolver(() => EventType)
export class EventTypeResolver {
  @RequiresKey()
  @mayHold(REGISTERED_TYPES_MAX)
  @NullableQuery(
    () => [EventType],
    'All event types, sorted by name. For a tenant, without hidden types that none of its webhooks names.',
  )
  async eventTypes(@Ctx() { db, eventTypes, tenantId }: Context): Promise<readonly RegisteredEventType[]> {
    const all = await eventTypes.all();
    return tenantId === null ? all : listedTypes(db, all, tenantId);
  }

  @RequiresKey()
  @NullableQuery(() => EventType, 'One event type. Null with NOT_FOUND when it does not exist.')
  eventType(
    @Arg('name', () => String, { description: 'The name, such as `booking.created`.' }) name: string,
    @Ctx() context: Context,
  ): Promise<RegisteredEventType> {
    return findEventType(context, name);
  }

  @FieldResolver(() => JSONObject, {
    complexity: SCHEMA_COST,
    description: 'The JSON Schema (2020-12) of the payload. Costs 25, because it may be long.',
  })
  schema(@Root() { schema }: RegisteredEventType, @Ctx() { budget }: Context): JsonText {
    return new JsonText(budget.spend(schema));
  }

  @NullableResolver(
    () => JSONObject,
    'An invented payload that the schema accepts. Null when none was found: add `examples` to the schema. Costs 25.',
    { complexity: SCHEMA_COST },
  )
  samplePayload(@Root() { samplePayload }: RegisteredEventType, @Ctx() { budget }: Context): JsonText | null {
    return samplePayload === null ? null : new JsonText(budget.spend(samplePayload));
  }

  @mayHold(VERSIONS_SHOWN_MAX)
  @FieldResolver(() => [EventTypeVersion], {
    description: 'The latest 20 schemas, newest first.',
  })
  versions(@Root() { name }: RegisteredEventType, @Ctx() { loaders }: Context): Promise<EventTypeVersionRow[]> {
    return loaders.versionsByEventType.load(name);
  }
}

@Resolver(() => EventTypeVersion)
export class EventTypeVersionResolver {
  @FieldResolver(() => JSONObject, {
    complexity: SCHEMA_COST,
    description: 'The JSON Schema (2020-12) of the payload. Costs 25, because it may be long.',
  })
  schema(@Root() { schema }: EventTypeVersionRow, @Ctx() { budget }: Context): JsonText {
    return new JsonText(budget.spend(schema));
  }

  @mayHold(STEPS_MAX)
  @NullableResolver(
    () => [ConverterStep],
    'The steps by which a payload of this version becomes one of the version before. Null when there are none: endpoints that are pinned to an older version get payloads of this one.',
  )
  converter(@Root() { converter }: EventTypeVersionRow): Converter | null {
    return converter;
  }

  @NullableResolver(
    () => Date,
    'The converter is for events of this time and later. Null: for all events of the version, since it came with it.',
  )
  converterFrom(@Root() { converterFrom }: EventTypeVersionRow): Date | null {
    return converterFrom === null ? null : idToDate(converterFrom);
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
