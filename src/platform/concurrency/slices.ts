import { setImmediate } from 'node:timers/promises';

/** Others of the process wait no longer for one piece of long work. */
const SLICE_MS = 10;

/** Long work of small pieces, between which the process does other things, and the time that the work may take. */
export class Slices {
  #beganAt = performance.now();
  readonly #endsAt: number;

  constructor(ms: number) {
    this.#endsAt = this.#beganAt + ms;
  }

  get leftMs(): number {
    return Math.max(0, this.#endsAt - performance.now());
  }

  /** Before each piece: lets others go first once the slice is over. */
  async next(): Promise<void> {
    if (performance.now() - this.#beganAt >= SLICE_MS) {
      await setImmediate();
      this.#beganAt = performance.now();
    }
  }
}
