import { fieldOf } from './changes.js';
import { conditionsIn, type EventFilter, type FieldCondition, type FilterScalar } from './filter.js';
import { namesOf, TYPE_PATH } from './filter-path.js';

/**
 * A filter as a jsonpath of Postgres, in its lax mode: an array on the path means any of its elements. It reads the
 * event type as `$type`, and what has changed as `$changed` and `$previous` (hookwright.filter_change).
 *
 * @param filter was read by readFilter
 */
export const compileFilter = (filter: EventFilter): string => compileBelow('$', filter);

/** @param root where paths begin: the payload, or the element that is judged */
function compileBelow(root: '$' | '@', { all, any, not, field, element }: EventFilter): string {
  if (field) {
    return compileCondition(root, field);
  }
  if (element) {
    return `exists(${pathBelow(root, element.path)} ? (${compileBelow('@', element.match)}))`;
  }
  const each = (one: EventFilter) => compileBelow(root, one);
  return not ? `!(${each(not)})` : joined((all ?? any)!.map(each), all ? '&&' : '||');
}

/** A search within a text takes as long as so many comparisons. */
const SEARCH_COMPARISONS = 4;

/** How often each field of an event is compared with values. */
export const comparisonsIn = (filter: EventFilter): number =>
  sumOf(filter, ({ op, value }) => (Array.isArray(value) ? value.length : op === 'CONTAINS' ? SEARCH_COMPARISONS : 1));

/** Postgres compiles a text before it searches for it, and keeps few of them: comparisons that take as long. */
const COMPILED_COMPARISONS = 300;
const COMPILED_COMPARISONS_PER_CHAR = 20;

/** How many comparisons take as long as compiling the texts that an event is searched for. */
export const compilingOf = (filter: EventFilter): number =>
  sumOf(filter, ({ op, value }) =>
    op === 'CONTAINS' ? COMPILED_COMPARISONS + COMPILED_COMPARISONS_PER_CHAR * (value as string).length : 0,
  );

const sumOf = (filter: EventFilter, of: (condition: FieldCondition) => number): number =>
  conditionsIn(filter).reduce((sum, { condition }) => sum + of(condition), 0);

const joined = (predicates: readonly string[], operator: '&&' | '||') => `(${predicates.join(` ${operator} `)})`;

/** `$changed` has the fields that have changed, with a dot behind each name. */
const changed = (path: string) => `($changed[*] starts with ${literal(fieldOf(namesOf(path)!))})`;

const COMPARISONS = { EQ: '==', GT: '>', GE: '>=', LT: '<', LE: '<=' };

function compileCondition(root: '$' | '@', { path, op, value }: FieldCondition): string {
  const field = path === TYPE_PATH ? '$type' : pathBelow(root, path);
  const equals = (one: unknown) => `${field} == ${literal(one as FilterScalar)}`;
  switch (op) {
    case 'EXISTS':
      return `exists(${field})`;
    case 'MISSING':
      return `!(exists(${field}))`;
    case 'NE':
      return `!(${equals(value)})`;
    case 'IN':
      return joined((value as unknown[]).map(equals), '||');
    case 'NOT_IN':
      return `!${joined((value as unknown[]).map(equals), '||')}`;
    case 'STARTS_WITH':
      return `(${field} starts with ${literal(value as string)})`;
    case 'CHANGED':
      return changed(path);
    case 'CHANGED_FROM':
      return `(${changed(path)} && ${pathBelow('$previous', path)} == ${literal(value as FilterScalar)})`;
    case 'CHANGED_TO':
      return `(${changed(path)} && ${equals(value)})`;
    case 'CONTAINS':
      return `(${field} like_regex ${literal(value as string)} flag "q")`; // q: every character means itself
    default:
      return `(${field} ${COMPARISONS[op]} ${literal(value as FilterScalar)})`;
  }
}

const pathBelow = (root: '$' | '@' | '$previous', path: string): string =>
  [root, ...namesOf(path)!.map(literal)].join('.');

/** @param path is well formed */
export const compilePath = (path: string): string => pathBelow('$', path);

/** A value or a name in a jsonpath, which has the escapes of JSON. */
const literal = (value: FilterScalar): string => JSON.stringify(value);
