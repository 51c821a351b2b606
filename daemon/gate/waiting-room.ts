/** A delivery that waits for a permit, and occupies a slot meanwhile. */
interface Waiter {
  enter(): void;
  giveUp(): void;
  /** When it gives up. */
  untilMs: number;
}

/** The lines in which deliveries wait, in their order: tests, those that were called back, and newcomers. */
export type Line = 'TEST' | 'CALLED' | 'NEW';

/** The deliveries that wait at one endpoint, in three lines. */
export class WaitingRoom {
  readonly #lines: Record<Line, Waiter[]> = { TEST: [], CALLED: [], NEW: [] };
  #timer: NodeJS.Timeout | undefined;
  #wakesAtMs = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.sizeUpTo('NEW');
  }

  /** How many wait in this line, and in the lines before it. */
  sizeUpTo(line: Line): number {
    const { TEST, CALLED, NEW } = this.#lines;
    const called = line === 'TEST' ? 0 : CALLED.length;
    return TEST.length + called + (line === 'NEW' ? NEW.length : 0);
  }

  add(waiter: Waiter, line: Line): void {
    this.#lines[line].push(waiter);
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
