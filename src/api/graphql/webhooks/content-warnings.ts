import { type ContentSettings, contentFrom } from '../../../domain/content/content.js';
import type { EventFilter } from '../../../domain/content/filter.js';
import { filterWarnings, placeholderWarnings } from '../../../domain/content/filter-warnings.js';
import { placeholdersIn } from '../../../domain/content/template.js';
import { matches } from '../../../domain/events/event-type.js';
import type { JsonObject } from '../../../domain/schema-rules/subschemas.js';
import type { RegisteredEventType } from '../../../operations/event-types/event-type-registry.js';
import type { Context } from '../../context/context.js';

export interface Content extends ContentSettings {
  filter: EventFilter | null;
}

/** Finds possible mistakes in the content of a webhook. */
export async function contentWarnings(
  { eventTypes: registry }: Context,
  { eventTypes, filter, ...settings }: Content & { eventTypes: readonly string[] },
): Promise<string[]> {
  const content = contentFrom(settings);
  const placeholders = content === null ? [] : placeholdersIn([content.text, content.template]);
  if (filter === null && placeholders.length === 0) {
    return [];
  }
  const subscribed = (await registry.all()).filter(({ name }) => matches(eventTypes, name));
  // Filters are not asked about events of the service itself.
  const filtered = subscribed.filter(({ reserved }) => !reserved);
  const warnings = [
    ...(filter === null ? [] : filterWarnings(filter, filtered.map(schemaOf))),
    ...placeholderWarnings(placeholders, subscribed.map(schemaOf)),
  ];
  return [...new Set(warnings)];
}

/** An event type is another object after each change. */
const schemas = new WeakMap<RegisteredEventType, JsonObject>();

function schemaOf(type: RegisteredEventType): JsonObject {
  const known = schemas.get(type) ?? (JSON.parse(type.schema) as JsonObject);
  schemas.set(type, known);
  return known;
}
