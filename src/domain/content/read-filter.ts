import { type JsonType, jsonTypeOf, mustBe, typeInWords } from '../text/json-type.js';
import { oneOf } from '../text/nearest-word.js';
import {
  CHANGE_OPS,
  CONDITIONS_MAX,
  type ElementCondition,
  type EventFilter,
  FILTER_CHARS_MAX,
  FILTER_DEPTH_MAX,
  FILTER_LIST_MAX,
  FILTER_OPS,
  FILTER_TEXT_CHARS_MAX,
  type FieldCondition,
  type FilterOp,
} from './filter.js';
import { isStorable, namesOf, PATH_CHARS_MAX, PATH_NAMES_MAX, TYPE_PATH } from './filter-path.js';

interface FilterProblem {
  path: (string | number)[];
  code: string;
  /** The end of a sentence about the value at the path. */
  detail: string;
}

type Json = Readonly<Record<string, unknown>>;

const KINDS = ['all', 'any', 'not', 'field', 'element'] as const;

/** Reads a filter of any form. @returns it without members that are null, or what is wrong with it */
export function readFilter(written: unknown): { filter: EventFilter } | { problems: FilterProblem[] } {
  const reader = new FilterReader();
  const filter = reader.read(written, [], 1);
  if (reader.problems.length === 0 && JSON.stringify(filter).length > FILTER_CHARS_MAX) {
    reader.refuse([], 'filter_too_large', `must have at most ${FILTER_CHARS_MAX} characters as JSON`);
  }
  return reader.problems.length === 0 ? { filter } : { problems: reader.problems };
}

class FilterReader {
  readonly problems: FilterProblem[] = [];
  #conditions = 0;

  refuse(path: FilterProblem['path'], code: string, detail: string): void {
    this.problems.push({ path, code, detail });
  }

  read(written: unknown, path: FilterProblem['path'], depth: number): EventFilter {
    if (depth > FILTER_DEPTH_MAX) {
      this.refuse(path, 'filter_too_large', `is more than ${FILTER_DEPTH_MAX} levels deep in the filter`);
      return {};
    }
    const given = this.#members(written, KINDS, path);
    const [kind, ...others] = KINDS.filter((one) => given?.[one] != null);
    if (given === null || kind === undefined || others.length > 0) {
      if (given !== null) {
        this.refuse(path, 'exactly_one', `must have exactly one of ${KINDS.join(', ')}`);
      }
      return {};
    }
    const [value, at] = [given[kind], [...path, kind]];
    switch (kind) {
      case 'field':
        return { field: this.#condition(value, at) };
      case 'not':
        return { not: this.read(value, at, depth + 1) };
      case 'element':
        return { element: this.#element(value, at, depth) };
      default:
        return { [kind]: this.#list(value, at, depth) };
    }
  }

  #list(written: unknown, path: FilterProblem['path'], depth: number): EventFilter[] {
    if (!Array.isArray(written) || written.length === 0) {
      const found = Array.isArray(written) ? '' : `, not ${typeInWords(written)}`;
      this.refuse(path, 'invalid_type', `must be a list of one filter or more${found}`);
      return [];
    }
    if (written.length > CONDITIONS_MAX) {
      this.refuse(path, 'filter_too_large', `must have at most ${CONDITIONS_MAX} filters`);
      return [];
    }
    return written.map((one, index) => this.read(one, [...path, index], depth + 1));
  }

  #element(written: unknown, path: FilterProblem['path'], depth: number): ElementCondition {
    const given = this.#members(written, ['path', 'match'], path);
    this.#count(path);
    if (given === null) {
      return { path: '', match: {} };
    }
    this.#judgePath(given['path'], [...path, 'path'], 'the list to look into, such as lines');
    if (given['path'] === TYPE_PATH) {
      this.refuse([...path, 'path'], 'filter_path_malformed', PATH_RULE);
    }
    if (given['match'] == null) {
      this.refuse([...path, 'match'], 'required', 'is required: the filter that one element meets');
      return { path: '', match: {} };
    }
    return { path: given['path'] as string, match: this.read(given['match'], [...path, 'match'], depth + 1) };
  }

  #count(path: FilterProblem['path']): void {
    this.#conditions += 1;
    if (this.#conditions === CONDITIONS_MAX + 1) {
      this.refuse(path, 'filter_too_large', `is one too many: a filter has at most ${CONDITIONS_MAX} conditions`);
    }
  }

  #judgePath(written: unknown, path: FilterProblem['path'], meaning: string): void {
    if (written == null) {
      this.refuse(path, 'required', `is required: ${meaning}`);
    } else if (typeof written !== 'string' || (written !== TYPE_PATH && namesOf(written) === null)) {
      this.refuse(path, 'filter_path_malformed', PATH_RULE);
    }
  }

  #condition(written: unknown, path: FilterProblem['path']): FieldCondition {
    this.#count(path);
    const given = this.#members(written, ['path', 'op', 'value'], path);
    if (given === null) {
      return NONE;
    }
    const { path: names, op, value } = given;
    this.#judgePath(names, [...path, 'path'], 'the field to look at, such as total.amount');
    if (op == null) {
      this.refuse([...path, 'op'], 'required', `is required: one of ${OPS.join(', ')}`);
    } else if (typeof op !== 'string' || !Object.hasOwn(FILTER_OPS, op)) {
      this.refuse([...path, 'op'], 'invalid_value', oneOf(OPS, op));
    } else {
      this.#judgeValue(op as FilterOp, value, [...path, 'value']);
      this.#judgePlace(op as FilterOp, names, [...path, 'op']);
    }
    const condition = { path: names as string, op: op as FilterOp };
    return takesNone(op as FilterOp) ? condition : { ...condition, value };
  }

  #judgePlace(op: FilterOp, names: unknown, path: FilterProblem['path']): void {
    if (CHANGE_OPS.includes(op) && (names === TYPE_PATH || path.includes('match'))) {
      const place = names === TYPE_PATH ? `for ${TYPE_PATH}, which does not change` : 'within `element`';
      this.refuse(path, 'filter_change_place', `cannot be ${op} ${place}`);
    }
  }

  #judgeValue(op: FilterOp, value: unknown, path: FilterProblem['path']): void {
    if (takesNone(op)) {
      if (value != null) {
        this.refuse(path, 'filter_value_type', `must be left out: ${op} takes no value`);
      }
      return;
    }
    const { types, rule, takes } = VALUES[op];
    if (value === undefined) {
      this.refuse(path, 'required', `is required: ${op} takes ${rule}`);
    } else if (!types.includes(jsonTypeOf(value))) {
      this.refuse(path, 'filter_value_type', `is ${typeInWords(value)}, but ${op} takes ${rule}`);
    } else if (!takes(value as never)) {
      this.refuse(path, 'filter_value_type', `must be ${rule}`);
    }
  }

  /** @returns null when it is not an object */
  #members(written: unknown, names: readonly string[], path: FilterProblem['path']): Json | null {
    if (typeof written !== 'object' || written === null || Array.isArray(written)) {
      this.refuse(path, 'invalid_type', mustBe(['object'], written));
      return null;
    }
    const unknown = Object.keys(written).find((name) => !names.includes(name));
    if (unknown !== undefined) {
      const at = [...path, unknown.slice(0, NAME_SHOWN_LENGTH_MAX)];
      this.refuse(at, 'unknown_property', `is not one of ${names.join(', ')}`);
      return null;
    }
    return written as Json;
  }
}

const NAME_SHOWN_LENGTH_MAX = 50;
/** In place of a condition in another form. */
const NONE: FieldCondition = { path: '', op: 'EXISTS' };

const PATH_RULE =
  `must be 1 to ${PATH_NAMES_MAX} names with dots between them, such as total.amount, and at most ${PATH_CHARS_MAX} ` +
  'characters; put odd names in double quotes, and write arrays without an index';

const OPS = Object.keys(FILTER_OPS);

type WithoutValue = 'EXISTS' | 'MISSING' | 'CHANGED';
const takesNone = (op: FilterOp): op is WithoutValue => op === 'EXISTS' || op === 'MISSING' || op === 'CHANGED';

const TEXT = `a text of at most ${FILTER_TEXT_CHARS_MAX} characters without NUL`;
const NUMBER = `a number (a whole one up to ${Number.MAX_SAFE_INTEGER})`;
const SCALAR = `${TEXT}, ${NUMBER}, a boolean or null`;

/** Larger whole numbers have lost their last digits when they arrive here. */
function isScalar(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
      return value.length <= FILTER_TEXT_CHARS_MAX && isStorable(value);
    case 'number':
      return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
    default:
      return typeof value === 'boolean' || value === null;
  }
}

/** Null is of every type. */
function isList(list: readonly unknown[]): boolean {
  const types = new Set(list.filter((one) => one !== null).map(jsonTypeOf));
  return list.length > 0 && list.length <= FILTER_LIST_MAX && list.every(isScalar) && types.size <= 1;
}

interface Taken {
  types: readonly JsonType[];
  /** Words for what an operator takes. */
  rule: string;
  /** Whether it takes a value of these types. */
  takes: (value: never) => boolean;
}

const SAME: Taken = { types: ['string', 'number', 'boolean', 'null'], rule: SCALAR, takes: isScalar };
const COMPARED: Taken = { types: ['string', 'number'], rule: `${TEXT}, or ${NUMBER}`, takes: isScalar };
const LISTED: Taken = {
  types: ['array'],
  rule: `a list of 1 to ${FILTER_LIST_MAX} values of one type (or null), each ${SCALAR}`,
  takes: isList,
};
const SEARCHED: Taken = {
  types: ['string'],
  rule: `${TEXT}, not empty`,
  takes: (text: string) => text !== '' && isScalar(text),
};

const VALUES: Readonly<Record<Exclude<FilterOp, WithoutValue>, Taken>> = {
  ...{ EQ: SAME, NE: SAME, IN: LISTED, NOT_IN: LISTED },
  ...{ GT: COMPARED, GE: COMPARED, LT: COMPARED, LE: COMPARED },
  ...{ STARTS_WITH: SEARCHED, CONTAINS: SEARCHED, CHANGED_FROM: SAME, CHANGED_TO: SAME },
};
