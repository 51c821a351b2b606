import { FeedPages, type FeedRow, type Page } from './feed-pages.js';

/** A page as it was read. */
export interface ReadPage<Row> {
  rows: Row[];
  end: string | null;
  hasMore: boolean;
}

/** The first page grows as deliveries are made; at this length it is read again, and cut so. */
const FIRST_PAGE_ROWS_MAX = 400;
/** How many new rows are kept while they wait; with more of them the list is read again. */
const WAITING_ROWS_MAX = 300;
/** How many rows before the end the next page is read. */
const AHEAD_ROWS = 60;

/**
 * A list of deliveries, newest first, that grows at its end by pages and at its beginning as deliveries are made. Its
 * memory is bounded, however long the list is. Rows that change do so in place. While somebody looks at the list
 * (`hold`), new rows wait, and those that no longer match stay; else they come and go at once.
 */
export class Feed<Row extends FeedRow> {
  /** Raised by each change: the snapshot of useSyncExternalStore. */
  version = 0;
  error: unknown;
  hasMore = true;
  readonly #pages = new FeedPages<Row>();
  #waiting = new Map<string, Row>();
  #waitingMissed = 0;
  #left = new Set<string>();
  #holds = new Set<string>();
  #reading = new Map<string | null, Promise<void>>();
  #changedWhileReading = new Map<string, Row>();
  #generation = 0;
  #isRead = false;
  readonly #listeners = new Set<() => void>();
  readonly #read: (after: string | null) => Promise<ReadPage<Row>>;
  readonly #matches: ((row: Row) => boolean) | undefined;

  /**
   * @param read reads the page behind a cursor; null: the first one.
   * @param matches whether a row belongs to the list; undefined where a row does not tell: then no row comes or goes by
   *   itself.
   */
  constructor(read: (after: string | null) => Promise<ReadPage<Row>>, matches: ((row: Row) => boolean) | undefined) {
    this.#read = read;
    this.#matches = matches;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readVersion = (): number => this.version;

  /** Whether a first answer is there. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** How many rows are known, kept or not. */
  get count(): number {
    return this.#pages.count;
  }

  get waitingCount(): number {
    return this.#waiting.size + this.#waitingMissed;
  }

  /** The rows that are kept, in their order. */
  get kept(): Row[] {
    return this.#pages.kept;
  }

  /** Undefined for a row that is not kept now: `show` reads it. */
  at(index: number): Row | undefined {
    return this.#pages.at(index);
  }

  /** Reads the first page and starts again with it. The old rows stay until it is there. */
  reload(): Promise<void> {
    this.#generation += 1;
    this.#reading.clear();
    return this.#readPage(null, (page) => {
      this.#pages.reset(page);
      this.#waiting.clear();
      this.#waitingMissed = 0;
      this.#left.clear();
    });
  }

  /** Takes in what changed before changes began to come: the first page is read again, its rows come as changes. */
  async catchUp(): Promise<void> {
    if (this.#reading.has(null)) {
      await this.#reading.get(null);
    }
    if (!this.#isRead) {
      return this.reload();
    }
    await this.#readPage(null, ({ rows = [] }) => {
      for (const row of rows) {
        this.#take(row);
      }
    });
  }

  /** Goes on after a read that has failed. */
  retry(): void {
    this.error = undefined;
    if (!this.#isRead) {
      void this.reload();
    }
    this.#changed();
  }

  /** Sees to it that these rows are kept, and what comes next; forgets those far from them. */
  show(first: number, last: number): void {
    const shown = this.#pages.between(first, last);
    for (const { rows, after } of shown) {
      if (rows === undefined) {
        void this.#readPage(after, (page) => this.#pages.put(page));
      }
    }
    const end = this.#pages.last?.end;
    if (this.hasMore && end != null && last >= this.count - AHEAD_ROWS && this.error === undefined) {
      void this.#readPage(end, (page) => this.#pages.put(page));
    }
    this.#pages.forgetBeside(shown.at(-1));
  }

  /** A delivery as it is now. */
  update(row: Row): void {
    if (this.#reading.size > 0) {
      this.#changedWhileReading.set(row.id, row);
    }
    this.#take(row);
    if (this.#holds.size === 0) {
      this.#settle();
    }
    this.#changed();
  }

  /** While there is a reason to, rows neither come nor go. */
  hold(reason: string, holds: boolean): void {
    if (holds) {
      this.#holds.add(reason);
    } else if (this.#holds.delete(reason) && this.#holds.size === 0) {
      this.#settle();
      this.#changed();
    }
  }

  /** Lets those in that wait, although somebody looks. */
  letIn(): void {
    this.#settle();
    this.#changed();
  }

  #take(row: Row): void {
    const stays = this.#matches?.(row) ?? true;
    if (this.#pages.replace(row)) {
      if (stays) {
        this.#left.delete(row.id);
      } else {
        this.#left.add(row.id);
      }
    } else if (this.#matches === undefined || !stays) {
      this.#waiting.delete(row.id);
    } else if (this.#waiting.size < WAITING_ROWS_MAX || this.#waiting.has(row.id)) {
      this.#waiting.set(row.id, row);
    } else {
      this.#waitingMissed += 1;
    }
  }

  #settle(): void {
    if (this.#left.size > 0) {
      this.#pages.remove(this.#left);
      this.#left.clear();
    }
    if (this.#waitingMissed > 0) {
      void this.reload();
      return;
    }
    for (const row of this.#waiting.values()) {
      this.#pages.insert(row, this.hasMore);
    }
    this.#waiting.clear();
    if ((this.#pages.first?.count ?? 0) > FIRST_PAGE_ROWS_MAX && this.#reading.size === 0) {
      void this.reload();
    }
  }

  #readPage(after: string | null, place: (page: Page<Row>) => void): Promise<void> {
    const known = this.#reading.get(after);
    if (known !== undefined) {
      return known;
    }
    const generation = this.#generation;
    const reading = this.#read(after).then(
      ({ rows, end, hasMore }) => {
        if (generation !== this.#generation) {
          return;
        }
        place({ after, end, rows, count: rows.length });
        if (this.#pages.last?.after === after) {
          this.hasMore = hasMore;
        }
        // The page may be older than these: it has not all of them, or not as they are.
        for (const row of this.#changedWhileReading.values()) {
          this.#take(row);
        }
        if (this.#holds.size === 0) {
          this.#settle();
        }
        this.error = undefined;
        this.#isRead = true;
        this.#readEnded(after);
      },
      (error: unknown) => {
        if (generation === this.#generation) {
          this.error = error;
          this.#readEnded(after);
        }
      },
    );
    this.#reading.set(after, reading);
    return reading;
  }

  #readEnded(after: string | null): void {
    this.#reading.delete(after);
    if (this.#reading.size === 0) {
      this.#changedWhileReading.clear();
    }
    this.#changed();
  }

  #changed(): void {
    this.version += 1;
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
