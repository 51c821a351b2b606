import { FILTER_OPS, type FilterOp } from '../../../../src/domain/content/filter.js';

export const OPERATORS = Object.keys(FILTER_OPS) as FilterOp[];

/** A number, true, false or null, as JSON writes it. */
const LITERAL = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;
const QUOTED = /^"(?:[^"\\]|\\.)*"$/s;
/** A value of a list, up to its comma. */
const LISTED = /\s*("(?:[^"\\]|\\.)*"|[^,]*?)\s*(?:,|$)/gs;

const isList = (op: FilterOp): boolean => op === 'IN' || op === 'NOT_IN';
/** Comparisons that take a text alone. */
const isOfTexts = (op: FilterOp): boolean => op === 'STARTS_WITH' || op === 'CONTAINS';

/** Undefined: the schemas leave it open. */
export type Kinds = ReadonlySet<ValueKind> | undefined;
/** The kinds of value at a path. */
export type KindsAt = (path: string) => Kinds;

const TEXTS: Kinds = new Set(['text']);

/**
 * The value that somebody has typed: `paid` is a text, `1000`, `true` and `null` are not where the schema may have
 * such a value, and quotes make a text of anything. Values of a list stand between commas.
 *
 * @param kinds of the values that it is compared with
 */
export function readValue(typed: string, op: FilterOp, kinds: Kinds): unknown {
  const readOne = (one: string) => readScalar(one, isOfTexts(op) ? TEXTS : kinds);
  return isList(op) ? listed(typed).map(readOne) : readOne(typed.trim());
}

function readScalar(typed: string, kinds?: Kinds): unknown {
  if (QUOTED.test(typed)) {
    try {
      return JSON.parse(typed);
    } catch {
      return typed; // a text with such quotes
    }
  }
  if (!LITERAL.test(typed)) {
    return typed;
  }
  const value: unknown = JSON.parse(typed);
  return kinds?.has('text') && !kinds.has(kindOf(value)) ? typed : value;
}

const listed = (typed: string): string[] =>
  [...typed.matchAll(LISTED)].map(([, one = '']) => one).filter((one) => one !== '');

/** How somebody would type a value. */
export function valueText(value: unknown, op: FilterOp): string {
  const isInList = isList(op);
  const texts = (isInList && Array.isArray(value) ? value : [value]).map((one) => scalarText(one, isInList));
  return value === undefined ? '' : texts.join(', ');
}

function scalarText(value: unknown, isInList: boolean): string {
  const isClear =
    typeof value === 'string' &&
    value !== '' &&
    value === value.trim() &&
    !(isInList && value.includes(',')) &&
    readScalar(value) === value;
  return isClear ? value : JSON.stringify(value);
}

export type ValueKind = 'text' | 'number' | 'boolean' | 'null';

export const kindOf = (value: unknown): ValueKind =>
  value === null ? 'null' : typeof value === 'string' ? 'text' : (typeof value as 'number' | 'boolean');

const KIND_OF_TYPE: Readonly<Record<string, ValueKind>> = {
  string: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/**
 * The kinds of value that a field has by its schema; undefined where that is open.
 *
 * @param type in words, such as `array of string or null`
 */
export function kindsOf(type: string): Kinds {
  const kinds = type
    .replaceAll('array of ', '')
    .split(' or ')
    .map((one) => KIND_OF_TYPE[one]);
  return kinds.includes(undefined) ? undefined : new Set(kinds as ValueKind[]);
}
