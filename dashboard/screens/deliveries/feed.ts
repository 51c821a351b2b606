export interface FeedRow {
  id: string;
  /** Later deliveries have higher ones: lists stand in the order of it, newest first. */
  databaseId: number;
}

/** A page as it was read. */
export interface ReadPage<Row> {
  rows: Row[];
  end: string | null;
  hasMore: boolean;
}

interface Page<Row> {
  /** The cursor that it is read by again; null for the first one. */
  after: string | null;
  end: string | null;
  /** Undefined while it is not kept. */
  rows: Row[] | undefined;
  /** How many rows it has, or had when it was last kept. */
  count: number;
}

/** Of how many pages the rows are kept; of the others only where they begin. */
const PAGES_KEPT = 20;
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
  #pages: Page<Row>[] = [];
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
  constructor(
    read: (after: string | null) => Promise<ReadPage<Row>>,
    matches: ((row: Row) => boolean) | undefined,
  ) {
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
    return this.#pages.reduce((sum, { count }) => sum + count, 0);
  }

  get waitingCount(): number {
    return this.#waiting.size + this.#waitingMissed;
  }

  /** The rows that are kept, in their order. */
  get kept(): Row[] {
    return this.#pages.flatMap(({ rows }) => rows ?? []);
  }

  /** Undefined for a row that is not kept now: `show` reads it. */
  at(index: number): Row | undefined {
    let from = 0;
    for (const { rows, count } of this.#pages) {
      if (index < from + count) {
        return rows?.[index - from];
      }
      from += count;
    }
    return undefined;
  }

  /** Reads the first page, and begins anew with it. What is shown stays until it is there. */
  reload(): Promise<void> {
    this.#generation += 1;
    this.#reading.clear();
    return this.#readPage(null, (page) => {
      this.#pages = [page];
      this.#waiting.clear();
      this.#waitingMissed = 0;
      this.#left.clear();
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
    let from = 0;
    let middle = 0;
    for (const [number, { rows, count, after }] of this.#pages.entries()) {
      const isShown = first < from + count && last >= from;
      if (isShown) {
        middle = number;
      }
      if (isShown && rows === undefined) {
        void this.#readPage(after, (page) => {
          this.#pages = this.#pages.map((known) => (known.after === after ? page : known));
        });
      }
      from += count;
    }
    const end = this.#pages.at(-1)?.end;
    if (this.hasMore && end != null && last >= from - AHEAD_ROWS && this.error === undefined) {
      void this.#readPage(end, (page) => {
        this.#pages = [...this.#pages, page];
      });
    }
    this.#forgetBeside(middle);
  }

  #forgetBeside(middle: number): void {
    // The first page stays: read again it would not end where the second one begins.
    const kept = this.#pages.flatMap(({ rows }, number) =>
      rows === undefined || number === 0 ? [] : [number],
    );
    const far = kept.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle)).slice(PAGES_KEPT);
    if (far.length > 0) {
      this.#pages = this.#pages.map((page, number) =>
        far.includes(number) ? { ...page, rows: undefined } : page,
      );
    }
  }

  /** A delivery as it is now. */
  update(row: Row): void {
    if (this.#reading.size > 0) {
      this.#changedWhileReading.set(row.id, row);
    }
    const stays = this.#matches?.(row) ?? true;
    if (this.#replace(row)) {
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

  #settle(): void {
    if (this.#left.size > 0) {
      this.#pages = this.#pages.map((page) =>
        withRows(
          page,
          page.rows?.filter(({ id }) => !this.#left.has(id)),
        ),
      );
      this.#left.clear();
    }
    if (this.#waitingMissed > 0) {
      void this.reload();
      return;
    }
    for (const row of this.#waiting.values()) {
      this.#insert(row);
    }
    this.#waiting.clear();
    if ((this.#pages[0]?.count ?? 0) > FIRST_PAGE_ROWS_MAX && this.#reading.size === 0) {
      void this.reload();
    }
  }

  #replace(row: Row): boolean {
    for (const [number, page] of this.#pages.entries()) {
      const at = page.rows?.findIndex(({ id }) => id === row.id) ?? -1;
      if (page.rows !== undefined && at !== -1) {
        this.#pages = this.#pages.with(number, { ...page, rows: page.rows.with(at, row) });
        return true;
      }
    }
    return false;
  }

  /** Puts a row where it belongs. One that lies in no page that is kept comes when that page is read. */
  #insert(row: Row): void {
    for (const [number, page] of this.#pages.entries()) {
      const isEnd = number === this.#pages.length - 1 && !this.hasMore;
      const at = page.rows?.findIndex(({ databaseId }) => databaseId < row.databaseId) ?? -1;
      if (page.rows !== undefined && (at !== -1 || isEnd)) {
        const place = at === -1 ? page.rows.length : at;
        this.#pages = this.#pages.with(number, withRows(page, page.rows.toSpliced(place, 0, row)));
        return;
      }
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
        const current = rows.map((row) => this.#changedWhileReading.get(row.id) ?? row);
        place({ after, end, rows: current, count: current.length });
        if (this.#pages.at(-1)?.after === after) {
          this.hasMore = hasMore;
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

function withRows<Row>(page: Page<Row>, rows: Row[] | undefined): Page<Row> {
  return { ...page, rows, count: rows?.length ?? page.count };
}
