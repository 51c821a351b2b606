import { isObject, parseExact, writtenNumber } from './exact-json.js';
import { ExactNumber } from './exact-number.js';
import type { EventFilter, FieldCondition, FilterOp, FilterScalar } from './filter.js';
import { namesOf, TYPE_PATH } from './filter-path.js';

/** Judges events as Postgres does with the compiled filter, and names the condition that an event does not meet. */

export interface FailedCondition extends FieldCondition {
  /** The place in the filter, such as `/all/1/field`. */
  pointer: string;
  /** It stands within `not`: the event meets it, or has a value of another type. */
  negated: boolean;
}

/** A comparison of two types is unknown, also when it is negated, as in SQL. */
type Truth = true | false | 'unknown';

/** A body for several filters. @param body JSON */
export class FilteredEvent {
  readonly #payload: unknown;
  readonly #isReadable: boolean;

  constructor(
    private readonly eventType: string,
    body: string,
  ) {
    this.#isReadable = isReadable(body);
    this.#payload = this.#isReadable ? parseExact(body) : null;
  }

  /** The first condition that keeps the event from matching. Null: it matches, as one that jsonb cannot have does. */
  failedCondition(filter: EventFilter): FailedCondition | null {
    return this.#isReadable && this.#judge(filter) !== true ? this.#explain(filter, false, '') : null;
  }

  #judge({ all, any, not, field }: EventFilter): Truth {
    if (field) {
      return this.#judgeCondition(field);
    }
    if (not) {
      return negation(this.#judge(not));
    }
    const members = (all ?? any)!.map((one) => this.#judge(one));
    return all ? negation(someOf(members.map(negation))) : someOf(members);
  }

  /**
   * @param filter is not true, though it should be
   * @param negated it is not false instead
   */
  #explain({ all, any, not, field }: EventFilter, negated: boolean, pointer: string): FailedCondition {
    if (field) {
      return { ...field, pointer: `${pointer}/field`, negated };
    }
    if (not) {
      return this.#explain(not, !negated, `${pointer}/not`);
    }
    const members = (all ?? any)!;
    const index = members.findIndex((one) => this.#judge(one) !== !negated);
    return this.#explain(members[index]!, negated, `${pointer}/${all ? 'all' : 'any'}/${index}`);
  }

  #judgeCondition({ path, op, value }: FieldCondition): Truth {
    const found = path === TYPE_PATH ? [this.eventType] : valuesAt(this.#payload, namesOf(path)!);
    const is = (name: FilterOp, one: unknown) =>
      someOf(found.flatMap(elements).map((each) => compared(each, name, one as FilterScalar)));
    switch (op) {
      case 'EXISTS':
        return found.length > 0;
      case 'MISSING':
        return found.length === 0;
      case 'NE':
        return negation(is('EQ', value));
      case 'IN':
        return someOf((value as unknown[]).map((one) => is('EQ', one)));
      case 'NOT_IN':
        return negation(someOf((value as unknown[]).map((one) => is('EQ', one))));
      default:
        return is(op, value);
    }
  }
}

const negation = (truth: Truth): Truth => (truth === 'unknown' ? truth : !truth);

const someOf = (truths: readonly Truth[]): Truth =>
  truths.includes(true) ? true : truths.includes('unknown') ? 'unknown' : false;

/** Elements of an array, but not of arrays in it. */
const elements = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

const valuesAt = (payload: unknown, names: readonly string[]): unknown[] =>
  names.reduce<unknown[]>(
    (found, name) => found.flatMap(elements).flatMap((value) => (hasMember(value, name) ? [value[name]] : [])),
    [payload],
  );

const hasMember = (value: unknown, name: string): value is Record<string, unknown> =>
  isObject(value) && Object.hasOwn(value, name);

/** Null differs from all other values, and no other two types can be compared. */
function compared(value: unknown, op: FilterOp, other: FilterScalar): Truth {
  if (op === 'STARTS_WITH' || op === 'CONTAINS') {
    const text = other as string;
    return typeof value !== 'string' ? 'unknown' : op === 'CONTAINS' ? value.includes(text) : value.startsWith(text);
  }
  if (value === null || other === null) {
    return value === other && op !== 'GT' && op !== 'LT';
  }
  if (typeof other === 'number') {
    const number = numberOf(value);
    return number === null ? 'unknown' : isInOrder(number.compare(new ExactNumber(String(other))), op);
  }
  if (typeof other === 'string') {
    return typeof value === 'string' ? isInOrder(compareTexts(value, other), op) : 'unknown';
  }
  return typeof value === 'boolean' ? value === other : 'unknown';
}

const isInOrder = (order: number, op: FilterOp): boolean =>
  (order === 0 && (op === 'EQ' || op === 'GE' || op === 'LE')) ||
  (order > 0 && (op === 'GT' || op === 'GE')) ||
  (order < 0 && (op === 'LT' || op === 'LE'));

/** By code points: JavaScript itself compares halves of them. */
function compareTexts(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) {
    at += 1;
  }
  // A difference in the second half: the first halves are equal, so the second ones decide.
  return (one.codePointAt(at) ?? -1) - (other.codePointAt(at) ?? -1);
}

/** Null: it is no number. */
const numberOf = (value: unknown): ExactNumber | null => {
  const written = typeof value === 'number' ? String(value) : writtenNumber(value);
  return written === null ? null : new ExactNumber(written);
};

/** In valid JSON. The first kind is a whole surrogate pair. */
const ESCAPES = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|[^u])/g;
/** A NUL, or half of a surrogate pair. */
const UNREADABLE_ESCAPE = /^\\u(?:0000|[dD][89a-fA-F][\da-fA-F]{2})$/;

const TEXTS = /"[^"\\]*(?:\\.[^"\\]*)*"/g;
/** Numbers that might be out of range: shorter ones without an exponent never are. */
const LARGE_NUMBERS = /-?\d+(?:\.\d+)?[eE][+-]?\d+|-?\d{1000,}(?:\.\d+)?|-?\d+\.\d{1000,}/g;

/** Whether jsonb can have the body: it cannot have some texts and numbers that JSON allows. */
function isReadable(body: string): boolean {
  const escapes = body.match(ESCAPES) ?? [];
  const numbers = body.replaceAll(TEXTS, '""').match(LARGE_NUMBERS) ?? [];
  return !escapes.some((one) => UNREADABLE_ESCAPE.test(one)) && numbers.every((one) => new ExactNumber(one).isNumeric);
}
