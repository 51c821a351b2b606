const EVERY_MS = 10_000;

/** Keeps the log readable while the same trouble lasts: each message is logged once in ten seconds. */
export class LogThrottle {
  readonly #loggedAt = new Map<string, number>();

  /** @param what one of few names @returns whether it may be logged; then it counts as logged */
  take(what: string): boolean {
    const now = performance.now();
    const isDue = now - (this.#loggedAt.get(what) ?? Number.NEGATIVE_INFINITY) > EVERY_MS;
    if (isDue) {
      this.#loggedAt.set(what, now);
    }
    return isDue;
  }
}
