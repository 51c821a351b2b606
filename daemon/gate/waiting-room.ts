/** A delivery that waits for a permit, and occupies a slot meanwhile. */
interface Waiter {
  enter(): void;
  giveUp(): void;
  /** When it gives up. */
  untilMs: number;
}

/** The order in which deliveries enter: tests, those that were called back, and those that have just come. */
export type Entrant = 'TEST' | 'CALLED' | 'NEW';

/** The deliveries that wait at one endpoint, in a line for each kind of entrant. */
export class WaitingRoom {
  readonly #lines: Record<Entrant, Waiter[]> = { TEST: [], CALLED: [], NEW: [] };
  #timer: NodeJS.Timeout | undefined;
  #wakesAtMs = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.sizeUpTo('NEW');
  }

  /** How many of this kind wait, and of those that go before it. */
  sizeUpTo(entrant: Entrant): number {
    const { TEST, CALLED, NEW } = this.#lines;
    const called = entrant === 'TEST' ? 0 : CALLED.length;
    return TEST.length + called + (entrant === 'NEW' ? NEW.length : 0);
  }

  add(waiter: Waiter, entrant: Entrant): void {
    this.#lines[entrant].push(waiter);
  }

  enterNext(): void {
    const { TEST, CALLED, NEW } = this.#lines;
    (TEST.shift() ?? CALLED.shift() ?? NEW.shift())?.enter();
  }

  /** When the next waiter gives up; undefined: nobody waits. */
  get nextGivesUpAtMs(): number | undefined {
    const times = Object.values(this.#lines).flatMap(([first]) => first?.untilMs ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Calls `wake` then, unless it was to be called sooner. */
  wakeAt(atMs: number, now: number, wake: () => void): void {
    if (atMs >= this.#wakesAtMs) {
      return;
    }
    clearTimeout(this.#timer);
    this.#wakesAtMs = atMs;
    const wakeNow = () => {
      this.#wakesAtMs = Number.POSITIVE_INFINITY;
      wake();
    };
    this.#timer = setTimeout(wakeNow, Math.max(1, atMs - now));
  }

  /** Sends away those whose time is over then. */
  giveUp(untilMs: number): void {
    for (const line of Object.values(this.#lines)) {
      while (line.length > 0 && line[0]!.untilMs <= untilMs) {
        line.shift()!.giveUp();
      }
    }
  }
}
