import { parseExact } from './exact-json.js';

/** The payload of an event. It is parsed when something asks for it, and once for all that do. Nobody changes it. */
export class Payload {
  #rounded: unknown;
  #exact: unknown;

  /** @param body JSON */
  constructor(readonly body: string) {}

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
}
