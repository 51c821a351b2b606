import { linearPattern } from './linear-pattern.js';
import { PatternError } from './pattern-program.js';

/** Of all patterns of a schema, with their repetitions written out: every process keeps the programs. */
const STEPS_MAX = 20_000;
/** What a pattern that cannot be used counts for: finding that out takes long too. */
const STEPS_OF_A_FAULT = 1_000;

/** What the patterns of one schema may be. */
export class PatternAllowance {
  #left = STEPS_MAX;

  /**
   * @returns a sentence that goes on after "The pattern …"; null for a good one, and for all after the last that fits
   */
  whyNot(pattern: string): string | null {
    if (this.#left < 0) {
      return null;
    }
    try {
      this.#left -= linearPattern(pattern).length;
    } catch (error) {
      if (error instanceof PatternError) {
        this.#left -= STEPS_OF_A_FAULT;
        return error.message;
      }
      throw error;
    }
    return this.#left >= 0
      ? null
      : `brings the patterns of the schema to more than ${STEPS_MAX.toLocaleString('en')} steps, with their repetitions written out`;
  }
}
