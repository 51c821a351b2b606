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
  /** A list of which one element must meet all rows below it: `lines` for `lines.sku`. Only with `all`. */
  elementOf?: string | undefined;
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

interface Conditions extends Pick<FilterDraft, 'join' | 'elementOf'> {
  conditions: readonly FieldCondition[];
}

/** The conditions of a filter that is nested no further than in the element of a list; undefined for another one. */
export function conditionsOf(filter: EventFilter): Conditions | undefined {
  const join = filter.any == null ? 'all' : 'any';
  const parts = filter.field == null && filter.element == null ? (filter[join] ?? []) : [filter];
  const element = join === 'all' ? parts.at(-1)?.element : null;
  const fields = element == null ? parts : parts.slice(0, -1);
  const own = fields.flatMap(({ field }) => field ?? []);
  const within = element == null ? [] : conditionsBelow(element.path, element.match);
  const conditions = [...own, ...(within ?? [])];
  const isShown = filter.not == null && within !== undefined && own.length === fields.length && conditions.length > 0;
  return isShown ? { join, conditions, ...(element == null ? {} : { elementOf: element.path }) } : undefined;
}

/** The conditions on one element, with their paths from the payload on. */
function conditionsBelow(list: string, match: EventFilter): FieldCondition[] | undefined {
  const { join, conditions, elementOf } = conditionsOf(match) ?? {};
  return join === 'all' && elementOf === undefined
    ? conditions!.map((one) => ({ ...one, path: `${list}.${one.path}` }))
    : undefined;
}

/** A filter as rows; undefined where they cannot show it. */
export function rowsOf(filter: EventFilter): FilterDraft | undefined {
  const { conditions, ...draft } = conditionsOf(filter) ?? {};
  return (
    conditions && {
      ...(draft as FilterDraft),
      rows: conditions.map(({ path, op, value }, key) => ({ key, path, op, value: valueText(value, op) })),
    }
  );
}

/** The rows that somebody has filled in, in the order that the filter has them: those on one element come last. */
export function writtenRows({ rows, join, elementOf }: FilterDraft): FilterRow[] {
  const written = rows.filter((row) => !isBlank(row));
  const isBelow = ({ path }: FilterRow) => join === 'all' && elementOf !== undefined && isWithin(elementOf, path);
  return [...written.filter((row) => !isBelow(row)), ...written.filter(isBelow)];
}

const isWithin = (list: string, path: string): boolean => path.trim().startsWith(`${list}.`);

/** Whether somebody has written into a row. */
export const isWritten = (row: FilterRow): boolean => !isBlank(row);

const isBlank = ({ path, op, value }: FilterRow): boolean =>
  path.trim() === '' && value.trim() === '' && op === NEW_ROW.op;

/** The filter that rows make; null: every event passes. */
export function filterOfRows(draft: FilterDraft, kindsAt: KindsAt): EventFilter | null {
  const { join, elementOf: list } = draft;
  const conditionOf = ({ path, op, value }: FilterRow, below = ''): EventFilter => {
    const name = path.trim();
    const given = hasValue(op) ? { value: readValue(value, op, kindsAt(name)) } : {};
    return { field: { path: name.slice(below.length), op, ...given } };
  };
  const rows = writtenRows(draft);
  const below = rows.filter(({ path }) => join === 'all' && list !== undefined && isWithin(list, path));
  const own = rows.slice(0, rows.length - below.length).map((row) => conditionOf(row));
  const match = joined(
    'all',
    below.map((row) => conditionOf(row, `${list}.`)),
  );
  return joined(join, match === null ? own : [...own, { element: { path: list!, match } }]);
}

const joined = (join: FilterDraft['join'], parts: readonly EventFilter[]): EventFilter | null =>
  parts.length < 2 ? (parts[0] ?? null) : { [join]: parts };

export const hasValue = (op: FilterOp): boolean => op !== 'EXISTS' && op !== 'MISSING' && op !== 'CHANGED';

/** Whether a row can be sent: the service judges the rest. */
export const isWhole = ({ path, op, value }: FilterRow): boolean =>
  path.trim() !== '' && (!hasValue(op) || value.trim() !== '');

/**
 * The number of the condition at which a filter breaks a rule, among `writtenRows`, and its member.
 *
 * @param path from the filter on
 */
export function rowAt(path: readonly (string | number)[], before = 0): { row: number; at: string } | undefined {
  const [joined, index, ...rest] = path;
  if (joined === 'field') {
    return { row: before, at: String(index) };
  }
  if (joined === 'element') {
    return index === 'match' ? rowAt(rest, before) : undefined;
  }
  return typeof index === 'number' ? rowAt(rest, before + index) : undefined;
}
