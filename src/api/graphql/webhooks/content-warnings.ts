import type { EventFilter } from '../../../domain/content/filter.js';
import { filterWarnings } from '../../../domain/content/filter-warnings.js';
import { matches } from '../../../domain/events/event-type.js';
import type { JsonObject } from '../../../domain/schema-rules/subschemas.js';
import type { RegisteredEventType } from '../../../operations/event-types/event-type-registry.js';
import type { Context } from '../../context/context.js';

export interface Content {
  filter: EventFilter | null;
}

/** Finds possible mistakes in the content of a webhook. */
export async function contentWarnings(
  { eventTypes: registry }: Context,
  { eventTypes, filter }: Content & { eventTypes: readonly string[] },
): Promise<string[]> {
  if (filter === null) {
    return [];
  }
  // Filters are not asked about events of the service itself.
  const subscribed = (await registry.all()).filter(({ name, reserved }) => !reserved && matches(eventTypes, name));
  return filterWarnings(filter, subscribed.map(schemaOf));
}

/** An event type is another object after each change. */
const schemas = new WeakMap<RegisteredEventType, JsonObject>();

function schemaOf(type: RegisteredEventType): JsonObject {
  const known = schemas.get(type) ?? (JSON.parse(type.schema) as JsonObject);
  schemas.set(type, known);
  return known;
}
