/** Every fourth slot that becomes free while work waits goes to the work that has waited longest. */
const LONGEST_EVERY = 4;

/**
 * A fixed number of slots. Work that finds none free waits for one: the lowest priority number comes first (as in
 * graphile-worker), and among equals the earliest. Every fourth slot goes to the work that has waited longest, whatever
 * its priority, so that a stream of urgent work lets nothing wait for ever.
 */
export class Slots {
  readonly #all: number;
  readonly #waiting = new Map<number, Waiting[]>();
  /** How many waits have begun so far. */
  #tickets = 0;
  /** How many slots have gone to waiting work. */
  #given = 0;

  constructor(private free: number) {
    this.#all = free;
  }

  get inUse(): number {
    return this.#all - this.free;
  }

  get waitingCount(): number {
    return [...this.#waiting.values()].flat().reduce((sum, { wanted }) => sum + wanted, 0);
  }

  /** Does `work` in a slot, as soon as one is free. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.take();
    try {
      return await work();
    } finally {
      this.give();
    }
  }

  /** Waits for a slot, which must be given back. */
  async take(priority = 0): Promise<void> {
    if (!this.tryTake()) {
      await new Promise<void>((resolve) => this.#wait(priority, { wanted: 1, begin: resolve }));
    }
  }

  /** @returns whether a slot was free; it must be given back */
  tryTake(): boolean {
    const isFree = this.free > 0;
    this.free -= Number(isFree);
    return isFree;
  }

  /**
   * Takes a slot for each item, as slots become free, and begins its work, which must give the slot back. Waiting items
   * keep nothing else in memory.
   *
   * @throws the first error of `work`, when all work has ended
   */
  takeEach<Item>(priority: number, items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      if (items.length === 0) {
        resolve();
      }
      let begun = 0;
      let left = items.length;
      let failure: { reason: unknown } | undefined;
      const end = () => {
        left -= 1;
        if (left === 0) {
          failure === undefined ? resolve() : reject(failure.reason);
        }
      };
      const fail = (reason: unknown) => {
        failure ??= { reason };
        end();
      };
      const begin = () => work(items[begun++]!).then(end, fail);
      while (begun < items.length && this.tryTake()) {
        begin();
      }
      if (begun < items.length) {
        this.#wait(priority, { wanted: items.length - begun, begin });
      }
    });
  }

  give(): void {
    const queue = this.#next();
    if (queue === undefined) {
      this.free += 1;
      return;
    }
    this.#given += 1;
    const next = queue[0]!;
    next.wanted -= 1;
    if (next.wanted === 0) {
      queue.shift();
    }
    next.begin();
  }

  #wait(priority: number, waiting: Omit<Waiting, 'ticket'>): void {
    const queue = this.#waiting.get(priority) ?? [];
    this.#waiting.set(priority, queue);
    this.#tickets += 1;
    queue.push({ ...waiting, ticket: this.#tickets });
  }

  /** The queue whose first work gets the next free slot. */
  #next(): Waiting[] | undefined {
    const isForLongest = (this.#given + 1) % LONGEST_EVERY === 0;
    let first = Number.POSITIVE_INFINITY;
    let next: Waiting[] | undefined;
    for (const [priority, queue] of this.#waiting) {
      if (queue.length > 0) {
        const rank = isForLongest ? queue[0]!.ticket : priority;
        if (rank < first) {
          first = rank;
          next = queue;
        }
      }
    }
    return next;
  }
}

interface Waiting {
  /** Ascending in the order of arrival. */
  ticket: number;
  /** How many slots are still wanted. */
  wanted: number;
  /** Called once for each slot. */
  begin(): unknown;
}

/** Slots for each key alone: a key with much work waits for its own work only. */
export class SlotsOfEach<Key> {
  readonly #slots = new Map<Key, Slots>();

  constructor(private readonly each: number) {}

  waitingCount(key: Key): number {
    return this.#slots.get(key)?.waitingCount ?? 0;
  }

  /** Does `work` in a slot of this key, as soon as one is free. */
  async run<Result>(key: Key, work: () => Promise<Result>): Promise<Result> {
    const own = this.#slots.get(key) ?? new Slots(this.each);
    this.#slots.set(key, own);
    try {
      return await own.run(work);
    } finally {
      if (own.inUse === 0) {
        this.#slots.delete(key);
      }
    }
  }
}
