import { isObject, writtenNumber } from './exact-json.js';
import { type EventPath, type Placeholder, partsOf } from './placeholders.js';
import type { Work } from './work.js';

/** An event, as placeholders see it. */
export interface EventValues {
  id: number;
  type: string;
  time: string;
  payload: unknown;
  /** The state before the change, and the paths that have changed; null: it is not known. */
  previous(): unknown;
  changed(): readonly string[] | null;
}

const ABOUT_EVENT: Readonly<Record<EventPath, (event: EventValues) => unknown>> = {
  '@type': ({ type }) => type,
  '@id': ({ id }) => String(id),
  '@time': ({ time }) => time,
  '@payload': ({ payload }) => payload,
  '@previous': (event) => event.previous(),
  '@changed': (event) => event.changed(),
};

/** A place in payloads. */
interface Place {
  /** The number of its value; null: no placeholder stands for it. */
  number: number | null;
  /** Places below it, by name. In a list a number is the place of one element, and another name is in all of them. */
  indexes: Places;
  names: Places;
}

type Places = Map<string, Place>;
/** Stays empty. */
const NO_PLACES: Places = new Map();

/** A text with the numbers of values in it. */
export type PlannedText = readonly (string | number)[];

/** The values that the placeholders of a content stand for. Each is read once, and each list once for all of them. */
export class ValuePlan {
  #count = 0;
  /** How many places it knows. */
  places = 0;
  readonly #ofEvent = new Map<EventPath, number>();
  readonly #ofPayload: Place = { number: null, indexes: NO_PLACES, names: NO_PLACES };
  readonly #ofPrevious: Place = { number: null, indexes: NO_PLACES, names: NO_PLACES };

  /** Plans the placeholders of a text that was judged when it was saved. */
  text(text: string): PlannedText {
    return partsOf(text).map((part) => (typeof part === 'string' ? part : this.#numberOf(part)));
  }

  #numberOf({ of, isPrevious }: Placeholder): number {
    if (typeof of === 'string') {
      const number = this.#ofEvent.get(of) ?? this.#count++;
      this.#ofEvent.set(of, number);
      return number;
    }
    const root = isPrevious ? this.#ofPrevious : this.#ofPayload;
    const place = of.reduce((above, name) => this.#placeBelow(above, name), root);
    place.number ??= this.#count++;
    return place.number;
  }

  /** The place with this name below another one. */
  #placeBelow(above: Place, name: string): Place {
    const kind = /^\d+$/.test(name) ? 'indexes' : 'names';
    const known = above[kind].get(name);
    if (known !== undefined) {
      return known;
    }
    const place: Place = { number: null, indexes: NO_PLACES, names: NO_PLACES };
    this.places += 1;
    // Most places have none below them, and an empty map takes more room than all else.
    above[kind] = above[kind] === NO_PLACES ? new Map([[name, place]]) : above[kind].set(name, place);
    return place;
  }

  /** @throws TooLarge */
  read(event: EventValues, work: Work): Values {
    const reading = new Reading(work);
    for (const [path, number] of this.#ofEvent) {
      reading.values[number] = ABOUT_EVENT[path](event);
    }
    reading.readAt(event.payload, this.#ofPayload, null);
    if (this.#ofPrevious.indexes.size + this.#ofPrevious.names.size > 0) {
      reading.readAt(event.previous(), this.#ofPrevious, null);
    }
    return new Values(reading.values, work);
  }
}

/** In each object of a list, more names than these are not looked up: the object's own are, which may be fewer. */
const LOOKED_UP_MAX = 2;

/** The values in all elements of a list, and of the lists in it, by their numbers. */
type Found = Map<number, unknown[]>;

class Reading {
  /** By their numbers. Missing ones are undefined. */
  readonly values: unknown[] = [];

  constructor(private readonly work: Work) {}

  /** @param found null: the value is in no list */
  readAt(value: unknown, { number, indexes, names }: Place, found: Found | null): void {
    if (number !== null) {
      this.#add(number, value, found);
    }
    this.#readBelow(value, indexes, names, found);
  }

  #add(number: number, value: unknown, found: Found | null): void {
    if (found === null) {
      this.values[number] = value;
      return;
    }
    const all = found.get(number) ?? [];
    found.set(number, all);
    if (Array.isArray(value)) {
      this.work.take(value.length);
      for (const element of value) {
        all.push(element);
      }
    } else {
      all.push(value);
    }
  }

  #readBelow(value: unknown, indexes: Places, names: Places, found: Found | null): void {
    if (Array.isArray(value)) {
      for (const [index, place] of indexes) {
        if (Number(index) < value.length) {
          this.readAt(value[Number(index)], place, found);
        }
      }
      if (names.size > 0) {
        this.#readElements(value, names, found);
      }
    } else if (isObject(value)) {
      this.#readMembers(value, indexes, found);
      this.#readMembers(value, names, found);
    }
  }

  #readElements(list: readonly unknown[], names: Places, foundBefore: Found | null): void {
    this.work.take(list.length);
    const found: Found = foundBefore ?? new Map();
    for (const element of list) {
      this.#readBelow(element, NO_PLACES, names, found);
    }
    if (foundBefore === null) {
      for (const [number, all] of found) {
        this.values[number] = all;
      }
    }
  }

  #readMembers(value: Record<string, unknown>, places: Places, found: Found | null): void {
    if (found !== null && places.size > LOOKED_UP_MAX) {
      for (const name of Object.keys(value)) {
        const place = places.get(name);
        if (place !== undefined) {
          this.readAt(value[name], place, found);
        }
      }
      return;
    }
    for (const [name, place] of places) {
      if (Object.hasOwn(value, name)) {
        this.readAt(value[name], place, found);
      }
    }
  }
}

/** The values of an event, by the numbers of their plan. Each is written once. */
class Values {
  readonly #json: string[] = [];
  readonly #texts: string[] = [];

  constructor(
    private readonly values: readonly unknown[],
    private readonly work: Work,
  ) {}

  /** The JSON of a value; null when it is missing. */
  json(number: number): string {
    this.#json[number] ??= JSON.stringify(this.values[number] ?? null);
    return this.#json[number];
  }

  /** A value as text; empty when it is missing or null. @throws TooLarge */
  text(number: number): string {
    this.#texts[number] ??= this.beginOfText(number, Number.POSITIVE_INFINITY);
    return this.#texts[number];
  }

  /** The same text, as `textOf` shortens it. @throws TooLarge */
  beginOfText(number: number, charsMax: number): string {
    const value = this.values[number];
    this.work.take(Array.isArray(value) ? value.length : 0);
    return textOf(value, charsMax);
  }
}

/**
 * A list of simple values has commas; anything else that is not a simple value is JSON.
 *
 * @param charsMax a longer text has this many characters and then some more, or others
 */
export function textOf(value: unknown, charsMax = Number.POSITIVE_INFINITY): string {
  if (value === undefined || value === null || value === Infinity || value === -Infinity) {
    return ''; // JSON has null for numbers that are too large for JavaScript
  }
  if (typeof value === 'string') {
    return value.slice(0, charsMax + 1);
  }
  if (!Array.isArray(value)) {
    return isObject(value) ? beginOfJson(value, charsMax) : (writtenNumber(value) ?? JSON.stringify(value));
  }
  if (value.some((element) => Array.isArray(element) || isObject(element))) {
    return beginOfJson(value, charsMax);
  }
  let text = '';
  for (let index = 0; index < value.length && text.length <= charsMax; index++) {
    text += `${index === 0 ? '' : ', '}${textOf(value[index], charsMax)}`;
  }
  return text;
}

/** The JSON of a value. A longer one than `charsMax` may differ behind these characters. */
function beginOfJson(value: unknown, charsMax: number): string {
  const isList = Array.isArray(value);
  if (charsMax === Number.POSITIVE_INFINITY || !(isList || isObject(value))) {
    return JSON.stringify(typeof value === 'string' ? value.slice(0, charsMax + 1) : value);
  }
  let text = '';
  for (const [name, part] of isList ? value.entries() : Object.entries(value)) {
    text += text === '' ? '' : ',';
    text += isList ? '' : `${beginOfJson(name, charsMax)}:`;
    text += beginOfJson(part, Math.max(0, charsMax - text.length));
    if (text.length > charsMax) {
      break;
    }
  }
  return isList ? `[${text}]` : `{${text}}`;
}
