import { Observable } from '../../../api/observable.js';
import { FeedPages, type FeedRow, type Page } from './feed-pages.js';

/** A page as it was read. */
export interface ReadPage<Row> {
  rows: Row[];
  end: string | null;
  hasMore: boolean;
}

/** The first page grows as deliveries are made; at this length it is read again, and cut so. */
const FIRST_PAGE_ROWS_MAX = 400;
/** How many new rows are kept while the list is frozen; with more of them it is read again. */
const NEW_ROWS_MAX = 300;
/** How many rows before the end the next page is read. */
const AHEAD_ROWS = 60;

/**
 * A list of deliveries, newest first, that grows at its end by pages and at its beginning as deliveries are made.
 *
 * - ORDER: rows are in the order of `databaseId`, highest first, and each page begins where the page before it ends.
 * - BOUNDED: the number of loaded rows has a limit, however long the list is.
 * - FROZEN: while the list is frozen, no row comes, goes or moves. Loaded rows still change in place, and pages are
 *   added at the end.
 * - LATEST: an update that comes while a page is read wins over that page, which may be older.
 */
export class Feed<Row extends FeedRow> extends Observable {
  /** Raised by each change: the snapshot of useSyncExternalStore. */
  version = 0;
  error: unknown;
  hasMore = true;
  /** Whether a first page has been read. */
  isRead = false;
  readonly #pages = new FeedPages<Row>();
  /** Rows that are not in the list yet. */
  readonly #new = new Map<string, Row>();
  /** How many more there are than `#new` takes. */
  #newMissed = 0;
  /** Ids of loaded rows that no longer match. */
  readonly #unmatched = new Set<string>();
  readonly #frozenBy = new Set<string>();
  /** Reads in progress, by their cursors. */
  readonly #reading = new Map<string | null, Promise<void>>();
  readonly #updatedWhileReading = new Map<string, Row>();
  /** Raised by `reload`: a read that began before it is ignored. */
  #generation = 0;
  readonly #read: (after: string | null) => Promise<ReadPage<Row>>;
  readonly #matches: ((row: Row) => boolean) | undefined;

  /**
   * @param read reads the page behind a cursor; null: the first one.
   * @param matches whether a row belongs to the list; undefined where its fields do not say so: then no row comes or
   *   goes by itself.
   */
  constructor(read: (after: string | null) => Promise<ReadPage<Row>>, matches: ((row: Row) => boolean) | undefined) {
    super();
    this.#read = read;
    this.#matches = matches;
  }

  readVersion = (): number => this.version;

  /** How many rows are known, loaded or not. */
  get count(): number {
    return this.#pages.count;
  }

  /** How many rows `showNew` would add. */
  get newCount(): number {
    return this.#new.size + this.#newMissed;
  }

  /** The rows in memory, in their order. */
  get loaded(): Row[] {
    return this.#pages.loaded;
  }

  /** Undefined for a row that is not loaded: `show` loads it. */
  at(index: number): Row | undefined {
    return this.#pages.at(index);
  }

  /** The loaded ones of these rows. */
  between(first: number, last: number): Row[] {
    return Array.from({ length: last - first + 1 }, (_, at) => this.at(first + at)).filter((row) => row !== undefined);
  }

  /** Reads the first page and starts again with it. The old rows stay until it is there. */
  reload(): Promise<void> {
    this.#generation += 1;
    this.#reading.clear();
    return this.#readPage(null, (page) => {
      this.#pages.reset(page);
      this.#new.clear();
      this.#newMissed = 0;
      this.#unmatched.clear();
    });
  }

  /** Reads the first page again once updates come, for the changes between the first read and the first update. */
  async catchUp(): Promise<void> {
    if (this.#reading.has(null)) {
      await this.#reading.get(null);
    }
    if (!this.isRead) {
      return this.reload();
    }
    await this.#readPage(null, ({ rows = [] }) => {
      for (const row of rows) {
        this.#apply(row);
      }
    });
  }

  /** Goes on after a read that has failed. */
  retry(): void {
    this.error = undefined;
    if (!this.isRead) {
      void this.reload();
    }
    this.changed();
  }

  /** Loads these rows and the page after them, and drops the rows of pages that are far from them. */
  show(first: number, last: number): void {
    const shown = this.#pages.between(first, last);
    const missing = shown.filter(({ rows }) => rows === undefined).map(({ after }) => after);
    const end = this.#pages.last?.end;
    if (this.hasMore && end != null && last >= this.count - AHEAD_ROWS && this.error === undefined) {
      missing.push(end);
    }
    for (const after of missing) {
      void this.#readPage(after, (page) => this.#pages.put(page));
    }
    this.#pages.unloadFarFrom(shown.at(-1));
  }

  /** A delivery has changed, or is new. */
  update(row: Row): void {
    if (this.#reading.size > 0) {
      this.#updatedWhileReading.set(row.id, row);
    }
    this.#apply(row);
    this.#flushUnlessFrozen();
    this.changed();
  }

  /** Freezes the list for a reason, or ends that; it stays frozen while there is another reason. */
  freeze(reason: string, isOn: boolean): void {
    if (isOn) {
      this.#frozenBy.add(reason);
    } else if (this.#frozenBy.delete(reason)) {
      this.#flushUnlessFrozen();
      this.changed();
    }
  }

  /** Shows the new rows, although the list is frozen. */
  showNew(): void {
    this.#flush();
    this.changed();
  }

  /** Changes a loaded row in place; notes what `flush` adds and removes. */
  #apply(row: Row): void {
    const isMatch = this.#matches?.(row) ?? true;
    if (this.#pages.replace(row)) {
      this.#unmatched[isMatch ? 'delete' : 'add'](row.id);
    } else if (this.#matches === undefined || !isMatch) {
      this.#new.delete(row.id);
    } else if (this.#new.size < NEW_ROWS_MAX || this.#new.has(row.id)) {
      this.#new.set(row.id, row);
    } else {
      this.#newMissed += 1;
    }
  }

  #flushUnlessFrozen(): void {
    if (this.#frozenBy.size === 0) {
      this.#flush();
    }
  }

  /** Adds new rows, and removes those that no longer match. */
  #flush(): void {
    this.#pages.remove(this.#unmatched);
    this.#unmatched.clear();
    if (this.#newMissed > 0) {
      void this.reload();
      return;
    }
    for (const row of this.#new.values()) {
      this.#pages.insert(row, this.hasMore);
    }
    this.#new.clear();
    if ((this.#pages.first?.count ?? 0) > FIRST_PAGE_ROWS_MAX && this.#reading.size === 0) {
      void this.reload();
    }
  }

  #readPage(after: string | null, place: (page: Page<Row>) => void): Promise<void> {
    const reading = this.#reading.get(after) ?? this.#readOnce(after, place);
    this.#reading.set(after, reading);
    return reading;
  }

  async #readOnce(after: string | null, place: (page: Page<Row>) => void): Promise<void> {
    const generation = this.#generation;
    const page = await this.#read(after).catch((error: unknown) => ({ error }));
    if (generation !== this.#generation) {
      return;
    }
    if ('error' in page) {
      this.error = page.error;
    } else {
      this.error = undefined;
      this.isRead = true;
      place({ after, end: page.end, rows: page.rows, count: page.rows.length });
      if (this.#pages.last?.after === after) {
        this.hasMore = page.hasMore;
      }
      for (const row of this.#updatedWhileReading.values()) {
        this.#apply(row);
      }
      this.#flushUnlessFrozen();
    }
    this.#reading.delete(after);
    if (this.#reading.size === 0) {
      this.#updatedWhileReading.clear();
    }
    this.changed();
  }

  protected override changed(): void {
    this.version += 1;
    super.changed();
  }
}
