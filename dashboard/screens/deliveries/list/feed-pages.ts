export interface FeedRow {
  id: string;
  /** Later deliveries have higher ones: lists are in the order of it, newest first. */
  databaseId: number;
}

export interface Page<Row> {
  /** The cursor that it is read by again; null for the first one. */
  after: string | null;
  end: string | null;
  /** Undefined while they are not loaded. */
  rows: Row[] | undefined;
  /** How many rows it has, or had when they were last loaded. */
  count: number;
}

/** This many pages beside the first one have their rows in memory; all others have only their cursors. */
const PAGES_LOADED_MAX = 20;

/** The pages of a list that were read, the first one first; each begins where the one before it ends. */
export class FeedPages<Row extends FeedRow> {
  #pages: Page<Row>[] = [];

  /** How many rows are known, loaded or not. */
  get count(): number {
    return this.#pages.reduce((sum, { count }) => sum + count, 0);
  }

  /** The rows in memory, in their order. */
  get loaded(): Row[] {
    return this.#pages.flatMap(({ rows }) => rows ?? []);
  }

  get first(): Page<Row> | undefined {
    return this.#pages[0];
  }

  get last(): Page<Row> | undefined {
    return this.#pages.at(-1);
  }

  /** Undefined for a row that is not loaded. */
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

  /** Starts again with this page. */
  reset(page: Page<Row>): void {
    this.#pages = [page];
  }

  /** Puts a page where it belongs: in place of itself, or at the end. */
  put(page: Page<Row>): void {
    const at = this.#pages.findIndex(({ after }) => after === page.after);
    this.#pages = at === -1 ? [...this.#pages, page] : this.#pages.with(at, page);
  }

  /** The pages that these rows lie in. */
  between(firstRow: number, lastRow: number): Page<Row>[] {
    let from = 0;
    return this.#pages.filter(({ count }) => {
      const isBetween = firstRow < from + count && lastRow >= from;
      from += count;
      return isBetween;
    });
  }

  /** Drops the rows of the pages that are farthest from this one. */
  unloadFarFrom(middle: Page<Row> | undefined): void {
    const middleAt = middle === undefined ? 0 : this.#pages.findIndex(({ after }) => after === middle.after);
    // The first page stays: read again it would not end where the second one begins.
    const loaded = this.#pages.flatMap(({ rows }, at) => (rows === undefined || at === 0 ? [] : [at]));
    const far = new Set(loaded.sort((a, b) => Math.abs(a - middleAt) - Math.abs(b - middleAt)).slice(PAGES_LOADED_MAX));
    if (far.size > 0) {
      this.#pages = this.#pages.map((page, at) => (far.has(at) ? { ...page, rows: undefined } : page));
    }
  }

  /** @returns false for a row that is not loaded */
  replace(row: Row): boolean {
    for (const [number, page] of this.#pages.entries()) {
      const at = page.rows?.findIndex(({ id }) => id === row.id) ?? -1;
      if (page.rows !== undefined && at !== -1) {
        this.#pages = this.#pages.with(number, { ...page, rows: page.rows.with(at, row) });
        return true;
      }
    }
    return false;
  }

  /**
   * Puts a row where it belongs. A row of a page that is not loaded comes with that page.
   *
   * @param hasMore whether pages follow that were not read yet
   */
  insert(row: Row, hasMore: boolean): void {
    for (const [number, page] of this.#pages.entries()) {
      const isEnd = number === this.#pages.length - 1 && !hasMore;
      const at = page.rows?.findIndex(({ databaseId }) => databaseId < row.databaseId) ?? -1;
      if (page.rows !== undefined && (at !== -1 || isEnd)) {
        const place = at === -1 ? page.rows.length : at;
        this.#pages = this.#pages.with(number, withRows(page, page.rows.toSpliced(place, 0, row)));
        return;
      }
    }
  }

  remove(ids: ReadonlySet<string>): void {
    this.#pages = this.#pages.map((page) => {
      const rows = page.rows?.filter(({ id }) => !ids.has(id));
      return rows === undefined || rows.length === page.count ? page : withRows(page, rows);
    });
  }
}

function withRows<Row>(page: Page<Row>, rows: Row[]): Page<Row> {
  return { ...page, rows, count: rows.length };
}
