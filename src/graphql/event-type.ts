import 'reflect-metadata';
import { Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import type { Context } from '../context.js';
import { EventType } from '../entities/event-type.js';
import type { RegisteredEventType } from '../operations/event-types.js';
import { RequiresKey } from './requires.js';
import { JSONObject } from './scalars.js';

@Resolver(() => EventType)
export class EventTypeResolver {
  @RequiresKey()
  @Query(() => [EventType], { description: 'Every event type, by name.' })
  eventTypes(@Ctx() context: Context): Promise<RegisteredEventType[]> {
    return context.eventTypes.all();
  }

  @FieldResolver(() => JSONObject, { description: 'The JSON Schema (2020-12) of the payload.' })
  schema(@Root() type: RegisteredEventType): Record<string, unknown> {
    return JSON.parse(type.schema) as Record<string, unknown>;
  }
}
