import {
  type GraphQLInputType,
  type GraphQLLeafType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { InputIssue, Path } from '../../errors.js';

/**
 * How many items a list may have to be looked at. No list of ours takes more than 100, and the rule of its field says
 * so of some more; but that rule is asked last, when every item has been coerced three times.
 */
const LIST_ITEMS_MAX = 1_000;

/**
 * Whether a value fits beyond doubt. So it is with the variables of emits, and it takes a tenth of what coercing them
 * takes; false says nothing.
 */
export function surelyFits(value: unknown, type: GraphQLInputType): boolean {
  if (value === null || value === undefined) {
    return !isNonNullType(type);
  }
  const inner = getNullableType(type);
  if (isListType(inner)) {
    return (
      Array.isArray(value) && value.length <= LIST_ITEMS_MAX && value.every((item) => surelyFits(item, inner.ofType))
    );
  }
  if (!isInputObjectType(inner)) {
    return surelyTakes(inner, value);
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    return false;
  }
  const fields = inner.getFields();
  for (const name in value) {
    if (!Object.hasOwn(fields, name)) {
      return false;
    }
  }
  for (const name in fields) {
    if (!surelyFits((value as Record<string, unknown>)[name], fields[name]!.type)) {
      return false;
    }
  }
  return true;
}

function surelyTakes({ name }: GraphQLLeafType, value: unknown): boolean {
  switch (name) {
    case 'String':
    case 'ID':
      return typeof value === 'string';
    case 'Boolean':
      return typeof value === 'boolean';
    case 'JSONObject':
      return typeof value === 'object' && !Array.isArray(value);
    default:
      return false;
  }
}

/**
 * What graphql-js must not get to see: it goes through all items of a list, and writes out what a scalar refuses.
 *
 * @returns where it stands and what is wrong; the sentence of a scalar has an empty object for the value
 */
export function tooLarge(value: unknown, type: GraphQLInputType, path: Path): InputIssue | null {
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  const inner = getNullableType(type);
  if (isListType(inner)) {
    return Array.isArray(value) ? tooLong(value, inner.ofType, path) : tooLarge(value, inner.ofType, path);
  }
  if (!isInputObjectType(inner)) {
    const detail = refusalOfObjects(inner);
    return detail === null ? null : { path, code: 'invalid_type', detail };
  }
  for (const field of Object.values(inner.getFields())) {
    const part = (value as Record<string, unknown>)[field.name];
    const found = tooLarge(part, field.type, [...path, field.name]);
    if (found !== null) {
      return found;
    }
  }
  return null;
}

function tooLong(items: readonly unknown[], type: GraphQLInputType, path: Path): InputIssue | null {
  if (items.length > LIST_ITEMS_MAX) {
    const detail = `has ${items.length} items; no list of an input may have more than ${LIST_ITEMS_MAX}`;
    return { path, code: 'too_big', detail };
  }
  for (const [index, item] of items.entries()) {
    const found = tooLarge(item, type, [...path, index]);
    if (found !== null) {
      return found;
    }
  }
  return null;
}

/** What a type without fields says of any object, learnt from an empty one. Null: it takes them. */
function refusalOfObjects(type: GraphQLLeafType): string | null {
  try {
    type.parseValue({});
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
