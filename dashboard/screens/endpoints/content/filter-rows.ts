import type { EventFilter, FieldCondition, FilterOp } from '../../../../src/domain/content/filter.js';
import { type KindsAt, readValue, valueText } from './filter-values.js';

/** A condition as somebody writes it. */
export interface FilterRow {
  key: number;
  path: string;
  op: FilterOp;
  /** As typed: see `readValue`. */
  value: string;
}

export interface FilterDraft {
  /** Whether an event must meet all rows, or one of them. */
  join: 'all' | 'any';
  rows: readonly FilterRow[];
  /** The whole filter in JSON, where it is written so. The rows do not count then. */
  text?: string | undefined;
}

/** A row that nobody has written into. */
export const NEW_ROW = { path: '', op: 'EQ', value: '' } as const satisfies Omit<FilterRow, 'key'>;

const NO_FILTER: FilterDraft = { join: 'all', rows: [] };

/** What a form begins with. A nested filter, which rows cannot show, is a text. */
export function filterDraftOf(stored: EventFilter | null | undefined): FilterDraft {
  if (stored == null) {
    return NO_FILTER;
  }
  return rowsOf(stored) ?? { ...NO_FILTER, text: JSON.stringify(stored, null, 2) };
}

/** The conditions of a filter that is not nested; undefined for another one. */
export function conditionsOf(
  filter: EventFilter,
): { join: FilterDraft['join']; conditions: readonly FieldCondition[] } | undefined {
  const join = filter.any == null ? 'all' : 'any';
  const parts = filter.field == null ? filter[join] : [filter];
  const conditions = (parts ?? []).map(({ field }) => field);
  const isFlat = filter.not == null && conditions.length > 0 && conditions.every((one) => one != null);
  return isFlat ? { join, conditions: conditions as FieldCondition[] } : undefined;
}

/** A filter as rows; undefined where they cannot show it. */
export function rowsOf(filter: EventFilter): FilterDraft | undefined {
  const { join, conditions } = conditionsOf(filter) ?? {};
  return (
    join && {
      join,
      rows: conditions!.map(({ path, op, value }, key) => ({ key, path, op, value: valueText(value, op) })),
    }
  );
}

/** The rows that somebody has filled in. */
export const writtenRows = (rows: readonly FilterRow[]): FilterRow[] => rows.filter((row) => !isBlank(row));

const isBlank = ({ path, op, value }: FilterRow): boolean =>
  path.trim() === '' && value.trim() === '' && op === NEW_ROW.op;

/** The filter that rows make; null: every event passes. */
export function filterOfRows({ join, rows }: FilterDraft, kindsAt: KindsAt): EventFilter | null {
  const conditions = writtenRows(rows).map(({ path, op, value }): EventFilter => {
    const name = path.trim();
    return { field: { path: name, op, ...(hasValue(op) ? { value: readValue(value, op, kindsAt(name)) } : {}) } };
  });
  return conditions.length < 2 ? (conditions[0] ?? null) : { [join]: conditions };
}

export const hasValue = (op: FilterOp): boolean => op !== 'EXISTS' && op !== 'MISSING';

/** Whether a row can be sent: the service judges the rest. */
export const isWhole = ({ path, op, value }: FilterRow): boolean =>
  path.trim() !== '' && (!hasValue(op) || value.trim() !== '');

/** The number of the condition at which a filter breaks a rule, and its member. @param path from the filter on */
export function rowAt([joined, index, ...rest]: readonly (string | number)[]): { row: number; at: string } | undefined {
  if (joined === 'field') {
    return { row: 0, at: String(index) };
  }
  return typeof index === 'number' && rest[0] === 'field' ? { row: index, at: String(rest[1]) } : undefined;
}
