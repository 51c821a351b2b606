/**
 * A fixed number of places. Whoever finds none free waits for one: those of the lowest priority number come first (as
 * graphile-worker has it), and among them who came first.
 */
export class Slots {
  readonly #all: number;
  readonly #waiting = new Map<number, (() => void)[]>();

  constructor(private free: number) {
    this.#all = free;
  }

  get inUse(): number {
    return this.#all - this.free;
  }

  get waitingCount(): number {
    return [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Runs `work` in a place of its own. @throws what `work` throws */
  async hold<Result>(priority: number, work: () => Promise<Result>): Promise<Result> {
    await this.take(priority);
    try {
      return await work();
    } finally {
      this.give();
    }
  }

  /** Waits for a place, which must be given back. */
  async take(priority: number): Promise<void> {
    if (this.free > 0) {
      this.free -= 1;
    } else {
      await new Promise<void>((resolve) => this.#queue(priority).push(resolve));
    }
  }

  give(): void {
    const next = this.#next();
    if (next === undefined) {
      this.free += 1;
    } else {
      next();
    }
  }

  #queue(priority: number): (() => void)[] {
    const queue = this.#waiting.get(priority) ?? [];
    this.#waiting.set(priority, queue);
    return queue;
  }

  #next(): (() => void) | undefined {
    let first = Number.POSITIVE_INFINITY;
    for (const [priority, queue] of this.#waiting) {
      if (priority < first && queue.length > 0) {
        first = priority;
      }
    }
    return this.#waiting.get(first)?.shift();
  }
}
