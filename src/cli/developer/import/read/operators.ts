import type { EventFilter, FilterOp } from '../../../../domain/content/filter.js';
import { pathOf } from '../../../../domain/content/filter-path.js';

/** A filter of a former system has something that filters here cannot say. The message ends a sentence about it. */
export class OtherFilterError extends Error {
  override readonly name = 'OtherFilterError';
}

const COMPARED: Readonly<Record<string, FilterOp>> = {
  $eq: 'EQ',
  ...{ $ne: 'NE', $neq: 'NE' },
  ...{ $gt: 'GT', $gte: 'GE', $lt: 'LT', $lte: 'LE' },
  $startsWith: 'STARTS_WITH',
};
const LISTED: Readonly<Record<string, FilterOp>> = { $in: 'IN', $nin: 'NOT_IN' };

/** The place that a condition looks at: names in the payload, the type, or the whole event, payload and type. */
export type Place = readonly string[] | '@type' | 'event';

/**
 * Translates conditions with operators such as `$gte`, as Convoy and Outpost have them.
 *
 * @param place where the conditions look
 * @param placeOf the place of a name below another one
 * @throws OtherFilterError
 */
export function translated(node: unknown, place: Place, placeOf: (name: string, above: Place) => Place): EventFilter {
  if (Array.isArray(node)) {
    throw new OtherFilterError('compares with a list, without $in');
  }
  if (typeof node !== 'object' || node === null) {
    return condition(place, 'EQ', node);
  }
  const parts = Object.entries(node).map(([key, value]) => {
    const inside = (other: unknown) => translated(other, place, placeOf);
    if (key === '$or' || key === '$and') {
      return combined(key === '$or' ? 'any' : 'all', listOf(key, value).map(inside));
    }
    if (key === '$not') {
      return { not: inside(value) };
    }
    return key.startsWith('$') ? operation(key, value, place) : translated(value, placeOf(key, place), placeOf);
  });
  return combined('all', parts);
}

function operation(key: string, value: unknown, place: Place): EventFilter {
  if (key === '$exist') {
    return condition(place, value === false ? 'MISSING' : 'EXISTS');
  }
  const op = Object.hasOwn(COMPARED, key) ? COMPARED[key] : undefined;
  if (op !== undefined) {
    return condition(place, op, value);
  }
  const listOp = Object.hasOwn(LISTED, key) ? LISTED[key] : undefined;
  if (listOp === undefined || !Array.isArray(value)) {
    throw new OtherFilterError(`has ${key}${listOp === undefined ? '' : ' in a text'}, which filters here lack`);
  }
  return condition(place, listOp, value);
}

function condition(place: Place, op: FilterOp, value?: unknown): EventFilter {
  if (place.length === 0 || place === 'event') {
    throw new OtherFilterError('compares an event as a whole');
  }
  const path = typeof place === 'string' ? place : pathOf(place);
  return { field: { path, op, ...(value === undefined ? {} : { value }) } };
}

/** Several conditions as one. @throws OtherFilterError when there are none */
function combined(kind: 'all' | 'any', parts: readonly EventFilter[]): EventFilter {
  if (parts.length === 0) {
    throw new OtherFilterError('has an empty condition');
  }
  // Fewer levels: a filter here has four.
  const flat = parts.flatMap((part) => part[kind] ?? [part]);
  return flat.length === 1 ? flat[0]! : { [kind]: flat };
}

function listOf(key: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) {
    throw new OtherFilterError(`has ${key} without a list`);
  }
  return value;
}

export function below(name: string, above: Place): Place {
  if (typeof above === 'string') {
    throw new OtherFilterError(`looks at ${name} of an event`);
  }
  return [...above, name];
}
