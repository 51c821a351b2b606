import { type Change, changesBetween, fieldOf } from './changes.js';
import { compared, isListed, negation, someOf, type Truth } from './compare-values.js';
import { comparisonsIn } from './compile-filter.js';
import { isObject, parseExact } from './exact-json.js';
import { ExactNumber } from './exact-number.js';
import {
  asksChanges,
  CHANGE_OPS,
  type ElementCondition,
  type EventFilter,
  type FieldCondition,
  type FilterOp,
  type FilterScalar,
} from './filter.js';
import { namesOf, TYPE_PATH } from './filter-path.js';

/** Judges events as Postgres does with the compiled filter, and names the condition that an event does not meet. */

export interface FailedCondition extends FieldCondition {
  /** The place in the filter, such as `/all/1/field`; `/element` at its end: no one element meets all conditions. */
  pointer: string;
  /** It stands within `not`: the event meets it, or has a value of another type. */
  negated: boolean;
}

/** A place in a filter while an event is judged. */
interface Place {
  /** Where paths begin. */
  root: unknown;
  /** The path from the payload to it, with a dot behind it. */
  path: string;
  pointer: string;
}

/** So many comparisons take a tenth of a second: a filter that needs more is not asked (hookwright.readable_body). */
const COMPARISONS_MAX = 1_000_000;
const VALUE_CHARS = 256;

/** A state that filters look into: the payload, or the one before. */
class FilteredState {
  readonly isReadable: boolean;
  readonly value: unknown;
  /** About as many values does it have: long texts count as several. */
  readonly #values: number;

  /** @param body JSON */
  constructor(body: string) {
    this.isReadable = isReadable(body);
    this.value = this.isReadable ? parseExact(body) : null;
    this.#values = 1 + Math.floor(body.length / VALUE_CHARS) + body.split(',').length - 1;
  }

  /** Whether a filter with so many comparisons is asked. */
  isJudgedBy(comparisons: number): boolean {
    return this.isReadable && comparisons * this.#values <= COMPARISONS_MAX;
  }
}

/** An event for several filters. */
export class FilteredEvent {
  readonly #state: FilteredState;
  readonly #former: FilteredState | null;
  #changes: readonly Change[] | undefined;
  /** Conditions on the payload itself: each is judged once, though it is also looked at for the explanation. */
  readonly #judged = new WeakMap<FieldCondition, Truth>();

  /** @param body JSON, as `previous` is: the state before; null: it is not known */
  constructor(
    private readonly eventType: string,
    body: string,
    previous: string | null = null,
  ) {
    this.#state = new FilteredState(body);
    this.#former = previous === null ? null : new FilteredState(previous);
  }

  /**
   * The first condition that keeps the event from matching. Null: it matches, as one that jsonb cannot have does, and
   * one with too many values for the filter.
   */
  failedCondition(filter: EventFilter): FailedCondition | null {
    const comparisons = comparisonsIn(filter);
    const isFormerJudged = !asksChanges(filter) || (this.#former?.isJudgedBy(comparisons) ?? true);
    const isJudged = this.#state.isJudgedBy(comparisons) && isFormerJudged;
    const top = { root: this.#state.value, path: '', pointer: '' };
    return isJudged && this.#judge(filter, top.root) !== true ? this.#explain(filter, false, top) : null;
  }

  /** @param root where paths begin */
  #judge({ all, any, not, field, element }: EventFilter, root: unknown): Truth {
    if (field) {
      return this.#judgeCondition(field, root);
    }
    if (element) {
      return elementsAt(root, element.path).some((one) => this.#judge(element.match, one) === true);
    }
    const each = (one: EventFilter) => this.#judge(one, root);
    if (not) {
      return negation(each(not));
    }
    return all ? negation(someOf(all, (one) => negation(each(one)))) : someOf(any!, each);
  }

  /**
   * @param filter is not true, though it should be
   * @param negated it is not false instead
   */
  #explain({ all, any, not, field, element }: EventFilter, negated: boolean, at: Place): FailedCondition {
    const { root, path, pointer } = at;
    if (field) {
      return {
        ...field,
        path: `${field.path === TYPE_PATH ? '' : path}${field.path}`,
        pointer: `${pointer}/field`,
        negated,
      };
    }
    if (element) {
      return negated ? wholeElement(element, at, true) : this.#explainElement(element, at);
    }
    if (not) {
      return this.#explain(not, !negated, { ...at, pointer: `${pointer}/not` });
    }
    const members = (all ?? any)!;
    const index = members.findIndex((one) => this.#judge(one, root) !== !negated);
    return this.#explain(members[index]!, negated, { ...at, pointer: `${pointer}/${all ? 'all' : 'any'}/${index}` });
  }

  /** No element meets the filter. The part that none meets says most, if there is one. */
  #explainElement(element: ElementCondition, at: Place): FailedCondition {
    const { path, match } = element;
    const found = elementsAt(at.root, path);
    const parts = match.all ?? [match];
    const index = parts.findIndex((part) => !found.some((one) => this.#judge(part, one) === true));
    if (found.length === 0 || index === -1) {
      return wholeElement(element, at, false);
    }
    const pointer = `${at.pointer}/element/match${match.all ? `/all/${index}` : ''}`;
    return this.#explain(parts[index]!, false, { root: found[0], path: `${at.path}${path}.`, pointer });
  }

  #judgeCondition(condition: FieldCondition, root: unknown): Truth {
    if (root !== this.#state.value) {
      return this.#compare(condition, root);
    }
    const truth = this.#judged.get(condition) ?? this.#compare(condition, root);
    this.#judged.set(condition, truth);
    return truth;
  }

  /** Whether a field has changed, and what is said of its value before or now. */
  #judgeChange({ path, op, value }: FieldCondition): Truth {
    const names = namesOf(path)!;
    const field = fieldOf(names);
    this.#changes ??= this.#former === null ? [] : changesBetween(this.#former.value, this.#state.value);
    if (!this.#changes.some((one) => one.field.startsWith(field))) {
      return false;
    }
    const root = op === 'CHANGED_FROM' ? this.#former!.value : this.#state.value;
    const values = op === 'CHANGED' ? [] : valuesAt(root, names).flatMap(elements);
    return op === 'CHANGED' || someOf(values, (each) => compared(each, 'EQ', value as FilterScalar));
  }

  #compare({ path, op, value }: FieldCondition, root: unknown): Truth {
    if (CHANGE_OPS.includes(op)) {
      return this.#judgeChange({ path, op, value });
    }
    const found = path === TYPE_PATH ? [this.eventType] : valuesAt(root, namesOf(path)!);
    const values = found.flatMap(elements);
    const is = (name: FilterOp, one: unknown) => someOf(values, (each) => compared(each, name, one as FilterScalar));
    switch (op) {
      case 'EXISTS':
        return found.length > 0;
      case 'MISSING':
        return found.length === 0;
      case 'NE':
        return negation(is('EQ', value));
      case 'IN':
        return isListed(values, value as FilterScalar[]);
      case 'NOT_IN':
        return negation(isListed(values, value as FilterScalar[]));
      default:
        return is(op, value);
    }
  }
}

const wholeElement = ({ path }: ElementCondition, at: Place, negated: boolean): FailedCondition => ({
  path: `${at.path}${path}`,
  op: 'EXISTS',
  pointer: `${at.pointer}/element`,
  negated,
});

/** Elements of an array, but not of arrays in it. */
const elements = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

const elementsAt = (root: unknown, path: string): unknown[] => valuesAt(root, namesOf(path)!).flatMap(elements);

/** Loops: an array for each value would take several times as long. */
function valuesAt(payload: unknown, names: readonly string[]): unknown[] {
  let found: unknown[] = [payload];
  for (const name of names) {
    const next: unknown[] = [];
    for (const value of found) {
      for (const element of elements(value)) {
        if (hasMember(element, name)) {
          next.push(element[name]);
        }
      }
    }
    found = next;
  }
  return found;
}

const hasMember = (value: unknown, name: string): value is Record<string, unknown> =>
  isObject(value) && Object.hasOwn(value, name);

/** In valid JSON. The first kind is a whole surrogate pair. */
const ESCAPES = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|[^u])/g;
/** A NUL, or half of a surrogate pair. */
const UNREADABLE_ESCAPE = /^\\u(?:0000|[dD][89a-fA-F][\da-fA-F]{2})$/;

const TEXTS = /"[^"\\]*(?:\\.[^"\\]*)*"/g;
const NUMBERS = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** A number might be out of range: shorter ones without an exponent never are. */
const isLarge = (number: string): boolean => number.length > 1_000 || /[eE]/.test(number);

/** Whether jsonb can have the body: it cannot have some texts and numbers that JSON allows. */
function isReadable(body: string): boolean {
  const escapes = body.match(ESCAPES) ?? [];
  const numbers = body.replaceAll(TEXTS, '""').match(NUMBERS) ?? [];
  return (
    !escapes.some((one) => UNREADABLE_ESCAPE.test(one)) &&
    numbers.every((one) => !isLarge(one) || new ExactNumber(one).isNumeric)
  );
}
