import type { Converter, ConverterStep } from '../../src/domain/content/converter.js';
import { pathOf } from '../../src/domain/content/filter-path.js';
import { fc } from './properties.js';

/** A payload's form: fields by names. Each is required, and there are no others. */
interface Form {
  [name: string]: Kind;
}
type Kind = 'text' | 'number' | 'flag' | { object: Form } | { list: Form } | { texts: true };

/** Names that programs trip over. */
const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a.b', '[]', '"', 'é', '0', 'payload', ''];
const name = fc.oneof(fc.constantFrom(...NAMES), fc.stringMatching(/^[a-z]{1,6}$/));

const own = (entries: [string, Kind][]): Form => {
  const form: Form = {};
  for (const [key, value] of entries) {
    Object.defineProperty(form, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return form;
};

const { form } = fc.letrec<{ form: Form; kind: Kind }>((tie) => ({
  form: fc.uniqueArray(fc.tuple(name, tie('kind')), { minLength: 1, maxLength: 4, selector: ([key]) => key }).map(own),
  kind: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Kind>('text', 'number', 'flag', { texts: true }),
    tie('form').map((object) => ({ object })),
    tie('form').map((list) => ({ list })),
  ),
}));

/** Each level of a form, with the path that leads to it. */
function levels(of: Form, path = '', depth = 0): { level: Form; path: string; depth: number }[] {
  const inner = Object.entries(of).flatMap(([key, kind]) => {
    const at = `${path}${pathOf([key])}`;
    return typeof kind === 'object' && 'object' in kind
      ? levels(kind.object, `${at}.`, depth + 1)
      : typeof kind === 'object' && 'list' in kind
        ? levels(kind.list, `${at}[].`, depth + 1)
        : [];
  });
  return [{ level: of, path, depth }, ...inner];
}

/** A change of one field: the level of the newer form, and the steps back. Null: the name is taken. */
type Change = (level: Form, path: string, key: string, other: string) => { newer: Form; back: ConverterStep[] } | null;

const without = (level: Form, key: string) => own(Object.entries(level).filter(([one]) => one !== key));
const having = (level: Form, key: string, kind: Kind) => own([...Object.entries(without(level, key)), [key, kind]]);
/** Paths have ten names at most. */
const LEVELS_MAX = 7;
const SET_VALUES = { text: 'old', number: 7, flag: false } as const;

const changes: Record<string, Change> = {
  rename: (level, path, key, other) =>
    Object.hasOwn(level, other)
      ? null
      : {
          newer: having(without(level, key), other, level[key]!),
          back: [{ op: 'RENAME', path: `${path}${pathOf([other])}`, to: pathOf([key]) }],
        },
  moveInto: (level, path, key, other) =>
    Object.hasOwn(without(level, key), other)
      ? null
      : {
          newer: having(without(level, key), other, { object: own([['inner', level[key]!]]) }),
          back: [
            { op: 'MOVE', path: `${path}${pathOf([other])}.inner`, to: `${path}${pathOf([key])}` },
            ...(key === other ? [] : [{ op: 'REMOVE', path: `${path}${pathOf([other])}` } as const]),
          ],
        },
  wrap: (level, path, key) => ({
    newer: having(level, key, {
      object: own([
        ['value', level[key]!],
        ['unit', 'text'],
      ]),
    }),
    back: [{ op: 'UNWRAP', path: `${path}${pathOf([key])}.value` }],
  }),
  toList: (level, path, key) =>
    level[key] === 'text'
      ? { newer: having(level, key, { texts: true }), back: [{ op: 'UNWRAP', path: `${path}${pathOf([key])}[]` }] }
      : null,
  add: (level, path, _, other) =>
    Object.hasOwn(level, other)
      ? null
      : { newer: having(level, other, 'text'), back: [{ op: 'REMOVE', path: `${path}${pathOf([other])}` }] },
  drop: (level, path, key) => {
    const kind = level[key]!;
    return typeof kind === 'string'
      ? {
          newer: without(level, key),
          back: [{ op: 'SET', path: `${path}${pathOf([key])}`, value: SET_VALUES[kind] }],
        }
      : null;
  },
};

/** The same form with another level in place of one. */
function replaced(of: Form, old: Form, newer: Form): Form {
  if (of === old) {
    return newer;
  }
  return own(
    Object.entries(of).map(([key, kind]): [string, Kind] => {
      if (typeof kind === 'object' && 'object' in kind) {
        return [key, { object: replaced(kind.object, old, newer) }];
      }
      return [key, typeof kind === 'object' && 'list' in kind ? { list: replaced(kind.list, old, newer) } : kind];
    }),
  );
}

interface Version {
  form: Form;
  /** To the version before. */
  converter: Converter;
}

/** The versions of an event type, the first one first. */
export const versions: fc.Arbitrary<Version[]> = fc
  .tuple(
    form,
    fc.array(
      fc.array(fc.tuple(fc.constantFrom(...Object.keys(changes)), fc.nat(), fc.nat(), name), {
        minLength: 1,
        maxLength: 4,
      }),
      { minLength: 1, maxLength: 5 },
    ),
  )
  .map(([first, history]) => {
    const all: Version[] = [{ form: first, converter: [] }];
    for (const edits of history) {
      let { form: current } = all.at(-1)!;
      let converter: ConverterStep[] = [];
      for (const [kind, levelAt, keyAt, other] of edits) {
        const places = levels(current);
        const { level, path, depth } = places[levelAt % places.length]!;
        const keys = Object.keys(level);
        const key = keys[keyAt % Math.max(1, keys.length)];
        const change = key === undefined || depth > LEVELS_MAX ? null : changes[kind]!(level, path, key, other);
        if (change !== null) {
          current = replaced(current, level, change.newer);
          converter = [...change.back, ...converter];
        }
      }
      all.push({ form: current, converter });
    }
    return all;
  });

/** A JSON Schema that takes a form and nothing else. */
export function schemaOf(of: Form): Record<string, unknown> {
  const properties = own([]) as Record<string, unknown>;
  for (const [key, kind] of Object.entries(of)) {
    Object.defineProperty(properties, key, { value: kindSchema(kind), enumerable: true });
  }
  // Ajv takes __proto__ for no name of a property.
  const closed = Object.hasOwn(of, '__proto__') ? {} : { additionalProperties: false };
  return { type: 'object', properties, required: Object.keys(of), ...closed };
}

function kindSchema(kind: Kind): Record<string, unknown> {
  if (typeof kind === 'string') {
    return { type: kind === 'text' ? 'string' : kind === 'number' ? 'number' : 'boolean' };
  }
  if ('texts' in kind) {
    return { type: 'array', items: { type: 'string' } };
  }
  return 'object' in kind ? schemaOf(kind.object) : { type: 'array', items: schemaOf(kind.list) };
}

const NUMBERS = ['0', '-0', '7', '10.50', '9007199254740993', '1e400', '-1.0E-7'];

/** The text of a payload in a form. @param next chance */
export function payloadIn(of: Form, next: () => number): string {
  const members = Object.entries(of).map(([key, kind]) => `${JSON.stringify(key)}:${valueIn(kind, next)}`);
  return `{${members.join(',')}}`;
}

function valueIn(kind: Kind, next: () => number): string {
  if (typeof kind === 'string') {
    const texts = ['"x"', '"\\u0000"', '"\\ud800"', '"__proto__"', '""'];
    const values = { text: texts, number: NUMBERS, flag: ['true', 'false'] }[kind];
    return values[next() % values.length]!;
  }
  if ('object' in kind) {
    return payloadIn(kind.object, next);
  }
  // One element at least: nothing takes the place of an empty list.
  const items = Array.from({ length: 1 + (next() % 2) }, () =>
    'texts' in kind ? valueIn('text', next) : payloadIn(kind.list, next),
  );
  return `[${items.join(',')}]`;
}
