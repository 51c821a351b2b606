import { objectIn, referredTo } from '../schema-rules/schema-width.js';
import type { JsonObject } from '../schema-rules/subschemas.js';
import type { EventFilter } from './filter.js';
import { namesOf, TYPE_PATH } from './filter-path.js';

/**
 * A sentence for each path of a filter that no schema has. It is no error, since schemas grow.
 *
 * @param schemas of the subscribed event types: valid ones, without recursion
 */
export function filterWarnings(filter: EventFilter, schemas: readonly JsonObject[]): string[] {
  const paths = new Set(pathsOf(filter).filter((path) => path !== TYPE_PATH));
  const isUnknown = (path: string) => schemas.length > 0 && !schemas.some((schema) => mayHave(schema, namesOf(path)!));
  return [...paths].filter(isUnknown).map((path) => `No subscribed event type has ${path} in its schema.`);
}

const pathsOf = ({ all, any, not, field }: EventFilter): string[] =>
  field ? [field.path] : (all ?? any ?? [not!]).flatMap(pathsOf);

/** Whether a payload of the schema may have something at the path. */
export const mayHave = (root: JsonObject, names: readonly string[]): boolean =>
  new PathFinder(root).look(root, names) > NO;

/** It allows nothing there, says nothing about it, or declares it. */
const [NO, OPEN, YES] = [0, 1, 2];

class PathFinder {
  constructor(private readonly root: JsonObject) {}

  look(schema: unknown, names: readonly string[]): number {
    if (typeof schema !== 'object' || schema === null) {
      return schema === false ? NO : OPEN;
    }
    if (names.length === 0) {
      return YES;
    }
    const { $ref, allOf = [], anyOf, oneOf, then, else: otherwise, ...own } = schema as JsonObject;
    const each = (list: unknown) => (list as unknown[]).map((one) => this.look(one, names));
    const verdicts = [
      this.#lookAtOwn(own, names),
      ...each(allOf),
      ...($ref === undefined ? [] : each([objectIn(this.root, '$defs')[referredTo({ $ref })!]])),
      // One of them is enough.
      ...[anyOf, oneOf].flatMap((list) => (list === undefined ? [] : [Math.max(...each(list))])),
    ];
    const conditional = [then, otherwise].some((one) => one !== undefined && this.look(one, names) === YES);
    return conditional || verdicts.includes(YES) ? YES : Math.min(...verdicts);
  }

  #lookAtOwn(schema: JsonObject, names: readonly string[]): number {
    const [name, ...rest] = names;
    const { type, properties, patternProperties, additionalProperties, items, prefixItems = [] } = schema;
    const inItems = [items, ...(prefixItems as unknown[])].filter((one) => one !== undefined);
    const members = (properties ?? {}) as JsonObject;
    if (Object.hasOwn(members, name!)) {
      return this.look(members[name!], rest);
    }
    if (inItems.length > 0) {
      return Math.max(...inItems.map((one) => this.look(one, names)));
    }
    if (typeof additionalProperties === 'object') {
      return this.look(additionalProperties, rest);
    }
    const isClosed = properties !== undefined || additionalProperties === false;
    const types = [type ?? 'object'].flat();
    const isScalar = !types.includes('object') && !types.includes('array');
    return (isClosed || isScalar) && patternProperties === undefined ? NO : OPEN;
  }
}
