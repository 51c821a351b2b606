/** Chance that is the same at every run: mulberry32. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to below 1. */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  /** A whole number, both ends included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<One>(list: readonly One[]): One {
    return list[this.whole(0, list.length - 1)]!;
  }

  /** Around `usual`, seldom far above it, as durations are. */
  around(usual: number): number {
    return Math.max(1, Math.round(usual * (0.7 + 0.5 * this.next() + 1.5 * this.next() ** 12)));
  }

  /** How many of what happens `mean` times on average: Poisson's, by Knuth. */
  count(mean: number): number {
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = this.next(); product > limit; product *= this.next()) {
      count += 1;
    }
    return count;
  }

  hex(characters: number): string {
    return Array.from({ length: characters }, () => this.whole(0, 15).toString(16)).join('');
  }
}
