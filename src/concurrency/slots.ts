/** Of the places that become free while somebody waits, each fourth goes to who has waited longest. */
const LONGEST_EVERY = 4;

/**
 * A fixed number of places. Whoever finds none free waits for one: those of the lowest priority number come first (as
 * graphile-worker has it), and among them who came first. Each fourth place goes to who has waited longest, whatever
 * the priority, so that no stream of more urgent ones keeps anybody waiting for ever.
 */
export class Slots {
  readonly #all: number;
  readonly #waiting = new Map<number, Waiting[]>();
  /** How many have come to wait so far. */
  #tickets = 0;
  /** How many places have gone to those who waited. */
  #given = 0;

  constructor(private free: number) {
    this.#all = free;
  }

  get inUse(): number {
    return this.#all - this.free;
  }

  get waitingCount(): number {
    return [...this.#waiting.values()].flat().reduce((sum, { places }) => sum + places, 0);
  }

  /** Does `work` in a place, as soon as there is one. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.take();
    try {
      return await work();
    } finally {
      this.give();
    }
  }

  /** Waits for a place, which must be given back. */
  async take(priority = 0): Promise<void> {
    if (!this.tryTake()) {
      await new Promise<void>((resolve) => this.#wait(priority, { places: 1, begin: resolve }));
    }
  }

  /** @returns whether there was a place; it must be given back */
  tryTake(): boolean {
    const isFree = this.free > 0;
    this.free -= Number(isFree);
    return isFree;
  }

  /**
   * Takes a place for each of the items, as they become free, and begins its work in it. Until then nothing is kept but
   * the items. The work must give its place back.
   *
   * @throws what work throws, of the first that fails, when all have ended
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
        this.#wait(priority, { places: items.length - begun, begin });
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
    next.places -= 1;
    if (next.places === 0) {
      queue.shift();
    }
    next.begin();
  }

  #wait(priority: number, who: Omit<Waiting, 'ticket'>): void {
    const queue = this.#waiting.get(priority) ?? [];
    this.#waiting.set(priority, queue);
    this.#tickets += 1;
    queue.push({ ...who, ticket: this.#tickets });
  }

  /** The queue whose head has the next place that becomes free. */
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
  /** In the order in which they came. */
  ticket: number;
  /** How many are still wanted. */
  places: number;
  /** Called once for each place. */
  begin(): unknown;
}

/** Slots of each key alone, made when they are asked for: who asks for much waits for itself. */
export class SlotsOfEach<Key> {
  readonly #slots = new Map<Key, Slots>();

  constructor(private readonly each: number) {}

  waitingCount(key: Key): number {
    return this.#slots.get(key)?.waitingCount ?? 0;
  }

  /** Does `work` in a place of this key, as soon as there is one. */
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
