/** Which events a webhook gets: conditions on their payloads (docs/content.md, "Filters"). */

/** Exactly one of these. */
export interface EventFilter {
  all?: readonly EventFilter[] | null;
  any?: readonly EventFilter[] | null;
  not?: EventFilter | null;
  field?: FieldCondition | null;
  element?: ElementCondition | null;
}

/** One element of a list meets a whole filter: conditions beside each other may be met by several elements. */
export interface ElementCondition {
  /** A path to the list. Paths in `match` begin at the element; `@type` is the name of the event there too. */
  path: string;
  match: EventFilter;
}

/** A condition, and the paths of the lists that it is judged within, the outermost first. */
export interface PlacedCondition {
  condition: FieldCondition;
  lists: readonly string[];
}

/** All conditions of a filter, in its order. */
export function conditionsIn(
  { all, any, not, field, element }: EventFilter,
  lists: readonly string[] = [],
): PlacedCondition[] {
  if (field) {
    return [{ condition: field, lists }];
  }
  return element
    ? conditionsIn(element.match, [...lists, element.path])
    : (all ?? any ?? [not!]).flatMap((one) => conditionsIn(one, lists));
}

export interface FieldCondition {
  /** A path such as `total.amount`, or `@type` (filter-path.ts). */
  path: string;
  op: FilterOp;
  value?: unknown;
}

/** A value that fields are compared with. */
export type FilterScalar = string | number | boolean | null;

/** The operators with their meaning. */
export const FILTER_OPS = {
  EQ: 'The field equals `value`.',
  NE: 'The field does not equal `value`, or is missing.',
  GT: 'The field is greater than `value`.',
  GE: 'The field is greater than `value`, or equals it.',
  LT: 'The field is less than `value`.',
  LE: 'The field is less than `value`, or equals it.',
  IN: 'The field equals one of the values in the list `value`.',
  NOT_IN: 'The field equals none of the values in the list `value`, or is missing.',
  EXISTS: 'The field is there, even if it is null. Takes no `value`.',
  MISSING: 'The field is not there. Takes no `value`.',
  STARTS_WITH: 'The field is a text that begins with `value`.',
  CONTAINS: 'The field is a text that contains `value`.',
  CHANGED:
    'The event has a former state, in which the field, or something in it, was another or missing. Takes no `value`.',
  CHANGED_FROM: 'The field is changed, and equaled `value` in the former state.',
  CHANGED_TO: 'The field is changed, and equals `value` now.',
} as const;
export type FilterOp = keyof typeof FILTER_OPS;

/** The operators that ask for the former state. */
export const CHANGE_OPS: readonly FilterOp[] = ['CHANGED', 'CHANGED_FROM', 'CHANGED_TO'];

/** Whether a filter asks what has changed. */
export const asksChanges = (filter: EventFilter): boolean =>
  conditionsIn(filter).some(({ condition }) => CHANGE_OPS.includes(condition.op));

export const CONDITIONS_MAX = 20;
export const FILTER_DEPTH_MAX = 4;
export const FILTER_TEXT_CHARS_MAX = 256;
export const FILTER_LIST_MAX = 50;
/** The length of a whole filter as JSON: each event of the tenant reads it. */
export const FILTER_CHARS_MAX = 16_384;
