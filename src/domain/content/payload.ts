import { changesBetween, type ShownChanges, shownChanges } from './changes.js';
import type { Conversion } from './conversion.js';
import { parseExact } from './exact-json.js';

const BYTES_PER_CHAR = 2;
/** A value that is parsed takes at most so many, such as an empty object. */
const BYTES_PER_VALUE = 64;

/** The payload of an event. It is parsed when something asks for it, and once for all that do. Nobody changes it. */
export class Payload {
  #rounded: unknown;
  #exact: unknown;
  #changes: ShownChanges | undefined;
  #converted: Map<string, Payload> | undefined;
  /** The state before the change that the event reports; null: it is not known. */
  readonly former: Payload | null;

  /** @param body JSON, as `previous` is: the state before */
  constructor(
    readonly body: string,
    previous: string | null = null,
  ) {
    this.former = previous === null ? null : new Payload(previous);
  }

  /** Null without a former state. */
  get changes(): ShownChanges | null {
    if (this.former !== null) {
      this.#changes ??= shownChanges(changesBetween(this.former.exact, this.exact));
    }
    return this.#changes ?? null;
  }

  /** With numbers as JavaScript reads them. */
  get rounded(): unknown {
    this.#rounded ??= JSON.parse(this.body);
    return this.#rounded;
  }

  /** With numbers as they were written. */
  get exact(): unknown {
    this.#exact ??= parseExact(this.body, () => this.rounded);
    return this.#exact;
  }

  /**
   * The payload, and the state before, in an older version. It is made once for all that ask for it.
   *
   * @throws TooLarge when it grows by more than so many characters
   */
  in(conversion: Conversion, growthMax: number): Payload {
    const of = (body: string) => conversion.of(body, growthMax);
    const made =
      this.#converted?.get(conversion.digest) ?? new Payload(of(this.body), this.former && of(this.former.body));
    this.#converted ??= new Map();
    this.#converted.set(conversion.digest, made);
    return made;
  }

  /** About as much memory as it takes, parsed. Those in older versions count as they are when it is asked. */
  get bytes(): number {
    let commas = 0;
    for (let at = this.body.indexOf(','); at !== -1; at = this.body.indexOf(',', at + 1)) {
      commas += 1;
    }
    const converted = [...(this.#converted?.values() ?? [])].reduce((sum, { bytes }) => sum + bytes, 0);
    return this.body.length * BYTES_PER_CHAR + commas * BYTES_PER_VALUE + converted + (this.former?.bytes ?? 0);
  }
}
