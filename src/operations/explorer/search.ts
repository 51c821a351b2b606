import type pg from 'pg';
import { ApiError, rateLimited } from '../../errors.js';
import { Slots, SlotsOfEach } from '../../platform/concurrency/slots.js';
import type { HasPool, Statement } from '../../platform/database/database.js';
import { isTooSlow } from '../../platform/database/driver/sql-state.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';

const PER_TENANT = 2;
const WAITING_PER_TENANT_MAX = 50;
const TRY_AGAIN_MS = 2_000;
const SEARCH_LESS = 'Search a shorter time, with since and until, or name more: a webhook, an event.';

/**
 * Searches, sums of statistics, and queries at one moment may last seconds. Together they leave half of a process's
 * connections to everything else. A tenant has at most two searches at a time, and cannot take all places of queries.
 * Who has a place never waits for another one.
 */
export class SearchSlots {
  readonly #all: Slots;
  readonly #tenants = new SlotsOfEach<number>(PER_TENANT);
  readonly #queries: SlotsOfEach<number>;

  /**
   * @param poolMax the number of connections
   * @param timeoutMs how long one search may take in the database
   */
  constructor(
    poolMax: number,
    readonly timeoutMs: number,
  ) {
    const half = Math.max(1, Math.floor(poolMax / 2));
    this.#all = new Slots(half);
    this.#queries = new SlotsOfEach(Math.max(1, half - 1));
  }

  /** Does a query that holds one connection for as long as it lasts. Its searches run in `within`. */
  runQuery<Result>(tenantId: number, work: () => Promise<Result>): Promise<Result> {
    return this.#queries.run(tenantId, () => this.#all.run(work));
  }

  /** The searches of a query that has a place. */
  get within(): SearchSlots {
    return new PlacedSearches(this.timeoutMs);
  }

  /** @throws what `work` throws; ApiError rate_limited when too many of the tenant's searches wait already */
  async run<Result>(tenantId: number, work: () => Promise<Result>): Promise<Result> {
    if (this.#tenants.waitingCount(tenantId) >= WAITING_PER_TENANT_MAX) {
      throw rateLimited('Too many searches of this tenant are under way.', TRY_AGAIN_MS);
    }
    return await this.#tenants.run(tenantId, () => this.#all.run(work));
  }
}

class PlacedSearches extends SearchSlots {
  constructor(timeoutMs: number) {
    super(0, timeoutMs);
  }

  override run<Result>(_tenantId: number, work: () => Promise<Result>): Promise<Result> {
    return work();
  }
}

export interface SearchDeps {
  db: HasPool;
  searches: SearchSlots;
}

/**
 * Runs one statement that may have to read any amount, in a slot of the tenant. One without a name is planned for its
 * values, because rare values have indexes of their own, and common ones are found sooner in the order of ids.
 *
 * @param options.timeoutMs default: that of all searches
 * @param options.what the subject of the error
 * @param options.advice how a person can make it shorter
 * @throws ApiError search_timed_out when it does not end in time, after which it is stopped; rate_limited
 */
export function search<Row extends pg.QueryResultRow>(
  { db, searches }: SearchDeps,
  tenantId: number,
  statement: Statement,
  values: readonly unknown[],
  {
    timeoutMs = searches.timeoutMs,
    what = 'search',
    advice = SEARCH_LESS,
  }: { timeoutMs?: number; what?: string; advice?: string } = {},
): Promise<Row[]> {
  const settings = {
    name: 'bound_search',
    text: `select set_config('statement_timeout', $1, true), set_config('plan_cache_mode', $2, true)`,
    values: [String(timeoutMs), statement.name === undefined ? 'force_custom_plan' : 'force_generic_plan'],
  };
  return searches.run(tenantId, () =>
    tenantQuery<Row>(db.pool, tenantId, statement, values, settings).catch((error: unknown) => {
      throw searchError(error, `The ${what} took longer than ${timeoutMs / 1000} s. ${advice}`);
    }),
  );
}

/** The error of a search for its caller. @param ifTimedOut the detail when it took too long */
export const searchError = (error: unknown, ifTimedOut: string): unknown =>
  isTooSlow(error) ? new ApiError('search_timed_out', ifTimedOut) : error;
