import { type ContentSettings, contentFrom } from '../../../domain/content/content.js';
import type { EventFilter } from '../../../domain/content/filter.js';
import { filterWarnings, placeholderWarnings } from '../../../domain/content/filter-warnings.js';
import { missingFields } from '../../../domain/content/shape/missing-fields.js';
import type { ShapePlan } from '../../../domain/content/shape/project.js';
import { placeholdersIn } from '../../../domain/content/template.js';
import { matches } from '../../../domain/events/event-type.js';
import type { JsonObject } from '../../../domain/schema-rules/subschemas.js';
import type { RegisteredEventType } from '../../../operations/event-types/event-type-registry.js';
import type { Context } from '../../context/context.js';

interface Content extends ContentSettings {
  filter: EventFilter | null;
}

/** Finds possible mistakes in the content of a webhook with these event types. */
export async function contentWarnings(
  { eventTypes: registry }: Context,
  eventTypes: readonly string[],
  { filter, ...settings }: Content,
): Promise<string[]> {
  const content = contentFrom(settings);
  if (filter === null && content === null) {
    return [];
  }
  const subscribed = (await registry.all()).filter(({ name }) => matches(eventTypes, name));
  // Filters are not asked about events of the service itself.
  const filtered = filter === null ? [] : subscribed.filter(({ reserved }) => !reserved);
  const shape = content?.shape ?? null;
  // Behind a shape placeholders stand for values of its result.
  const placeholders = content === null || shape !== null ? [] : placeholdersIn([content.text, content.template]);
  const warnings = [
    ...(filter === null ? [] : filterWarnings(filter, filtered.map(schemaOf))),
    ...(shape === null ? [] : subscribed.flatMap((type) => shapeWarnings(shape, type))),
    ...(placeholders.length === 0 ? [] : placeholderWarnings(placeholders, subscribed.map(schemaOf))),
  ];
  return [...new Set(warnings)];
}

const shapeWarnings = ({ types }: ShapePlan, type: RegisteredEventType): string[] =>
  Object.hasOwn(types, type.name)
    ? missingFields(schemaOf(type), types[type.name]!).map(
        (field) => `The shape asks for ${field}, which ${type.name} no longer has.`,
      )
    : [];

/** An event type is another object after each change. */
const schemas = new WeakMap<RegisteredEventType, JsonObject>();

function schemaOf(type: RegisteredEventType): JsonObject {
  const known = schemas.get(type) ?? (JSON.parse(type.schema) as JsonObject);
  schemas.set(type, known);
  return known;
}
