import { cut } from './cut.js';
import { isObject, writtenNumber } from './exact-json.js';
import { namesOf, PATH_CHARS_MAX, PATH_NAMES_MAX, TYPE_PATH } from './filter-path.js';

/**
 * Texts with placeholders (docs/content.md, "Placeholders"): `{{path}}` stands for a value of the event, `\{{` for two
 * braces.
 */

/** An event, as placeholders see it. */
export interface EventValues {
  id: number;
  type: string;
  time: string;
  payload: unknown;
}

const ABOUT_EVENT: Readonly<Record<string, (event: EventValues) => unknown>> = {
  [TYPE_PATH]: ({ type }) => type,
  '@id': ({ id }) => String(id),
  '@time': ({ time }) => time,
  '@payload': ({ payload }) => payload,
};

export const PATH_RULE = `names with dots between them, such as total.amount (at most ${PATH_NAMES_MAX} names and ${PATH_CHARS_MAX} characters; names with other characters than letters, digits, "_" and "-" stand in quotes), or one of ${Object.keys(ABOUT_EVENT).join(', ')}`;

export interface Placeholder {
  path: string;
  /** @param count is called with the number of elements that are looked at */
  read(event: EventValues, count: (elements: number) => void): unknown;
}

const OPEN = '{{';
const ESCAPED = `\\${OPEN}`;
/** Escaped braces, a placeholder, perhaps after a brace, or braces that begin none: the search ends there. */
const PLACEHOLDER = /\\\{\{|\{\{(?!\{[^{])(?:((?:"(?:[^"\\]|\\.)*"|[^{}"])*)\}\})?/g;

/** @returns texts and placeholders in turn; or what begins like a placeholder and is none */
export function parseText(text: string): { parts: (string | Placeholder)[] } | { malformed: string } {
  const parts: (string | Placeholder)[] = [];
  let end = 0;
  for (const { 0: written, 1: path, index } of text.matchAll(PLACEHOLDER)) {
    const placeholder = written === ESCAPED ? OPEN : path === undefined ? null : placeholderOf(path.trim());
    if (placeholder === null) {
      return { malformed: cut(path === undefined ? text.slice(index) : written, PATH_CHARS_MAX) };
    }
    parts.push(text.slice(end, index), placeholder);
    end = index + written.length;
  }
  parts.push(text.slice(end));
  return { parts: parts.filter((part) => part !== '') };
}

function placeholderOf(path: string): Placeholder | null {
  if (Object.hasOwn(ABOUT_EVENT, path)) {
    return { path, read: ABOUT_EVENT[path]! };
  }
  const names = namesOf(path);
  return names === null ? null : { path, read: ({ payload }, count) => valueAt(payload, names, count) };
}

/** The parts of a text that was judged when it was saved. */
export function partsOf(text: string): readonly (string | Placeholder)[] {
  const parsed = parseText(text);
  return 'parts' in parsed ? parsed.parts : [text];
}

/** Too much would be sent of an event, or read for it. */
export class TooLarge extends Error {}

/** Looking at more takes tens of milliseconds, for which all other deliveries wait. */
const ELEMENTS_MAX = 500_000;

/** The values of an event's placeholders, each read once. */
export class Values {
  readonly #known = new Map<string, { value: unknown; text: string }>();
  #elements = 0;

  constructor(private readonly event: EventValues) {}

  /**
   * @returns the value, undefined when it is missing; and as text, empty when it is missing or null
   * @throws TooLarge when lists have too many elements for all of the placeholders
   */
  of({ path, read }: Placeholder): { value: unknown; text: string } {
    const known = this.#known.get(path);
    if (known !== undefined) {
      return known;
    }
    const value = read(this.event, (elements) => {
      this.#elements += elements;
      if (this.#elements > ELEMENTS_MAX) {
        throw new TooLarge();
      }
    });
    const found = { value, text: textOf(value) };
    this.#known.set(path, found);
    return found;
  }
}

/** A number counts the elements of a list from 0. Any other name of a list stands for that of all its elements. */
function valueAt(value: unknown, names: readonly string[], count: (elements: number) => void): unknown {
  const [name, ...others] = names;
  if (name === undefined) {
    return value;
  }
  if (Array.isArray(value)) {
    if (/^\d+$/.test(name)) {
      return valueAt(value[Number(name)], others, count);
    }
    count(value.length);
    const found = value.map((element) => valueAt(element, names, count)).filter((one) => one !== undefined);
    return found.length === 0 ? undefined : found.flat();
  }
  return isObject(value) && Object.hasOwn(value, name) ? valueAt(value[name], others, count) : undefined;
}

/** A list of simple values has commas; anything else that is no simple value is JSON. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) {
    return '';
  }
  if (typeof value === 'string') {
    return value;
  }
  const isFlat = Array.isArray(value) && !value.some((element) => Array.isArray(element) || isObject(element));
  return isFlat ? value.map(textOf).join(', ') : (writtenNumber(value) ?? JSON.stringify(value));
}
