interface Waiting {
  items: number;
  untilMs: number;
  begin(): void;
}

interface BackpressureOptions {
  /** The number of items that there is room for at the moment; infinite: no work needs to wait. */
  room: () => number;
  /** Waiting work begins when there is room for this many items: together, so that it can share a transaction. */
  roomMin: number;
  /** Work that has waited for this long begins without room. */
  waitMsMax: number;
  /** How often the room is checked while work waits. */
  checkEveryMs: number;
}

/** Lets work begin no faster than there is room for the items it makes: the first work of each key, then the next. */
export class Backpressure {
  /** By key, in the order in which they come next. */
  readonly #lines = new Map<unknown, Waiting[]>();
  /** Items of work that has begun: the room does not show them yet. */
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: BackpressureOptions) {}

  /** Does `work` as soon as there is room. @throws what `work` throws */
  async run<Result>(key: unknown, items: number, work: () => Promise<Result>): Promise<Result> {
    if (this.#lines.size > 0 || this.#room <= 0) {
      await this.#wait(key, items);
    } else {
      this.#underWay += items;
    }
    try {
      return await work();
    } finally {
      this.#underWay -= items;
    }
  }

  /** Items of the work that waits. */
  get waiting(): number {
    return [...this.#lines.values()].flat().reduce((sum, { items }) => sum + items, 0);
  }

  get #room(): number {
    return this.options.room() - this.#underWay;
  }

  #wait(key: unknown, items: number): Promise<void> {
    const { waitMsMax, checkEveryMs } = this.options;
    return new Promise((begin) => {
      const line = this.#lines.get(key) ?? [];
      this.#lines.set(key, line);
      line.push({ items, untilMs: performance.now() + waitMsMax, begin });
      this.#timer ??= setInterval(() => this.#check(), checkEveryMs);
    });
  }

  #check(): void {
    const now = performance.now();
    for (const [key, line] of this.#lines) {
      while (line.length > 0 && line[0]!.untilMs <= now) {
        this.#begin(key, line);
      }
    }
    if (this.#room >= this.options.roomMin) {
      for (const [key, line] of this.#lines) {
        if (this.#room > 0) {
          this.#begin(key, line);
        }
      }
    }
    if (this.#lines.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  /** Begins the first work of a key. Its next work comes behind that of other keys; a loop over the keys reaches it. */
  #begin(key: unknown, line: Waiting[]): void {
    const { items, begin } = line.shift()!;
    this.#lines.delete(key);
    if (line.length > 0) {
      this.#lines.set(key, line);
    }
    this.#underWay += items;
    begin();
  }
}
