/** More would be sent of an event than a payload may have, or looked at for it than a content may. */
export class TooLarge extends Error {}

const STEPS_MAX = 20_000;
/** Each element of a list has two characters at least, so this is what one look at the whole payload takes. */
const STEPS_PER_CHAR = 1 / 2;

/**
 * Counts what is looked at to make a content of an event (docs/content.md, "Limits"): a payload may be looked at once,
 * as parsing does, and then there are 20,000 steps. It counts work and not time, so an event and a content have the
 * same end everywhere and for ever (docs/decisions/0062).
 */
export class Work {
  #stepsLeft: number;

  constructor(payloadChars: number) {
    this.#stepsLeft = STEPS_MAX + payloadChars * STEPS_PER_CHAR;
  }

  /**
   * @param steps elements of a list, fields of a shape's result, or characters that a chat's signs are looked for in
   * @throws TooLarge
   */
  take(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) {
      throw new TooLarge();
    }
  }
}
