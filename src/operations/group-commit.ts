import { isDatabaseAway } from '../errors.js';

interface Waiting<Item, Result> {
  items: readonly Item[];
  resolve(results: Result[]): void;
  reject(error: unknown): void;
}

/** Postgres ended one of two transactions that waited for each other, or asks for a repetition. */
const repeatableSqlStates = new Set(['40P01', '40001']);
const REPETITIONS_MAX = 3;

/**
 * Lets concurrent callers share one transaction. A batch leaves at once while fewer than `inFlightMax` are under way;
 * what arrives meanwhile forms the next batch. So an idle system waits for nothing, a busy one commits in groups, and
 * there is no timer to tune.
 *
 * Items that were given together stay together in one transaction. When a batch fails for another reason than the
 * database being away, its groups are run one by one, so that a bad one fails alone.
 */
export class GroupCommit<Item, Result> {
  readonly #waiting: Waiting<Item, Result>[] = [];
  #inFlight = 0;

  /**
   * @param commit runs all items in one transaction; answers with one result per item, in order
   * @param itemsMax most items of a batch, unless one group alone has more
   */
  constructor(
    private readonly commit: (items: readonly Item[]) => Promise<Result[]>,
    private readonly itemsMax: number,
    private readonly inFlightMax = 2,
  ) {}

  /** @throws what `commit` throws for these items */
  run(items: readonly Item[]): Promise<Result[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ items, resolve, reject });
      this.#start();
    });
  }

  async runOne(item: Item): Promise<Result> {
    const [result] = await this.run([item]);
    return result as Result;
  }

  #start(): void {
    while (this.#inFlight < this.inFlightMax && this.#waiting.length > 0) {
      this.#inFlight += 1;
      void this.#flush(this.#take()).finally(() => {
        this.#inFlight -= 1;
        this.#start();
      });
    }
  }

  #take(): Waiting<Item, Result>[] {
    let items = 0;
    const taken = this.#waiting.findIndex((group) => {
      items += group.items.length;
      return items > this.itemsMax;
    });
    return this.#waiting.splice(0, taken === -1 ? this.#waiting.length : Math.max(1, taken));
  }

  async #flush(groups: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#commitRepeatedly(groups.flatMap(({ items }) => items));
      let offset = 0;
      for (const { items, resolve } of groups) {
        resolve(results.slice(offset, offset + items.length));
        offset += items.length;
      }
    } catch (error) {
      if (groups.length === 1 || isDatabaseAway(error)) {
        for (const { reject } of groups) {
          reject(error);
        }
        return;
      }
      for (const group of groups) {
        await this.#flush([group]);
      }
    }
  }

  async #commitRepeatedly(items: readonly Item[]): Promise<Result[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.commit(items);
      } catch (error) {
        if (tries >= REPETITIONS_MAX || !repeatableSqlStates.has((error as { code?: string }).code ?? '')) {
          throw error;
        }
      }
    }
  }
}
