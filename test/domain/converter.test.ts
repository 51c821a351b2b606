import { describe, expect, test } from 'vitest';
import { contentOf } from '../../src/domain/content/content.js';
import { Conversion } from '../../src/domain/content/conversion.js';
import type { Converter } from '../../src/domain/content/converter.js';
import { placeOf } from '../../src/domain/content/converter-place.js';
import { readConverter } from '../../src/domain/content/read-converter.js';
import { TooLarge } from '../../src/domain/content/work.js';
import { compileEventSchema } from '../../src/platform/payload-checks/payload-check.js';
import { fc } from '../support/properties.js';
import { payloadIn, schemaOf, versions } from '../support/schema-changes.js';

const GROWTH = 262_144;
const converted = (body: string, ...converters: Converter[]) => new Conversion(converters).of(body, GROWTH);
const as = (payload: unknown, ...steps: Converter): unknown => JSON.parse(converted(JSON.stringify(payload), steps));

describe('a step', () => {
  test('RENAME gives a field another name, in each element of a list', () => {
    expect(as({ mail: 'a' }, { op: 'RENAME', path: 'mail', to: 'email' })).toEqual({ email: 'a' });
    expect(as({ lines: [{ sku: 1 }, { n: 2 }, 3] }, { op: 'RENAME', path: 'lines[].sku', to: 'item' })).toEqual({
      lines: [{ item: 1 }, { n: 2 }, 3],
    });
  });

  test('MOVE takes a value elsewhere, and makes objects that lack on the way', () => {
    expect(as({ street: 'x' }, { op: 'MOVE', path: 'street', to: 'address.home.street' })).toEqual({
      address: { home: { street: 'x' } },
    });
    expect(as({ a: 1 }, { op: 'MOVE', path: 'a', to: 'a.value' })).toEqual({ a: { value: 1 } });
    expect(as({ l: [[{ a: { b: 1 } }]] }, { op: 'MOVE', path: 'l[][].a.b', to: 'l[][].b' })).toEqual({
      l: [[{ a: {}, b: 1 }]],
    });
  });

  test('MOVE does nothing where a value of another kind is on the way', () => {
    expect(as({ a: 1, b: 'text' }, { op: 'MOVE', path: 'a', to: 'b.a' })).toEqual({ a: 1, b: 'text' });
  });

  test('REMOVE removes a field', () => {
    expect(as({ a: { b: 1, c: 2 } }, { op: 'REMOVE', path: 'a.b' })).toEqual({ a: { c: 2 } });
  });

  test('SET sets a value in objects that are there, and each has its own', () => {
    const steps: Converter = [
      { op: 'SET', path: 'lines[].price', value: {} },
      { op: 'MOVE', path: 'lines[].amount', to: 'lines[].price.amount' },
      { op: 'SET', path: 'customer.kind', value: null },
    ];
    expect(as({ lines: [{ amount: 1 }, { amount: 2 }] }, ...steps)).toEqual({
      lines: [{ price: { amount: 1 } }, { price: { amount: 2 } }],
    });
  });

  test('UNWRAP puts a value in place of its object, its list, or the payload', () => {
    expect(as({ total: { value: 7, unit: 'EUR' } }, { op: 'UNWRAP', path: 'total.value' })).toEqual({ total: 7 });
    expect(as({ mails: ['a', 'b'], none: [] }, { op: 'UNWRAP', path: 'mails[]' })).toEqual({ mails: 'a', none: [] });
    expect(as({ data: { id: 1 } }, { op: 'UNWRAP', path: 'data' })).toEqual({ id: 1 });
    expect(as({ data: 'text' }, { op: 'UNWRAP', path: 'data' })).toEqual({ data: 'text' });
    expect(as({ payload: { x: 1 } }, { op: 'UNWRAP', path: 'payload.x' })).toEqual({ payload: 1 });
    expect(as({ l: [[{ v: 1 }], []] }, { op: 'UNWRAP', path: 'l[][].v' })).toEqual({ l: [[1], []] });
  });

  test('over a missing field does nothing', () => {
    const missing: Converter = [
      { op: 'RENAME', path: 'a.b', to: 'c' },
      { op: 'MOVE', path: 'x', to: 'y.z' },
      { op: 'REMOVE', path: 'l[].x' },
      { op: 'SET', path: 'none.x', value: 1 },
      { op: 'UNWRAP', path: 'e[]' },
    ];
    expect(as({ a: null, l: {}, e: [] }, ...missing)).toEqual({ a: null, l: {}, e: [] });
  });
});

test('numbers stay as they were written, and a converter without steps changes no byte', () => {
  const body = '{ "a":9007199254740993, "b":10.50 , "c":1e400,"d":-0}';
  expect(converted(body, [{ op: 'RENAME', path: 'a', to: 'id' }])).toBe(
    '{"b":10.50,"c":1e400,"d":-0,"id":9007199254740993}',
  );
  expect(converted(body, [], [])).toBe(body);
});

test('hostile names are names as others are, and no prototype changes', () => {
  const body = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":2}';
  expect(converted(body, [{ op: 'RENAME', path: '__proto__', to: 'constructor' }])).toBe(
    '{"constructor":{"polluted":1},"toString":2}',
  );
  expect(converted('{"a":1}', [{ op: 'RENAME', path: 'a', to: '__proto__' }])).toBe('{"__proto__":1}');
  expect(converted('{"a":1}', [{ op: 'MOVE', path: 'a', to: '__proto__.polluted' }])).toBe(
    '{"__proto__":{"polluted":1}}',
  );
  expect(converted('{"a":{}}', [{ op: 'SET', path: 'a.__proto__', value: { polluted: 1 } }])).toBe(
    '{"a":{"__proto__":{"polluted":1}}}',
  );
  expect(converted('{}', [{ op: 'SET', path: 'constructor.prototype.polluted', value: 1 }])).toBe('{}');
  expect(converted('{}', [{ op: 'MOVE', path: 'toString', to: 'x' }])).toBe('{}');
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('payloads of an old version fit its schema, after any history of changes with their converters', () => {
  fc.assert(
    fc.property(versions, fc.array(fc.nat(), { minLength: 1, maxLength: 30 }), (all, chances) => {
      let at = 0;
      const body = payloadIn(all.at(-1)!.form, () => chances[at++ % chances.length]!);
      for (const [index, { form }] of all.entries()) {
        const chain = all.slice(index + 1).map(({ converter }) => readConverter(JSON.parse(JSON.stringify(converter))));
        expect(chain.filter((one) => 'problems' in one)).toEqual([]);
        const conversion = new Conversion(chain.map((one) => ('converter' in one ? one.converter : [])).reverse());
        const made = conversion.of(body, GROWTH);
        const check = compileEventSchema(JSON.stringify(schemaOf(form)));
        expect(check.brokenRules(JSON.parse(made))).toEqual([]);
        expect(conversion.of(body, GROWTH)).toBe(made);
      }
    }),
  );
});

test('a conversion takes any JSON, and leaves JSON', () => {
  const paths = ['a', 'a.b', 'a[]', 'a[].b', '__proto__.a', 'b[][].a', 'payload'];
  const step = fc.oneof(
    fc.record({ op: fc.constant('RENAME' as const), path: fc.constantFrom('a', 'a.b', 'a[].b'), to: fc.constant('c') }),
    fc.record({ op: fc.constant('MOVE' as const), path: fc.constantFrom('a', 'a.b'), to: fc.constantFrom('a.c', 'd') }),
    fc.record({ op: fc.constant('REMOVE' as const), path: fc.constantFrom('a', 'a[].b', '__proto__.a') }),
    fc.record({ op: fc.constant('SET' as const), path: fc.constantFrom('a', 'a[].b'), value: fc.jsonValue() }),
    fc.record({ op: fc.constant('UNWRAP' as const), path: fc.constantFrom(...paths) }),
  );
  const names = fc.constantFrom('a', 'b', 'c', '__proto__', 'payload');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom(1, 'x', null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(names, tie('value')), { maxLength: 3 }).map((entries) => {
        const object = {};
        for (const [key, one] of entries) {
          Object.defineProperty(object, key, { value: one, enumerable: true, configurable: true });
        }
        return object;
      }),
    ),
  }));
  fc.assert(
    fc.property(value, fc.array(step, { maxLength: 6 }), (payload, steps) => {
      const body = JSON.stringify({ a: payload });
      const result = JSON.parse(converted(body, steps));
      expect(typeof result === 'object' && !Array.isArray(result)).toBe(true);
    }),
  );
});

describe('a payload of 256 KiB', () => {
  const line = '{"sku":"0123456789","amount":10.50,"tags":["a"]}';
  const body = `{"lines":[${Array(5_300).fill(line).join(',')}]}`;

  test('is converted by 50 steps', () => {
    const steps: Converter = Array.from({ length: 50 }, (_, index) => ({
      op: 'RENAME',
      path: `lines[].${index === 0 ? 'sku' : `n${index - 1}`}`,
      to: `n${index}`,
    }));
    const made = JSON.parse(converted(body, steps)) as { lines: object[] };
    expect(made.lines).toHaveLength(5_300);
    expect(made.lines.at(-1)).toMatchObject({ n49: '0123456789' });
  });

  test('grows by as much as a payload may have, and no further', () => {
    const longer: Converter = [{ op: 'RENAME', path: 'lines[].sku', to: 'a_name_of_some_length' }];
    const event = { id: 1, tenantId: 1, type: 'a.b', body, conversion: new Conversion([longer]) };
    const content = { release: 'r', format: 'JSON', shape: null, text: null, template: null } as const;
    const rules = { cloudEventsSource: undefined, publicUrl: undefined, payloadBytesMax: GROWTH };
    expect(contentOf(event, content, rules)!.body.length).toBeGreaterThan(body.length);
    const heavy = new Conversion([[{ op: 'SET', path: 'lines[].note', value: 'x'.repeat(1_000) }]]);
    expect(() => heavy.of(body, GROWTH)).toThrow(TooLarge);
    expect(contentOf({ ...event, conversion: heavy }, content, rules)).toBeNull();
  });
});

test('paths have names as those of filters do, and [] behind lists', () => {
  expect(placeOf('lines[].sku')).toEqual(['lines', null, 'sku']);
  expect(placeOf('"a.b[]"[][].c')).toEqual(['a.b[]', null, null, 'c']);
  for (const path of ['', '.', '[]', 'a[0]', 'a.[]', 'a..b', 'a[]b', '"\\u0000"', '"a', 'a '.repeat(120)]) {
    expect(placeOf(path), path).toBeNull();
  }
  expect(placeOf(Array(11).fill('a').join('.'))).toBeNull();
});

describe('what is wrong with a converter is said with its place', () => {
  const problemsOf = (written: unknown) => {
    const read = readConverter(written);
    return 'problems' in read ? read.problems.map(({ path, code }) => [path.join('.'), code]) : [];
  };
  const wrong: [string, unknown, string, string][] = [
    ['no list', {}, '', 'invalid_type'],
    ['too many steps', Array(51).fill({ op: 'REMOVE', path: 'a' }), '', 'converter_too_long'],
    ['no step', [7], '0', 'invalid_type'],
    ['no operation', [{ path: 'a' }], '0.op', 'required'],
    ['an unknown operation', [{ op: 'DELETE', path: 'a' }], '0.op', 'invalid_value'],
    ['a name of every object', [{ op: 'constructor', path: 'a' }], '0.op', 'invalid_value'],
    ['an unknown member', [{ op: 'REMOVE', path: 'a', if: 1 }], '0.if', 'unknown_property'],
    ['no path', [{ op: 'REMOVE' }], '0.path', 'required'],
    ['a bad path', [{ op: 'REMOVE', path: 'a[1]' }], '0.path', 'path_malformed'],
    ['a path to elements', [{ op: 'REMOVE', path: 'a[]' }], '0.path', 'path_malformed'],
    ['a name that is a path', [{ op: 'RENAME', path: 'a', to: 'b.c' }], '0.to', 'name_malformed'],
    ['no name', [{ op: 'RENAME', path: 'a' }], '0.to', 'required'],
    ['a target in another list', [{ op: 'MOVE', path: 'a[].b', to: 'c[].b' }], '0.to', 'other_list'],
    ['a target in a further list', [{ op: 'MOVE', path: 'a', to: 'c[].b' }], '0.to', 'other_list'],
    ['a target that is a list', [{ op: 'MOVE', path: 'a[].b', to: 'a[]' }], '0.to', 'path_malformed'],
    ['a value that is not used', [{ op: 'REMOVE', path: 'a', value: 1 }], '0.value', 'not_used'],
    ['a target that is not used', [{ op: 'SET', path: 'a', value: 1, to: 'b' }], '0.to', 'not_used'],
    ['no value', [{ op: 'SET', path: 'a' }], '0.value', 'required'],
    [
      'an infinite number',
      [{ op: 'SET', path: 'a', value: { b: [JSON.parse('1e999')] } }],
      '0.value',
      'number_too_large',
    ],
    ['a long value', [{ op: 'SET', path: 'a', value: 'x'.repeat(1_023) }], '0.value', 'too_big'],
    [
      'a deep value',
      [{ op: 'SET', path: 'a', value: JSON.parse('['.repeat(11) + ']'.repeat(11)) }],
      '0.value',
      'too_deep',
    ],
  ];
  test.each(wrong)('%s', (_, written, path, code) => {
    expect(problemsOf(written)).toEqual([[path, code]]);
  });

  test('members that are null are left out', () => {
    expect(readConverter([{ op: 'REMOVE', path: 'a', to: null, value: null }])).toEqual({
      converter: [{ op: 'REMOVE', path: 'a' }],
    });
    expect(readConverter([{ op: 'SET', path: 'a', to: null, value: null }])).toEqual({
      converter: [{ op: 'SET', path: 'a', value: null }],
    });
  });
});
