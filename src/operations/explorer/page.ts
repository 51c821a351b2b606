import type pg from 'pg';
import { IDS_PER_DAY } from '../../domain/ids/delivery-id.js';
import type { Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import { type SearchDeps, search } from './search.js';

/** Rows with `above < id < below`, at most `limit` in this order of ids. */
export interface Bounds {
  above: number;
  below: number;
  order: 'asc' | 'desc';
  limit: number;
}

/** The conditions of a page. Its tenant, above, below and limit are `$1` to `$4`. */
export class PageConditions {
  readonly values: unknown[];
  /** ` and …` for each condition. */
  sql = '';

  constructor(tenantId: number, { above, below, limit }: Bounds) {
    this.values = [tenantId, above, below, limit];
  }

  /** @returns the parameter of a value */
  param(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** Adds a condition; none when the value is undefined. */
  and<Value>(value: Value | undefined, text: (parameter: string) => string): void {
    if (value !== undefined) {
      this.sql += ` and ${text(this.param(value))}`;
    }
  }
}

/** Reads a page: as a search when nobody knows how much it has to read, else by its prepared statement. */
export function readPage<Row extends pg.QueryResultRow>(
  deps: SearchDeps,
  { values }: PageConditions,
  { name, text, isSearch }: Statement & { name: string; isSearch: boolean },
): Promise<Row[]> {
  const tenantId = values[0] as number;
  return isSearch
    ? search(deps, tenantId, { text }, values)
    : tenantQuery(deps.db.pool, tenantId, { name, text }, values);
}

/**
 * SQL condition: this delivery is of the event with the id `eventId`. No delivery is a day older than its event,
 * whatever clocks do, so earlier days are not opened.
 */
export const ofEventSql = (delivery: string, eventId: string) =>
  `${delivery}.event_id = ${eventId} and ${delivery}.id > ${eventId} - ${IDS_PER_DAY}`;
