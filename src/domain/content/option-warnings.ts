import { type JsonType, jsonTypeOf, typesInWords } from '../json-type.js';
import type { JsonObject } from '../schema-rules/subschemas.js';
import { type TypesAt, typesAt } from '../schema-rules/types-at.js';
import type { EventFilter, FieldCondition } from './filter.js';
import { namesOf, TYPE_PATH } from './filter-path.js';

/** Mistakes that options of a webhook may have, by the schemas of its event types. Schemas grow: they are no errors. */

/** The codes with their meaning. */
export const WARNING_CODES = {
  path_not_in_schema: 'no subscribed event type has the path in its schema',
  value_type_not_in_schema: 'a condition compares with a value of another type than the schemas have there',
  key_type_not_in_schema: 'the schemas have an object or a list where the ordering key should be',
  shape_field_not_in_schema: 'the shape asks for a field that the schema no longer has',
} as const;

export interface OptionWarning {
  code: keyof typeof WARNING_CODES;
  /** A sentence. */
  message: string;
  /** In payloads. */
  path: string;
  /** The event type whose schema lacks the path. Null: all that the webhook gets. */
  eventType: string | null;
  /** The types that the schemas have at the path. Null: they have none. */
  types: readonly JsonType[] | null;
}

type Schemas = readonly JsonObject[];

/** @param schemas of the subscribed event types: valid ones, without recursion */
export const filterWarnings = (filter: EventFilter, schemas: Schemas): OptionWarning[] =>
  conditionsIn(filter).flatMap((condition) => {
    const { path } = condition;
    const types = path === TYPE_PATH ? NAMES : typesAt(schemas, namesOf(path)!, 'element');
    return types === 'none' ? [unknownPath(path)] : valueWarnings(condition, types);
  });

/** Numbers in paths of placeholders count elements of lists. */
export const placeholderWarnings = (paths: readonly string[], schemas: Schemas): OptionWarning[] =>
  paths.flatMap((path) => {
    const names = (namesOf(path) ?? []).filter((name) => !/^\d+$/.test(name));
    return typesAt(schemas, names, 'element') === 'none' ? [unknownPath(path)] : [];
  });

/** @param path of the ordering key */
export function keyWarnings(path: string, schemas: Schemas): OptionWarning[] {
  const types = typesAt(schemas, namesOf(path)!, 'array');
  if (types === 'none') {
    return [unknownPath(path)];
  }
  if (types === 'any' || types.size === 0 || KEY_TYPES.some((type) => types.has(type))) {
    return [];
  }
  const message = `${isBySchemas(path, types)}, which is no key: events without orderingKey are in no order.`;
  return [{ code: 'key_type_not_in_schema', message, path, eventType: null, types: [...types] }];
}

export const shapeWarning = (path: string, eventType: string): OptionWarning => ({
  code: 'shape_field_not_in_schema',
  message: `The shape asks for ${path}, which ${eventType} no longer has.`,
  path,
  eventType,
  types: null,
});

/** The type of `@type`. */
const NAMES: ReadonlySet<JsonType> = new Set(['string']);
const KEY_TYPES = ['string', 'number', 'boolean'] as const;

const conditionsIn = ({ all, any, not, field }: EventFilter): FieldCondition[] =>
  field ? [field] : (all ?? any ?? [not!]).flatMap(conditionsIn);

const unknownPath = (path: string): OptionWarning => ({
  code: 'path_not_in_schema',
  message: `No subscribed event type has ${path} in its schema.`,
  path,
  eventType: null,
  types: null,
});

/** @param types of the field */
function valueWarnings({ path, op, value }: FieldCondition, types: Exclude<TypesAt, 'none'>): OptionWarning[] {
  if (op === 'EXISTS' || op === 'MISSING' || types === 'any' || types.size === 0) {
    return [];
  }
  const given = new Set([value].flat().map(jsonTypeOf));
  if (op === 'NE' || op === 'NOT_IN') {
    given.delete('null'); // every other value differs from null
  }
  const differsFromNull = (op === 'NE' || op === 'NOT_IN') && types.has('null');
  if (given.size === 0 || differsFromNull || [...given].some((type) => types.has(type))) {
    return [];
  }
  const message = `${isBySchemas(path, types)}: a comparison with ${typesInWords([...given])} never matches it.`;
  return [{ code: 'value_type_not_in_schema', message, path, eventType: null, types: [...types] }];
}

const isBySchemas = (path: string, types: ReadonlySet<JsonType>): string =>
  `${path} is ${typesInWords([...types])} in the schemas of the subscribed event types`;
