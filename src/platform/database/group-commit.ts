import { FairQueue } from '../concurrency/fair-queue.js';
import { isLocked, isTooSlow, SQL_STATE, sqlStateOf } from './driver/sql-state.js';
import { isDatabaseAway, noAnswerInTime } from './outage.js';

interface Waiting<Item, Result> {
  /** When it is too late to begin. */
  untilMs: number;
  items: readonly Item[];
  weight: number;
  resolve(results: Result[]): void;
  reject(error: unknown): void;
}

/** Postgres ended one of two transactions that waited for each other, or asks for a repetition. */
const repeatableSqlStates = new Set<string>([SQL_STATE.DEADLOCK, SQL_STATE.SERIALIZATION_FAILURE]);
const REPETITIONS_MAX = 3;
/** One group may be slow by itself. When the next one is slow too, the database is, and all others would be. */
const TOO_SLOW_IN_A_ROW_MAX = 2;

/** How long items are kept for others to share their transaction. */
interface Linger<Item> {
  ms: number;
  /** How many end the wait. */
  itemsMax: number;
  /** Whether somebody waits for what the item writes: then all leave at once. */
  isUrgent(item: Item): boolean;
}

/**
 * Lets concurrent callers share one transaction. Items of one iteration of the event loop leave together at its end,
 * unless a batch is under way; items that arrive meanwhile form the next batch. So an idle system waits for nothing,
 * and a busy one commits in groups. Only with `linger` do items wait for others (docs/decisions/0042).
 *
 * Items that were given together (a group) stay together in one transaction. When a batch fails, its groups are run one
 * by one, so that a bad one fails alone; also when the batch was too slow, since one group is enough for that. When the
 * database is away, all fail at once.
 */
export class GroupCommit<Item, Result> {
  readonly #waiting = new FairQueue<Waiting<Item, Result>>();
  #inFlight = 0;
  #starting = false;
  #lingering: NodeJS.Timeout | undefined;
  /** Whether what waits must not linger. */
  #isUrgent = false;

  /**
   * @param commit runs all items in one transaction; returns one result per item, in order
   * @param options.itemsMax how many items close a batch; only its last group may go beyond
   * @param options.inFlightMax how many batches may be under way at the same time (default 2)
   * @param options.besideItems how many items must wait before a batch leaves beside another one (default 1)
   * @param options.weightOf as how many items one counts for these (default 1)
   * @param options.waitMaxMs groups that have waited for longer fail and are not run (default: no limit)
   * @param options.onBatch called with the number of items of each batch
   * @param options.linger keeps items for others that may come; without it they leave at once
   * @param options.keyOf a key that has many groups waiting has one of them taken for each of the other keys
   */
  constructor(
    private readonly commit: (items: readonly Item[]) => Promise<Result[]>,
    private readonly options: {
      itemsMax: number;
      inFlightMax?: number;
      besideItems?: number;
      weightOf?: (item: Item) => number;
      waitMaxMs?: number;
      onBatch?: ((items: number) => void) | undefined;
      keyOf?: (items: readonly Item[]) => unknown;
      linger?: Linger<Item>;
    },
  ) {}

  /** @throws what `commit` throws for these items */
  run(items: readonly Item[]): Promise<Result[]> {
    const weight = this.#weigh(items);
    return new Promise((resolve, reject) => this.#add({ items, weight, untilMs: this.#untilMs, resolve, reject }));
  }

  /** @throws what `commit` throws for this item */
  runOne(item: Item): Promise<Result> {
    const items = [item];
    const weight = this.#weigh(items);
    const untilMs = this.#untilMs;
    return new Promise((resolve, reject) => {
      this.#add({ items, weight, untilMs, resolve: ([result]) => resolve(result as Result), reject });
    });
  }

  get #untilMs(): number {
    return performance.now() + (this.options.waitMaxMs ?? Number.POSITIVE_INFINITY);
  }

  #weigh(items: readonly Item[]): number {
    const { weightOf } = this.options;
    return weightOf === undefined ? items.length : items.reduce((weight, item) => weight + weightOf(item), 0);
  }

  #add(group: Waiting<Item, Result>): void {
    const { keyOf, linger } = this.options;
    this.#waiting.add(keyOf?.(group.items), group);
    this.#isUrgent ||= linger === undefined || group.items.some(linger.isUrgent);
    this.#startSoon();
  }

  /** Whether what waits is kept for others; then it leaves when its time is over. */
  get #lingers(): boolean {
    const { linger } = this.options;
    if (linger === undefined || this.#isUrgent || this.#waiting.isEmpty || this.#waiting.weight >= linger.itemsMax) {
      return false;
    }
    this.#lingering ??= setTimeout(() => {
      this.#isUrgent = true;
      this.#start();
    }, linger.ms);
    return true;
  }

  /** After the input that is being read now, so that items that came together leave together. */
  #startSoon(): void {
    if (!this.#starting && this.#mayStart) {
      this.#starting = true;
      setImmediate(() => {
        this.#starting = false;
        this.#start();
      });
    }
  }

  /** If not, a batch under way starts the next one. */
  get #mayStart(): boolean {
    const { inFlightMax = 2, besideItems = 1 } = this.options;
    return this.#inFlight === 0 || (this.#inFlight < inFlightMax && this.#waiting.weight >= besideItems);
  }

  #start(): void {
    this.#giveUpLate();
    while (!this.#waiting.isEmpty && this.#mayStart && !this.#lingers) {
      clearTimeout(this.#lingering);
      this.#lingering = undefined;
      this.#inFlight += 1;
      void this.#flush(this.#take()).finally(() => {
        this.#inFlight -= 1;
        this.#start();
      });
    }
  }

  /** Their callers have been given up, or will be before the answer. */
  #giveUpLate(): void {
    const now = performance.now();
    const late = [...this.#waiting.takeAll(({ untilMs }) => untilMs < now)];
    if (late.length > 0) {
      rejectAll(late, noAnswerInTime()); // an error's stack takes 10 µs, and batches begin hundreds of times a second
    }
  }

  /** The groups of a batch: all that fit, and one big group with them, so that neither keeps the other waiting. */
  #take(): Waiting<Item, Result>[] {
    const { itemsMax } = this.options;
    const taken: Waiting<Item, Result>[] = [];
    let weight = 0;
    for (const group of this.#waiting.takeAll((next) => weight + next.weight <= itemsMax)) {
      taken.push(group);
      weight += group.weight;
    }
    const big = this.#waiting.take(() => weight < itemsMax);
    this.#isUrgent &&= !this.#waiting.isEmpty;
    return big === undefined ? taken : [...taken, big];
  }

  async #flush(groups: Waiting<Item, Result>[]): Promise<void> {
    const error = await this.#commitGroups(groups);
    if (error === null) {
      return;
    }
    if (groups.length === 1 || isOutage(error)) {
      rejectAll(groups, error);
    } else {
      await this.#flushOneByOne(groups);
    }
  }

  /** Groups of a key with a slow one come last: the same cause may slow them down, and others would wait for each. */
  async #flushOneByOne(groups: Waiting<Item, Result>[]): Promise<void> {
    const left = [...groups];
    const slowKeys = new Set<unknown>();
    const keyOf = ({ items }: Waiting<Item, Result>) => this.options.keyOf?.(items);
    let tooSlow = 0;
    while (left.length > 0) {
      const index = left.findIndex((group) => !slowKeys.has(keyOf(group)));
      const group = left.splice(Math.max(0, index), 1)[0]!;
      const error = await this.#commitGroups([group]);
      if (error !== null) {
        rejectAll([group], error);
      }
      if (isOutage(error)) {
        rejectAll(left.splice(0), error);
      }
      if (error === null || !isTooSlow(error)) {
        tooSlow = 0;
        continue;
      }
      slowKeys.add(keyOf(group));
      tooSlow += 1;
      if (tooSlow >= TOO_SLOW_IN_A_ROW_MAX) {
        rejectAll(left.splice(0), error);
      }
    }
  }

  /** @returns the error that stopped the commit; null: it succeeded, and the callers have their results */
  async #commitGroups(groups: Waiting<Item, Result>[]): Promise<unknown> {
    const all = groups.flatMap(({ items }) => items);
    this.options.onBatch?.(all.length);
    try {
      const results = await this.#commitRepeatedly(all);
      let offset = 0;
      for (const { items, resolve } of groups) {
        resolve(results.slice(offset, offset + items.length));
        offset += items.length;
      }
      return null;
    } catch (error) {
      return error ?? new Error('A commit failed without an error.');
    }
  }

  async #commitRepeatedly(items: readonly Item[]): Promise<Result[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.commit(items);
      } catch (error) {
        if (tries >= REPETITIONS_MAX || !repeatableSqlStates.has(sqlStateOf(error))) {
          throw error;
        }
      }
    }
  }
}

/** One group may be too slow by itself, or need a row that another session has locked. */
const isOutage = (error: unknown) => error !== null && isDatabaseAway(error) && !isTooSlow(error) && !isLocked(error);

function rejectAll(groups: readonly Pick<Waiting<unknown, unknown>, 'reject'>[], error: unknown): void {
  for (const { reject } of groups) {
    reject(error);
  }
}
