/** Somebody who waits for a place, and holds a slot meanwhile. */
interface Waiter {
  enter(): void;
  giveUp(): void;
  /** When it gives up. */
  untilMs: number;
}

/** The deliveries that wait at one endpoint: those that go first, and those that came behind each other. */
export class WaitingRoom {
  readonly #first: Waiter[] = [];
  readonly #line: Waiter[] = [];
  #timer: NodeJS.Timeout | undefined;
  #wakesAtMs = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.#first.length + this.#line.length;
  }

  /** How many of those that go first wait. */
  get firstSize(): number {
    return this.#first.length;
  }

  add(waiter: Waiter, goesFirst: boolean): void {
    (goesFirst ? this.#first : this.#line).push(waiter);
  }

  /** Lets the next one in. */
  enterNext(): void {
    (this.#first.shift() ?? this.#line.shift())?.enter();
  }

  /** When somebody gives up next; undefined: nobody waits. */
  get nextGivesUpAtMs(): number | undefined {
    const times = [this.#first, this.#line].flatMap(([first]) => first?.untilMs ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Looks again then, unless it does so sooner. */
  wakeAt(atMs: number, now: number, look: () => void): void {
    if (atMs >= this.#wakesAtMs) {
      return;
    }
    clearTimeout(this.#timer);
    this.#wakesAtMs = atMs;
    this.#timer = setTimeout(
      () => {
        this.#wakesAtMs = Number.POSITIVE_INFINITY;
        look();
      },
      Math.max(1, atMs - now),
    );
  }

  /** Sends those away whose time is over then. */
  giveUp(untilMs: number): void {
    for (const line of [this.#first, this.#line]) {
      while (line.length > 0 && line[0]!.untilMs <= untilMs) {
        line.shift()!.giveUp();
      }
    }
  }
}
