import type pg from 'pg';
import { Slots, SlotsOfEach } from '../../concurrency/slots.js';
import type { Database, Statement } from '../../database/database.js';
import { query } from '../../database/database.js';
import { isTooSlow } from '../../database/driver/sql-state.js';
import { tenantTransaction } from '../../database/tenant-database.js';
import { ApiError, rateLimited } from '../../errors.js';

/** Rows with `above < id < below`, at most `limit` in this order of ids. */
export interface Bounds {
  above: number;
  below: number;
  order: 'asc' | 'desc';
  limit: number;
}

/** The conditions of a statement as they come together, and the values of their placeholders. */
export class Conditions {
  readonly values: unknown[] = [];
  readonly #texts: string[] = [];

  /** @returns the placeholder of a value */
  place(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  add(text: string): void {
    this.#texts.push(text);
  }

  /** ` and …` for each. */
  get sql(): string {
    return this.#texts.map((text) => ` and ${text}`).join('');
  }
}

/**
 * Only here, and not for the whole pool: a search is planned for its values, because what is rare has indexes of its
 * own and what is common is found sooner in the order of ids.
 */
const boundStatement: Statement = {
  name: 'bound_search',
  text: `select set_config('statement_timeout', $1, true), set_config('plan_cache_mode', 'force_custom_plan', true)`,
};

const limitStatement: Statement = {
  name: 'limit_search',
  text: `select set_config('statement_timeout', $1, true)`,
};

/** What ended a search. @param ifTimedOut the detail where that was the time it took */
export const searchError = (error: unknown, ifTimedOut: string): unknown =>
  isTooSlow(error) ? new ApiError('search_timed_out', ifTimedOut) : error;

const PER_TENANT = 2;
const WAITING_PER_TENANT_MAX = 50;
const TRY_AGAIN_MS = 2_000;

/**
 * Searches, and sums of statistics, may last seconds. They leave half of a process's connections to everything else,
 * and a tenant has at most two at a time, so that none keeps the others from searching.
 */
export class SearchTurns {
  readonly #all: Slots;
  readonly #tenants = new SlotsOfEach<number>(PER_TENANT);

  /** @param poolMax how many connections there are */
  constructor(
    poolMax: number,
    /** How long one search may take in the database. */
    readonly timeoutMs: number,
  ) {
    this.#all = new Slots(Math.max(1, Math.floor(poolMax / 2)));
  }

  /** @throws what `work` throws; ApiError rate_limited when too many of the tenant's searches wait already */
  async run<Result>(tenantId: number, work: () => Promise<Result>): Promise<Result> {
    if (this.#tenants.waitingCount(tenantId) >= WAITING_PER_TENANT_MAX) {
      throw rateLimited('Too many searches of this tenant are under way.', TRY_AGAIN_MS);
    }
    return await this.#tenants.run(tenantId, () => this.#all.run(work));
  }
}

export interface SearchDeps {
  db: Pick<Database, 'pool'>;
  searches: SearchTurns;
}

const SEARCH_LESS = 'Search a shorter time, with since and until, or name more: a webhook, an event.';

/**
 * Runs one statement of which nobody knows beforehand how much it has to read, when it is the tenant's turn.
 *
 * @param advice what makes it shorter, for a person
 * @throws ApiError search_timed_out when it does not end in time, and nothing of it goes on then; rate_limited
 */
export function search<Row extends pg.QueryResultRow>(
  deps: SearchDeps,
  tenantId: number,
  text: string,
  values: readonly unknown[],
  advice = SEARCH_LESS,
): Promise<Row[]> {
  return inTurn(deps, tenantId, {
    bound: boundStatement,
    statement: { text },
    values,
    what: 'search',
    advice,
  });
}

/** As `search`, of a prepared statement that is not planned for its values. */
export function searchPrepared<Row extends pg.QueryResultRow>(
  deps: SearchDeps,
  tenantId: number,
  statement: Statement,
  values: readonly unknown[],
  { what, advice }: { what: string; advice: string },
): Promise<Row[]> {
  return inTurn(deps, tenantId, { bound: limitStatement, statement, values, what, advice });
}

interface Search {
  /** Takes the time limit, in ms. */
  bound: Statement;
  statement: { name?: string; text: string };
  values: readonly unknown[];
  what: string;
  advice: string;
}

function inTurn<Row extends pg.QueryResultRow>(
  { db, searches }: SearchDeps,
  tenantId: number,
  { bound, statement, values, what, advice }: Search,
): Promise<Row[]> {
  const { timeoutMs } = searches;
  return searches.run(tenantId, async () => {
    let rows: Promise<Row[]> = Promise.resolve([]);
    try {
      await tenantTransaction(db.pool, tenantId, async (client, withCommit) => {
        withCommit(query(client, bound, [String(timeoutMs)]));
        rows = query<Row>(client, statement, values);
        withCommit(rows);
      });
    } catch (error) {
      throw searchError(error, `The ${what} took longer than ${timeoutMs / 1000} s. ${advice}`);
    }
    return rows;
  });
}
