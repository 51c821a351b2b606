import { compareTexts } from './compare-values.js';
import { isObject, writtenNumber } from './exact-json.js';
import { ExactNumber } from './exact-number.js';

/** Changes between two states that an event reports, as the SQL function `hookwright.changes` finds them. */

/** Former states in contents, among what daemons report to know. */
export const CHANGES_SKILL = { name: 'changes', since: '0.2.0' };

type Kind = 'added' | 'updated' | 'removed';

export interface Change {
  change: Kind;
  /** Names with dots between them, and places in brackets, such as `lines[0].sku`. */
  path: string;
  /** The names alone, with a dot behind each, as filters compare them. */
  field: string;
}

/** Changes for people and receivers: the paths in their order, by code points. */
export interface ShownChanges extends Record<Kind, readonly string[]> {
  /** Whether there are more. */
  truncated: boolean;
}
const PATHS_SHOWN_MAX = 1_000;
/** Below a longer path nothing is looked at: a name may be as long as a payload, and each path has it again. */
const PATH_BYTES_MAX = 1_000;

const MISSING = Symbol('missing');

/**
 * How two JSON objects differ: each value that is no object and no list, or an empty one, and is on one side alone or
 * another one. Where one side has an object or a list and the other has something else, that is updated, too. Elements
 * of lists are compared by their places.
 *
 * @param before and `after` with exact numbers (parseExact)
 */
export function changesBetween(before: unknown, after: unknown): Change[] {
  const found: Change[] = [];
  walkBelow(before, after, { path: '', field: '' }, found);
  return found;
}

type At = Omit<Change, 'change'>;

function walk(before: unknown, after: unknown, at: At, found: Change[]): void {
  const kinds = [kindOf(before), kindOf(after)] as const;
  if (kinds[0] === kinds[1] && !isContainer(kinds[0]) && isSame(before, after)) {
    return;
  }
  const isEnd = at.path.length > PATH_BYTES_MAX / 3 && Buffer.byteLength(at.path) > PATH_BYTES_MAX;
  if (isEnd && isDeepSame(before, after)) {
    return;
  }
  if (before === MISSING || after === MISSING) {
    const there = before === MISSING ? after : before;
    if (isEnd || !isContainer(kindOf(there)) || Object.keys(there as object).length === 0) {
      found.push({ change: before === MISSING ? 'added' : 'removed', ...at });
    }
  } else if (kinds[0] !== kinds[1] || !isContainer(kinds[0]) || isEnd) {
    found.push({ change: 'updated', ...at });
  }
  if (!isEnd) {
    walkBelow(before, after, at, found);
  }
}

function walkBelow(before: unknown, after: unknown, { path, field }: At, found: Change[]): void {
  const [old, now] = [objectOf(before), objectOf(after)];
  const step = (name: string) => {
    const written = writtenName(name);
    walk(
      memberOf(old, name),
      memberOf(now, name),
      {
        path: path === '' ? written : `${path}.${written}`,
        field: `${field}${written}.`,
      },
      found,
    );
  };
  for (const name in old) {
    step(name);
  }
  for (const name in now) {
    if (!Object.hasOwn(old, name)) {
      step(name);
    }
  }
  const [oldList, list] = [Array.isArray(before) ? before : [], Array.isArray(after) ? after : []];
  for (let place = 0; place < Math.max(oldList.length, list.length); place++) {
    const at = { path: `${path}[${place}]`, field };
    walk(place < oldList.length ? oldList[place] : MISSING, place < list.length ? list[place] : MISSING, at, found);
  }
}

type Members = Readonly<Record<string, unknown>>;
const NONE: Members = Object.freeze(Object.create(null));

const objectOf = (value: unknown): Members => (value !== MISSING && isObject(value) ? value : NONE);
const memberOf = (members: Members, name: string): unknown => (Object.hasOwn(members, name) ? members[name] : MISSING);

function kindOf(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  return Array.isArray(value) ? 'array' : writtenNumber(value) === null ? typeof value : 'number';
}

const isContainer = (kind: string): boolean => kind === 'object' || kind === 'array';

/** @param one of the same kind, which is no object and no list */
function isSame(one: unknown, other: unknown): boolean {
  const [written, otherWritten] = [writtenNumber(one), writtenNumber(other)];
  return written === null && otherWritten === null
    ? one === other
    : new ExactNumber(written ?? String(one)).compare(new ExactNumber(otherWritten ?? String(other))) === 0;
}

/** Whether nothing differs, however deep. */
function isDeepSame(before: unknown, after: unknown): boolean {
  if (kindOf(before) !== kindOf(after) || before === MISSING) {
    return false;
  }
  if (!isContainer(kindOf(before))) {
    return isSame(before, after);
  }
  const [old, now] = [before, after] as [Members, Members];
  const names = Object.keys(old);
  return (
    names.length === Object.keys(now).length &&
    names.every((name) => Object.hasOwn(now, name) && isDeepSame(old[name], now[name]))
  );
}

const BARE = /^[A-Za-z0-9_-]+$/;
const writtenName = (name: string): string => (BARE.test(name) ? name : JSON.stringify(name));

/** The field that the names of a path lead to, as `field` of a change begins when something in it has changed. */
export const fieldOf = (names: readonly string[]): string => names.map((name) => `${writtenName(name)}.`).join('');

/** The first paths of all changes, by their kinds. */
export function shownChanges(changes: readonly Change[]): ShownChanges {
  const sorted = changes.toSorted((one, other) => compareTexts(one.path, other.path)).slice(0, PATHS_SHOWN_MAX);
  const of = (kind: Kind) => sorted.flatMap(({ change, path }) => (change === kind ? [path] : []));
  return {
    added: of('added'),
    updated: of('updated'),
    removed: of('removed'),
    truncated: changes.length > PATHS_SHOWN_MAX,
  };
}

/** All paths of some changes, in their order. */
export const changedPaths = ({ added, updated, removed }: ShownChanges): string[] =>
  [...new Set([...added, ...updated, ...removed])].sort(compareTexts);
