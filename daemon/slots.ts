/** A fixed number of places; whoever finds none free waits for one, in the order of coming. */
export class Slots {
  readonly #waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Runs `work` in a place of its own. @throws what `work` throws */
  async hold<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) {
      this.free -= 1;
    } else {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) {
        this.free += 1;
      } else {
        next();
      }
    }
  }
}
