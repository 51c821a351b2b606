import { isDeeperThan } from '../events/payload.js';
import { typeInWords } from '../text/json-type.js';
import { oneOf } from '../text/nearest-word.js';
import { CONVERTER_OPS, type Converter, type ConverterOp, STEPS_MAX, VALUE_CHARS_MAX } from './converter.js';
import { beginsWith, EACH, listsOf, type Place, placeOf } from './converter-place.js';
import { namesOf, PATH_CHARS_MAX, PATH_NAMES_MAX } from './filter-path.js';

interface ConverterProblem {
  path: (string | number)[];
  code: string;
  /** The end of a sentence about the value at the path. */
  detail: string;
}

type Json = Readonly<Record<string, unknown>>;

const VALUE_DEPTH_MAX = 10;
const OPS = Object.keys(CONVERTER_OPS);
const MEMBERS = ['op', 'path', 'to', 'value'];
const NAME_SHOWN_CHARS_MAX = 50;

const PATH_RULE =
  `must be 1 to ${PATH_NAMES_MAX} names with dots between them, such as customer.email, [] behind that of a list, as ` +
  `in lines[].sku, and at most ${PATH_CHARS_MAX} characters; put odd names in double quotes`;

/** Reads a converter of any form. @returns it without members that its operations do not have, or what is wrong */
export function readConverter(written: unknown): { converter: Converter } | { problems: ConverterProblem[] } {
  if (!Array.isArray(written)) {
    return { problems: [problem([], 'invalid_type', `must be a list of steps, not ${typeInWords(written)}`)] };
  }
  if (written.length > STEPS_MAX) {
    return { problems: [problem([], 'converter_too_long', `must have at most ${STEPS_MAX} steps`)] };
  }
  const problems = written.flatMap((step, index) =>
    problemsOf(step).map((one) => ({ ...one, path: [index, ...one.path] })),
  );
  return problems.length > 0 ? { problems } : { converter: written.map(stepOf) };
}

const problem = (path: ConverterProblem['path'], code: string, detail: string): ConverterProblem => ({
  path,
  code,
  detail,
});

/** @param step one without problems */
function stepOf({ op, path, to, value }: Json): Converter[number] {
  switch (op as ConverterOp) {
    case 'RENAME':
    case 'MOVE':
      return { op: op as 'RENAME', path: path as string, to: to as string };
    case 'SET':
      return { op: 'SET', path: path as string, value };
    default:
      return { op: op as 'REMOVE', path: path as string };
  }
}

function problemsOf(step: unknown): ConverterProblem[] {
  if (typeof step !== 'object' || step === null || Array.isArray(step)) {
    return [problem([], 'invalid_type', `must be an object, not ${typeInWords(step)}`)];
  }
  const unknown = Object.keys(step).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    const at = unknown.slice(0, NAME_SHOWN_CHARS_MAX);
    return [problem([at], 'unknown_property', `is not one of ${MEMBERS.join(', ')}`)];
  }
  const { op, path, to, value } = step as Json;
  if (typeof op !== 'string' || !Object.hasOwn(CONVERTER_OPS, op)) {
    const detail = op == null ? `is required: one of ${OPS.join(', ')}` : oneOf(OPS, op);
    return [problem(['op'], op == null ? 'required' : 'invalid_value', detail)];
  }
  const place = typeof path === 'string' ? placeOf(path) : null;
  if (place === null) {
    return [problem(['path'], path == null ? 'required' : 'path_malformed', PATH_RULE)];
  }
  const isTo = op === 'RENAME' || op === 'MOVE';
  return [
    ...(op === 'UNWRAP' ? [] : endProblems(place, 'path')),
    ...(isTo ? targetProblems(op, place, to) : surplus('to', to, op)),
    ...(op === 'SET' ? valueProblems(value) : surplus('value', value, op)),
  ];
}

/** A null is what a member that was left out may be. */
const surplus = (name: string, value: unknown, op: string): ConverterProblem[] =>
  value == null ? [] : [problem([name], 'not_used', `must be left out: ${op} has no ${name}`)];

const endProblems = (place: Place, name: string): ConverterProblem[] =>
  place.at(-1) === EACH ? [problem([name], 'path_malformed', 'must end with the name of a field')] : [];

function targetProblems(op: 'RENAME' | 'MOVE', place: Place, to: unknown): ConverterProblem[] {
  if (op === 'RENAME') {
    const names = typeof to === 'string' ? namesOf(to) : null;
    const detail = 'must be one name, without a path: MOVE takes a value elsewhere; put an odd name in double quotes';
    return names?.length === 1 ? [] : [problem(['to'], to == null ? 'required' : 'name_malformed', detail)];
  }
  const target = typeof to === 'string' ? placeOf(to) : null;
  if (target === null) {
    return [problem(['to'], to == null ? 'required' : 'path_malformed', PATH_RULE)];
  }
  const lists = listsOf(place);
  if (!beginsWith(target, lists) || target.slice(lists.length).includes(EACH)) {
    const detail = 'must lead into the same elements as path, and into no list besides: lines[].a moves to lines[].b';
    return [problem(['to'], 'other_list', detail)];
  }
  return endProblems(target, 'to');
}

function valueProblems(value: unknown): ConverterProblem[] {
  if (value === undefined) {
    return [problem(['value'], 'required', 'is required: SET sets it')];
  }
  if (isDeeperThan(value as object, VALUE_DEPTH_MAX)) {
    return [problem(['value'], 'too_deep', `must not be nested deeper than ${VALUE_DEPTH_MAX} levels`)];
  }
  if (hasInfinity(value)) {
    return [problem(['value'], 'number_too_large', 'must have numbers that a double-precision number can hold')];
  }
  return JSON.stringify(value).length > VALUE_CHARS_MAX
    ? [problem(['value'], 'too_big', `must have at most ${VALUE_CHARS_MAX} characters as JSON`)]
    : [];
}

/** `1e999`, which JSON has and JavaScript reads as infinite. @param value not nested deeply */
const hasInfinity = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(hasInfinity)
    : value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
