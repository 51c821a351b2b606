import { objectIn, referredTo } from '../schema-rules/schema-width.js';
import type { JsonObject } from '../schema-rules/subschemas.js';
import type { EventFilter } from './filter.js';
import { namesOf, TYPE_PATH } from './filter-path.js';

/**
 * A sentence for each path of a filter that no schema has. It is no error, since schemas grow.
 *
 * @param schemas of the subscribed event types: valid ones, without recursion
 */
export const filterWarnings = (filter: EventFilter, schemas: readonly JsonObject[]): string[] =>
  pathWarnings(
    pathsOf(filter)
      .filter((path) => path !== TYPE_PATH)
      .map((path) => [path, namesOf(path)!]),
    schemas,
  );

/** The same for the placeholders of texts. Numbers in their paths count elements of lists. */
export const placeholderWarnings = (paths: readonly string[], schemas: readonly JsonObject[]): string[] =>
  pathWarnings(
    paths.map((path) => [path, (namesOf(path) ?? []).filter((name) => !/^\d+$/.test(name))]),
    schemas,
  );

function pathWarnings(paths: [path: string, names: readonly string[]][], schemas: readonly JsonObject[]): string[] {
  const isUnknown = (names: readonly string[]) =>
    schemas.length > 0 && !schemas.some((schema) => mayHave(schema, names));
  return [...new Map(paths)]
    .filter(([, names]) => isUnknown(names))
    .map(([path]) => `No subscribed event type has ${path} in its schema.`);
}

const pathsOf = ({ all, any, not, field }: EventFilter): string[] =>
  field ? [field.path] : (all ?? any ?? [not!]).flatMap(pathsOf);

/** Whether a payload of the schema may have something at the path. */
const mayHave = (root: JsonObject, names: readonly string[]): boolean => new PathFinder(root).look(root, names) !== NO;

/** A schema says nothing about a path, has no such field, may have any field there, or has the field. */
const [SILENT, NO, OPEN, YES] = [0, 1, 2, 3];

class PathFinder {
  constructor(private readonly root: JsonObject) {}

  look(schema: unknown, names: readonly string[]): number {
    if (typeof schema !== 'object' || schema === null) {
      return schema === false ? NO : SILENT;
    }
    if (names.length === 0) {
      return YES;
    }
    const { $ref, allOf, anyOf, oneOf, then, else: otherwise, ...own } = schema as JsonObject;
    const definition = $ref === undefined ? true : objectIn(this.root, '$defs')[referredTo({ $ref })!];
    const parts = [definition, then, otherwise, ...[allOf, anyOf, oneOf].flatMap((list) => (list ?? []) as unknown[])];
    return Math.max(this.#lookAtOwn(own, names), ...parts.map((part) => this.look(part, names)));
  }

  #lookAtOwn(schema: JsonObject, [name, ...rest]: readonly string[]): number {
    const { type, properties, patternProperties, additionalProperties, items, prefixItems = [] } = schema;
    const inItems = [items, ...(prefixItems as unknown[])].filter((one) => one !== undefined);
    const within = (member: unknown) => this.look(member, rest) || OPEN;
    if (Object.hasOwn(objectIn(schema, 'properties'), name!)) {
      return within(objectIn(schema, 'properties')[name!]);
    }
    if (inItems.length > 0) {
      return Math.max(...inItems.map((one) => this.look(one, [name!, ...rest])));
    }
    if (typeof additionalProperties === 'object' || patternProperties !== undefined) {
      return patternProperties === undefined ? within(additionalProperties) : OPEN;
    }
    const types = [type ?? 'object'].flat();
    const isScalar = !types.includes('object') && !types.includes('array');
    return isScalar || properties !== undefined || additionalProperties === false ? NO : SILENT;
  }
}
