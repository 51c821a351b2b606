interface Waiting {
  items: number;
  untilMs: number;
  begin(): void;
}

interface BackpressureOptions {
  /** For how many items there is room at the moment; infinite: nobody needs to wait. */
  room: () => number;
  /** Those who wait begin when there is room for this many: together, so that they can share a transaction. */
  roomMin: number;
  /** Who has waited for this long begins, room or not. */
  waitMsMax: number;
  /** While somebody waits, how often room is looked for. */
  lookEveryMs: number;
  /** Milliseconds, never going back. */
  now: () => number;
}

/** Lets work begin no faster than there is room for what it makes. Those who wait take turns. */
export class Backpressure {
  /** By whose turn it is, in the order of their turns. */
  readonly #lines = new Map<unknown, Waiting[]>();
  /** Items of the work that has begun: the room does not show them yet. */
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: BackpressureOptions) {}

  /**
   * Does `work` as soon as there is room.
   *
   * @param turn who asks: different ones take turns, one piece of work each
   * @throws what `work` throws
   */
  async run<Result>(turn: unknown, items: number, work: () => Promise<Result>): Promise<Result> {
    if (this.#lines.size > 0 || this.#room <= 0) {
      await this.#wait(turn, items);
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

  #wait(turn: unknown, items: number): Promise<void> {
    const { waitMsMax, lookEveryMs, now } = this.options;
    return new Promise((begin) => {
      const line = this.#lines.get(turn) ?? [];
      this.#lines.set(turn, line);
      line.push({ items, untilMs: now() + waitMsMax, begin });
      this.#timer ??= setInterval(() => this.#look(), lookEveryMs);
    });
  }

  /** Those whose time is over, then, in turns, those for whom there is room. */
  #look(): void {
    const now = this.options.now();
    for (const [turn, line] of this.#lines) {
      while (line.length > 0 && line[0]!.untilMs <= now) {
        this.#begin(turn, line);
      }
    }
    if (this.#room >= this.options.roomMin) {
      this.#beginInTurns();
    }
    if (this.#lines.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #beginInTurns(): void {
    for (const [turn, line] of this.#lines) {
      if (this.#room <= 0) {
        return;
      }
      this.#begin(turn, line);
    }
  }

  /** The first of this line; the line then stands behind the others, which a loop over all of them comes to last. */
  #begin(turn: unknown, line: Waiting[]): void {
    const { items, begin } = line.shift()!;
    this.#lines.delete(turn);
    if (line.length > 0) {
      this.#lines.set(turn, line);
    }
    this.#underWay += items;
    begin();
  }
}
