import { writtenNumber } from './exact-json.js';
import { ExactNumber } from './exact-number.js';
import type { FilterOp, FilterScalar } from './filter.js';

/** Comparisons of a filter with values of a payload, as jsonpath has them. */

/** A comparison of two types is unknown, also when it is negated, as in SQL. */
export type Truth = true | false | 'unknown';

export const negation = (truth: Truth): Truth => (truth === 'unknown' ? truth : !truth);

/** Whether one of the items is true. It looks at no more of them then. */
export function someOf<Item>(items: readonly Item[], judge: (item: Item) => Truth): Truth {
  let found: Truth = false;
  for (const item of items) {
    const truth = judge(item);
    if (truth === true) {
      return true;
    }
    found = truth === 'unknown' ? truth : found;
  }
  return found;
}

/** `EQ` with one of a list, whose values have one type besides null: in the time of one comparison for each value. */
export function isListed(values: readonly unknown[], list: readonly FilterScalar[]): Truth {
  const listed = new Set<unknown>(list);
  const type = typeof list.find((one) => one !== null);
  return someOf(values, (value) => {
    const written = writtenNumber(value);
    const rounded = written === null ? value : Number(written);
    if (listed.has(rounded)) {
      return compared(value, 'EQ', rounded as FilterScalar);
    }
    return value === null || type === 'undefined' || typeof rounded === type ? false : 'unknown';
  });
}

/** Null differs from all other values, and no other two types can be compared. */
export function compared(value: unknown, op: FilterOp, other: FilterScalar): Truth {
  if (op === 'STARTS_WITH' || op === 'CONTAINS') {
    const text = other as string;
    return typeof value !== 'string' ? 'unknown' : op === 'CONTAINS' ? value.includes(text) : value.startsWith(text);
  }
  if (value === null || other === null) {
    return value === other && op !== 'GT' && op !== 'LT';
  }
  if (typeof other === 'number') {
    const order = orderOfNumbers(value, other);
    return order === null ? 'unknown' : isInOrder(order, op);
  }
  if (typeof other === 'string') {
    if (typeof value !== 'string') {
      return 'unknown';
    }
    return op === 'EQ' ? value === other : isInOrder(compareTexts(value, other), op);
  }
  return typeof value === 'boolean' ? value === other : 'unknown';
}

const isInOrder = (order: number, op: FilterOp): boolean =>
  (order === 0 && (op === 'EQ' || op === 'GE' || op === 'LE')) ||
  (order > 0 && (op === 'GT' || op === 'GE')) ||
  (order < 0 && (op === 'LT' || op === 'LE'));

/** By code points: JavaScript itself compares halves of them. */
export function compareTexts(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) {
    at += 1;
  }
  // A difference in the second half: the first halves are equal, so the second ones decide.
  return (one.codePointAt(at) ?? -1) - (other.codePointAt(at) ?? -1);
}

/** Null: the value is not a number. Only numbers that round to the same value are compared by their digits. */
function orderOfNumbers(value: unknown, other: number): number | null {
  const written = writtenNumber(value);
  if (written === null) {
    return typeof value === 'number' ? value - other : null;
  }
  return Number(written) - other || new ExactNumber(written).compare(new ExactNumber(String(other)));
}
