import { createHash } from 'node:crypto';
import type { Converter, ConverterStep } from './converter.js';
import { EACH, listsOf, type Place, placeOf } from './converter-place.js';
import { isObject, parseExact } from './exact-json.js';
import { namesOf } from './filter-path.js';
import { TooLarge } from './work.js';

type Json = Record<string, unknown>;
/** A list or an object, and what it has at an index or a name. */
type Visit = (holder: Json, key: string) => void;
/** A prepared step. @param root has the payload, as its only member */
type Prepared = (root: Json, growth: Growth) => void;

const BYTES_PER_STEP = 1_000;
const BYTES_PER_CHAR = 4;
/** Around a member: quotes, colon, comma; and the braces of one that is an object. */
const CHARS_AROUND_NAME = 4;
const CHARS_AROUND_OBJECT = CHARS_AROUND_NAME + 2;
const ROOT = 'payload';

/** Counts by how many characters a payload may still grow. */
class Growth {
  constructor(private charsLeft: number) {}

  /** @param chars below 0: it has become shorter @throws TooLarge */
  add(chars: number): void {
    this.charsLeft -= chars;
    if (this.charsLeft < 0) {
      throw new TooLarge();
    }
  }
}

/**
 * Converters one after the other, whose paths were read once. They never change, so neither does what they make of a
 * payload (docs/decisions/0094). It takes a time that grows with the payload: each step looks at an element once.
 */
export class Conversion {
  /** Conversions with the same steps have the same. */
  readonly digest: string;
  /** About as much memory as it takes. */
  readonly bytes: number;
  readonly #steps: readonly Prepared[];

  /** @param converters from that of the payload's version down */
  constructor(converters: readonly Converter[]) {
    const steps = converters.flat();
    const written = JSON.stringify(steps);
    this.digest = createHash('sha256').update(written).digest('base64');
    this.bytes = written.length * BYTES_PER_CHAR + steps.length * BYTES_PER_STEP;
    this.#steps = steps.map(prepared);
  }

  /**
   * @param body JSON
   * @param growthMax the most characters that the payload may grow by, such as by longer names
   * @throws TooLarge
   */
  of(body: string, growthMax: number): string {
    if (this.#steps.length === 0) {
      return body;
    }
    const root: Json = { [ROOT]: parseExact(body) };
    const growth = new Growth(growthMax);
    for (const step of this.#steps) {
      step(root, growth);
    }
    return JSON.stringify(root[ROOT]);
  }
}

function prepared(step: ConverterStep): Prepared {
  const place: Place = [ROOT, ...placeOf(step.path)!];
  const above = place.slice(0, -1);
  const last = place.at(-1)!;
  switch (step.op) {
    case 'RENAME':
      return moving(place, [...above, namesOf(step.to)![0]!]);
    case 'MOVE':
      return moving(place, [ROOT, ...placeOf(step.to)!]);
    case 'REMOVE':
      return (root) => visit(root, above, (holder, key) => removeFrom(holder[key], last as string));
    case 'SET':
      return setting(above, last as string, step.value);
    case 'UNWRAP':
      return (root) => visit(root, above, (holder, key) => unwrap(holder, key, last, above.length === 1));
  }
}

function removeFrom(value: unknown, name: string): void {
  if (isObject(value)) {
    delete value[name];
  }
}

/** An object is made for each place: a later step may change it. */
function setting(above: Place, name: string, value: unknown): Prepared {
  const text = JSON.stringify(value);
  const chars = name.length + text.length + CHARS_AROUND_NAME;
  const made = typeof value === 'object' && value !== null ? () => JSON.parse(text) as unknown : () => value;
  return (root, growth) =>
    visit(root, above, (holder, key) => {
      const object = holder[key];
      if (isObject(object)) {
        growth.add(chars);
        put(object, name, made());
      }
    });
}

/** Nothing happens where no value is wrapped, or a payload would no longer be an object. */
function unwrap(holder: Json, key: string, last: Place[number], isPayload: boolean): void {
  const wrapping = holder[key];
  const isThere =
    last === EACH
      ? Array.isArray(wrapping) && wrapping.length > 0
      : isObject(wrapping) && Object.hasOwn(wrapping, last);
  const inner = isThere ? (wrapping as Json)[last ?? 0] : undefined;
  if (isThere && (!isPayload || isObject(inner))) {
    put(holder, key, inner);
  }
}

/** Within each element of the lists that a value is in, or within the payload. */
function moving(from: Place, to: Place): Prepared {
  const lists = listsOf(from);
  const [source, target] = [from, to].map((place) => place.slice(lists.length) as string[]) as [string[], string[]];
  const last = target.at(-1)!;
  const move = (within: unknown, growth: Growth) => {
    const holder = objectAt(within, source.slice(0, -1));
    const name = source.at(-1)!;
    if (holder !== null && Object.hasOwn(holder, name)) {
      const value = holder[name];
      delete holder[name];
      const place = madeAt(within as Json, target.slice(0, -1), growth);
      growth.add(place === null ? 0 : last.length - name.length);
      put(place ?? holder, place === null ? name : last, value);
    }
  };
  return lists.length === 0
    ? (root, growth) => move(root, growth)
    : (root, growth) => visit(root, lists, (holder, key) => move(holder[key], growth));
}

/** The object that names lead to; null: there is none. */
function objectAt(value: unknown, names: readonly string[]): Json | null {
  let object = value;
  for (const name of names) {
    if (!isObject(object) || !Object.hasOwn(object, name)) {
      return null;
    }
    object = object[name];
  }
  return isObject(object) ? object : null;
}

/** The same, with objects that are made where they lack; null: there is a value of another kind on the way. */
function madeAt(within: Json, names: readonly string[], growth: Growth): Json | null {
  let object = within;
  let missing = names.length;
  for (const [at, name] of names.entries()) {
    if (!Object.hasOwn(object, name)) {
      missing = at;
      break;
    }
    const next = object[name];
    if (!isObject(next)) {
      return null;
    }
    object = next;
  }
  for (const name of names.slice(missing)) {
    const made: Json = {};
    growth.add(name.length + CHARS_AROUND_OBJECT);
    put(object, name, made);
    object = made;
  }
  return object;
}

/** Calls a function with each place in a payload that a path leads to. */
function visit(holder: Json, place: Place, call: Visit, at = 0): void {
  const name = place[at];
  if (name === EACH) {
    if (Array.isArray(holder)) {
      for (let index = 0; index < holder.length; index++) {
        go(holder as unknown as Json, index as unknown as string);
      }
    }
  } else if (isObject(holder) && Object.hasOwn(holder, name!)) {
    go(holder, name!);
  }

  function go(inside: Json, key: string): void {
    if (at === place.length - 1) {
      call(inside, key);
    } else {
      visit(inside[key] as Json, place, call, at + 1);
    }
  }
}

/** `__proto__` is a name as any other: an assignment would give the object another prototype. */
function put(object: Json, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[name] = value;
  }
}
