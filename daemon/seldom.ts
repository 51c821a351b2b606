const EVERY_MS = 10_000;

/** For what would be logged again and again while the same trouble lasts. */
export class Seldom {
  readonly #toldAt = new Map<string, number>();

  /** @param what one of few names @returns whether it has not been told in the last ten seconds; now it counts as told */
  mayTell(what: string): boolean {
    const now = performance.now();
    const isDue = now - (this.#toldAt.get(what) ?? Number.NEGATIVE_INFINITY) > EVERY_MS;
    if (isDue) {
      this.#toldAt.set(what, now);
    }
    return isDue;
  }
}
