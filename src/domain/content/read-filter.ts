import {
  CONDITIONS_MAX,
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

const KINDS = ['all', 'any', 'not', 'field'] as const;

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
      default:
        return { [kind]: this.#list(value, at, depth) };
    }
  }

  #list(written: unknown, path: FilterProblem['path'], depth: number): EventFilter[] {
    if (!Array.isArray(written) || written.length === 0) {
      this.refuse(path, 'invalid_type', 'must be a list of one filter or more');
      return [];
    }
    if (written.length > CONDITIONS_MAX) {
      this.refuse(path, 'filter_too_large', `must have at most ${CONDITIONS_MAX} filters`);
      return [];
    }
    return written.map((one, index) => this.read(one, [...path, index], depth + 1));
  }

  #condition(written: unknown, path: FilterProblem['path']): FieldCondition {
    this.#conditions += 1;
    if (this.#conditions === CONDITIONS_MAX + 1) {
      this.refuse(path, 'filter_too_large', `is one too many: a filter has at most ${CONDITIONS_MAX} conditions`);
    }
    const given = this.#members(written, ['path', 'op', 'value'], path);
    if (given === null) {
      return NONE;
    }
    const { path: names, op, value } = given;
    if (typeof names !== 'string' || (names !== TYPE_PATH && namesOf(names) === null)) {
      this.refuse([...path, 'path'], 'filter_path_malformed', PATH_RULE);
    }
    if (!Object.hasOwn(FILTER_OPS, String(op))) {
      const detail = `must be one of ${Object.keys(FILTER_OPS).join(', ')}`;
      this.refuse([...path, 'op'], 'invalid_value', detail);
    } else {
      const problem = valueProblem(op as FilterOp, value);
      if (problem !== null) {
        this.refuse([...path, 'value'], 'filter_value_type', problem);
      }
    }
    const condition = { path: names as string, op: op as FilterOp };
    return takesNone(op as FilterOp) ? condition : { ...condition, value };
  }

  /** @returns null when it is no object */
  #members(written: unknown, names: readonly string[], path: FilterProblem['path']): Json | null {
    if (typeof written !== 'object' || written === null || Array.isArray(written)) {
      this.refuse(path, 'invalid_type', 'must be an object');
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

const takesNone = (op: FilterOp): boolean => op === 'EXISTS' || op === 'MISSING';

/** The end of a sentence; null: the operator takes the value. */
function valueProblem(op: FilterOp, value: unknown): string | null {
  switch (op) {
    case 'EXISTS':
    case 'MISSING':
      return value == null ? null : 'must be left out: the operator takes none';
    case 'IN':
    case 'NOT_IN':
      return listProblem(value);
    case 'STARTS_WITH':
    case 'CONTAINS':
      return typeof value === 'string' && value !== '' && isScalar(value) ? null : `must be ${TEXT}, not empty`;
    case 'EQ':
    case 'NE':
      return isScalar(value) ? null : `must be ${SCALAR}`;
    default:
      return isScalar(value) && (typeof value === 'string' || typeof value === 'number')
        ? null
        : `must be ${TEXT}, or ${NUMBER}`;
  }
}

function listProblem(list: unknown): string | null {
  if (!Array.isArray(list) || list.length === 0 || list.length > FILTER_LIST_MAX || !list.every(isScalar)) {
    return `must be a list of 1 to ${FILTER_LIST_MAX} values, each ${SCALAR}`;
  }
  const types = new Set(list.filter((one) => one !== null).map((one) => typeof one));
  return types.size <= 1 ? null : 'must have values of one type, and perhaps null';
}

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
