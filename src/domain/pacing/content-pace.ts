/** The part of a thread's time that the contents of one tenant may take, and how far ahead of it they may be. */
const SHARE = 1 / 5;
const WITHIN_MS = 100;
/** After a long pause of the process nobody waits for longer than this makes them. */
const DEBT_MS_MAX = 100;
/** A content counts with this until the tenant's first one. */
const UNKNOWN_MS = 1 / 4;
/** The weight of the newest one in the mean. */
const NEWEST_WEIGHT = 1 / 8;

/** A content that is about to be made. */
export interface Making {
  readonly pace: ContentPace;
  /**
   * It was made, or will not be. Only the first call counts.
   *
   * @param tookMs undefined: nothing was made
   */
  end(now: number, tookMs?: number): void;
}

/**
 * How long the contents of one tenant have kept this thread from all other work. Who has used more than 20 ms of the
 * last 100 waits (docs/slots.md, "The loop's time"). That only delays: what a content may take at all is counted in
 * work. Times are monotonic.
 */
export class ContentPace {
  #leftMs = SHARE * WITHIN_MS;
  #atMs = 0;
  /** How long one has taken. */
  #meanMs = UNKNOWN_MS;
  #beingMade = 0;

  /** Whether more was used than the tenant's part. */
  isOver(now: number): boolean {
    return this.#leftAt(now) < 0;
  }

  /** Whether another one waits for time. */
  isClosed(now: number): boolean {
    return this.#spareAt(now) < 0;
  }

  /** When another one may be made after those that have begun, if each takes as long as the last ones. */
  opensAtMs(now: number): number {
    return now + Math.max(0, -this.#spareAt(now)) / SHARE;
  }

  /** How many more could be begun by then. */
  countUntil(untilMs: number): number {
    const spareMs = this.#spareAt(untilMs);
    return spareMs < 0 ? 0 : 1 + Math.floor(spareMs / this.#meanMs);
  }

  /** From one content's turn to the next one's, while others wait. */
  get everyMs(): number {
    return this.#meanMs / SHARE;
  }

  begin(): Making {
    let isOpen = true;
    this.#beingMade += 1;
    return {
      pace: this,
      end: (now, tookMs) => {
        if (isOpen) {
          isOpen = false;
          this.#beingMade -= 1;
          this.#used(now, tookMs);
        }
      },
    };
  }

  #used(now: number, tookMs: number | undefined): void {
    if (tookMs !== undefined) {
      this.#leftMs = Math.max(-DEBT_MS_MAX, this.#leftAt(now) - tookMs);
      this.#atMs = now;
      this.#meanMs += (tookMs - this.#meanMs) * NEWEST_WEIGHT;
    }
  }

  #leftAt(now: number): number {
    return Math.min(SHARE * WITHIN_MS, this.#leftMs + (now - this.#atMs) * SHARE);
  }

  #spareAt(now: number): number {
    return this.#leftAt(now) - this.#beingMade * this.#meanMs;
  }
}
