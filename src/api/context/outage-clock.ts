/** An outage whose errors are further apart has ended, and the next error begins another one. */
const QUIET_MS = 10_000;
const LONG_MS = 10_000;
const RETRY_AFTER_SECONDS = 1;
const RETRY_AFTER_LONG_SECONDS = 5;

/** Knows for how long the database has been away: many outages last a second, and producers come back soon then. */
export class OutageClock {
  #beganAt = Number.NEGATIVE_INFINITY;
  #lastAt = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds, never going back */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** To be called for each error. @returns when the caller may try again */
  retryAfterSeconds(): number {
    const now = this.now();
    if (now - this.#lastAt > QUIET_MS) {
      this.#beganAt = now;
    }
    this.#lastAt = now;
    return now - this.#beganAt < LONG_MS ? RETRY_AFTER_SECONDS : RETRY_AFTER_LONG_SECONDS;
  }
}
