/**
 * What an operation may ask of the schema. That needs no key and has no cost, and its answer is as long as the schema,
 * as often as it is asked for. GraphiQL and generators of code ask once, without an alias and without fields of fields.
 */

/** How often `__schema` may be asked for in one operation. */
const SCHEMAS_MAX = 1;
/** How often `__type`: some clients find out first what of introspection there is, and ask for a type for each part. */
const TYPES_MAX = 10;
/** How many of these lists may stand within each other. */
const LISTS_MAX = { __schema: 1, __type: 2 } as const;
const lists = new Set(['fields', 'inputFields', 'interfaces', 'possibleTypes']);

/** Of a selection set, with everything below it. */
export interface Introspection {
  schemas: number;
  types: number;
  /** Below either of them. */
  aliases: number;
  /** How many lists stand within each other; of our own fields, too, where it means nothing. */
  lists: number;
  /** Whether that is too many below one of them. */
  isTooDeep: boolean;
}

export const noIntrospection: Introspection = { schemas: 0, types: 0, aliases: 0, lists: 0, isTooDeep: false };

/** Of two selections of one set. */
export function together(one: Introspection, other: Introspection): Introspection {
  return {
    schemas: one.schemas + other.schemas,
    types: one.types + other.types,
    aliases: one.aliases + other.aliases,
    lists: Math.max(one.lists, other.lists),
    isTooDeep: one.isTooDeep || other.isTooDeep,
  };
}

/** @param aliases how many there are below the field */
export function introspectionAt(name: string, aliases: number, below: Introspection): Introspection {
  if (name === '__schema' || name === '__type') {
    return {
      schemas: below.schemas + (name === '__schema' ? 1 : 0),
      types: below.types + (name === '__type' ? 1 : 0),
      aliases,
      lists: 0,
      isTooDeep: below.isTooDeep || below.lists > LISTS_MAX[name],
    };
  }
  return lists.has(name) ? { ...below, lists: below.lists + 1 } : below;
}

/** @returns what is wrong with it, for a person; null: nothing */
export function brokenIntrospection({ schemas, types, aliases, isTooDeep }: Introspection): string | null {
  if (schemas > SCHEMAS_MAX) {
    return `The operation asks for __schema ${schemas} times; at most ${SCHEMAS_MAX} is allowed.`;
  }
  if (types > TYPES_MAX) {
    return `The operation asks for __type ${types} times; at most ${TYPES_MAX} are allowed.`;
  }
  if (aliases > 0) {
    return 'Within __schema and __type there may be no aliases.';
  }
  return isTooDeep ? 'The operation asks for fields within fields of the schema; ask for each type by itself.' : null;
}
