import { describe, expect, test } from 'vitest';
import { compileFilter } from '../../src/domain/content/compile-filter.js';
import { ExactNumber } from '../../src/domain/content/exact-number.js';
import type { EventFilter } from '../../src/domain/content/filter.js';
import { namesOf } from '../../src/domain/content/filter-path.js';
import { FilteredEvent } from '../../src/domain/content/judge-filter.js';
import { filterWarnings, keyWarnings } from '../../src/domain/content/option-warnings.js';
import { readFilter } from '../../src/domain/content/read-filter.js';
import { within } from '../support/within.js';

const field = (path: string, op: string, ...value: unknown[]) => ({
  field: { path, op, ...(value.length === 0 ? {} : { value: value[0] }) },
});
const read = (written: unknown): EventFilter => {
  const result = readFilter(written);
  if ('problems' in result) {
    throw new Error(JSON.stringify(result.problems));
  }
  return result.filter;
};
const problems = (written: unknown) => {
  const result = readFilter(written);
  return 'problems' in result ? result.problems.map(({ path, code }) => `${path.join('.')} ${code}`) : [];
};

/** A filter that is this many levels deep. */
const nested = (levels: number): unknown => (levels === 1 ? field('a', 'EXISTS') : { not: nested(levels - 1) });

describe('a filter', () => {
  test('is kept as it was written, without members that are null', () => {
    const paid = field('status', 'EQ', 'paid');
    const written = { all: [{ ...paid, any: null }, { any: [{ not: field('total.amount', 'IN', [1, null]) }] }] };
    expect(read(written)).toEqual({ all: [paid, { any: [{ not: field('total.amount', 'IN', [1, null]) }] }] });
    expect(read(field('a', 'EXISTS', null))).toEqual(field('a', 'EXISTS'));
    expect(read(field('a', 'EQ', null))).toEqual(field('a', 'EQ', null));
  });

  test.each<[unknown, string[]]>([
    [null, [' invalid_type']],
    ['status', [' invalid_type']],
    [[field('a', 'EXISTS')], [' invalid_type']],
    [{}, [' exactly_one']],
    [{ ...field('a', 'EXISTS'), not: field('a', 'EXISTS') }, [' exactly_one']],
    [{ and: [] }, ['and unknown_property']],
    [{ all: [] }, ['all invalid_type']],
    [{ any: field('a', 'EXISTS') }, ['any invalid_type']],
    [{ field: 'status' }, ['field invalid_type']],
    [{ field: { path: 'a', op: 'EQ', value: 1, flags: 'i' } }, ['field.flags unknown_property']],
    [{ field: {} }, ['field.path required', 'field.op required']],
    [{ field: { op: 'EXISTS', path: 5 } }, ['field.path filter_path_malformed']],
    [field('a', 'EQ'), ['field.value required']],
    [field('a', 'IN'), ['field.value required']],
    [field('a', 'LIKE', 'x'), ['field.op invalid_value']],
    [field('a', 'toString', 'x'), ['field.op invalid_value']],
    [field('a', ['EQ'] as never, 'x'), ['field.op invalid_value']],
    [
      { all: [field('a', 'EQ', 1), { not: field('a[0]', 'GT', {}) }] },
      ['all.1.not.field.path filter_path_malformed', 'all.1.not.field.value filter_value_type'],
    ],
  ])('in a wrong form is refused where it is wrong: %j', (written, expected) => {
    expect(problems(written)).toEqual(expected);
  });

  test.each<[string, unknown[], unknown[]]>([
    ['EQ', ['', 'x'.repeat(256), 0, -1.5, true, null, 9_007_199_254_740_991], [{}, [], 'x'.repeat(257)]],
    ['NE', ['\u{1f600}'], ['\0', '\ud800', 9_007_199_254_740_992, -9_007_199_254_740_992, 1e21]],
    ['GT', ['a', 5e-324], [true, null, Number.POSITIVE_INFINITY]],
    ['LE', [0], [[0]]],
    ['IN', [[1], ['a', null, 'b'], [null], [true, false], Array(50).fill(1)], [[], 'a', Array(51).fill(1), [1, 'a']]],
    ['NOT_IN', [['a']], [[{}], [[1]], null, [Number.NaN]]],
    ['EXISTS', [undefined, null], [true, '']],
    ['MISSING', [undefined], [0]],
    ['STARTS_WITH', ['a'], ['', 1, null]],
    ['CONTAINS', ['.*'], ['', ['a']]],
  ])('takes with %s %j, and refuses %j', (op, good, bad) => {
    for (const value of good) {
      expect(problems(field('a', op, value)), JSON.stringify(value)).toEqual([]);
    }
    for (const value of bad) {
      expect(problems(field('a', op, value)), JSON.stringify(value)).toEqual(['field.value filter_value_type']);
    }
  });

  test.each<[string, string[] | null]>([
    ['status', ['status']],
    ['total.amount', ['total', 'amount']],
    ['größe.line-items.0._x', ['größe', 'line-items', '0', '_x']],
    ['"a.b"."c\\"d".e', ['a.b', 'c"d', 'e']],
    ['"@type"', ['@type']],
    ['""', ['']],
    ['"\\ud83d\\ude00"', ['\u{1f600}']],
    ...['', '.', 'a.', '.a', 'a..b', 'a b', 'a[0]', '$.a', '*', '**', 'a.*', '@', '@type.a', "'a'", '"a', 'a"b"'].map(
      (path): [string, null] => [path, null],
    ),
    ...['"\\x"', '"\\u0000"', '"\\ud800"', '"a\nb"'].map((path): [string, null] => [path, null]),
    ['a.b.c.d.e.f.g.h.i.j', [...'abcdefghij']],
    ['a.b.c.d.e.f.g.h.i.j.k', null],
    ['x'.repeat(200), ['x'.repeat(200)]],
    ['x'.repeat(201), null],
  ])('reads the path %j as %j', (path, names) => {
    expect(namesOf(path)).toEqual(names);
  });

  test('has at most 20 conditions, 4 levels and 16,384 characters', () => {
    const conditions = (count: number) => ({ all: Array.from({ length: count }, () => field('a', 'EXISTS')) });
    expect(problems(conditions(20))).toEqual([]);
    expect(problems(conditions(21))).toEqual(['all filter_too_large']);
    expect(problems({ any: [conditions(19), field('a', 'EXISTS')] })).toEqual([]);
    expect(problems({ any: [conditions(20), field('a', 'EXISTS')] })).toEqual(['any.1.field filter_too_large']);
    expect(problems(nested(4))).toEqual([]);
    expect(problems(nested(5))).toEqual(['not.not.not.not filter_too_large']);
    const texts = (length: number) => ({ any: [field('a', 'IN', Array(50).fill('x'.repeat(length)))] });
    expect(problems(texts(256))).toEqual([]);
    expect(problems({ any: [...texts(256).any, ...texts(100).any] })).toEqual([' filter_too_large']);
  });

  test('that is nested a hundred thousand levels deep is refused at the fifth', () => {
    const deep = JSON.parse(`${'{"not":'.repeat(100_000)}1${'}'.repeat(100_000)}`);
    expect(problems(deep)).toEqual(['not.not.not.not filter_too_large']);
  });

  test('is compiled to a jsonpath whose names and values are literals', () => {
    const filter = read({ all: [field('a."b\\"c"', 'NE', '"\\'), field('@type', 'IN', ['x', null])] });
    expect(compileFilter(filter)).toBe('(!($."a"."b\\"c" == "\\"\\\\") && ($type == "x" || $type == null))');
  });
});

describe('the condition that an event does not meet', () => {
  const failed = (filter: unknown, body: unknown) => {
    const found = new FilteredEvent('order.paid', JSON.stringify(body)).failedCondition(read(filter));
    return found && `${found.pointer}${found.negated ? ' negated' : ''}`;
  };
  const [paid, large] = [field('status', 'EQ', 'paid'), field('total', 'GT', 1_000)];

  test.each<[unknown, unknown, string | null]>([
    [{ all: [paid, large] }, { status: 'paid', total: 1_001 }, null],
    [{ all: [paid, large] }, { status: 'paid', total: 1_000 }, '/all/1/field'],
    [{ all: [paid, large] }, {}, '/all/0/field'],
    [{ any: [paid, large] }, {}, '/any/0/field'],
    [{ not: paid }, { status: 'paid' }, '/not/field negated'],
    [{ not: { any: [paid, large] } }, { total: 2_000 }, '/not/any/1/field negated'],
    [{ not: { all: [paid, large] } }, { status: 'paid', total: 2_000 }, '/not/all/0/field negated'],
    [{ not: { not: paid } }, { status: 'open' }, '/not/not/field'],
    [{ not: large }, { total: '5' }, '/not/field negated'],
    [field('@type', 'EQ', 'order.created'), {}, '/field'],
  ])('of %j is, for %j, %s', (filter, body, expected) => {
    expect(failed(filter, body)).toBe(expected);
  });

  test.each<[string, string]>([
    ['a million comparisons', `[${Array(1_900).fill('1.0').join()}]`],
    ['a number of 130,000 digits', `1${'0'.repeat(130_000)}1`],
    ['250 numbers of 999 digits', `[${Array(250).fill('9'.repeat(999)).join()}]`],
  ])('is found soon, with %s', (_, value) => {
    const list = Array.from({ length: 50 }, (_, index) => -1 - index);
    const filter = read({ any: Array.from({ length: 10 }, () => field('a', 'IN', list)) });
    expect(within(400, () => new FilteredEvent('a.b', `{"a":${value}}`).failedCondition(filter))).toMatchObject({
      pointer: '/any/0/field',
    });
  });

  test('is not looked for where Postgres does not ask the filter, because it has too many values', () => {
    const body = (values: number) => `{"a":[${Array(values).fill('0').join()}]}`;
    const filter = read(
      field(
        'a',
        'IN',
        Array.from({ length: 50 }, (_, index) => index + 1),
      ),
    );
    expect(new FilteredEvent('a.b', body(19_000)).failedCondition(filter)).not.toBeNull();
    expect(new FilteredEvent('a.b', body(20_000)).failedCondition(filter)).toBeNull();
  });
});

test('numbers are compared by all of their digits', () => {
  const sorted = [
    '-1e400',
    '-2',
    '-1.5',
    '-1e-400',
    '0',
    '5e-324',
    '0.1',
    '0.10000000000000000001',
    '1',
    '9007199254740992',
  ];
  const all = [...sorted, '9007199254740993', '90071992547409930e0', '1e131071'];
  for (const [index, one] of all.entries()) {
    for (const [at, other] of all.entries()) {
      const order = Math.sign(new ExactNumber(one).compare(new ExactNumber(other)));
      expect(order === Math.sign(index - at), `${one} and ${other}`).toBe(true);
    }
  }
  for (const one of ['1.0', '10e-1', '0.1E+1', '1']) {
    expect(new ExactNumber(one).compare(new ExactNumber('1'))).toBe(0);
  }
  expect(new ExactNumber('-0').compare(new ExactNumber('0e5')) === 0).toBe(true);
});

describe('a warning', () => {
  const order = {
    type: 'object',
    properties: {
      status: { type: 'string' },
      total: { $ref: '#/$defs/money' },
      lines: { type: 'array', items: { properties: { sku: { type: 'string' } } } },
      open: {},
      labels: { additionalProperties: { type: 'string' } },
      payment: { oneOf: [{ properties: { card: {} } }, { properties: { iban: { type: 'string' } } }] },
      closed: { additionalProperties: false },
    },
    allOf: [{ properties: { shop: { properties: { id: {} } } } }],
    $defs: { money: { type: 'object', properties: { amount: { type: 'number' } } } },
  };
  const messages = (warnings: { message: string }[]) => warnings.map(({ message }) => message);
  const warned = (...paths: string[]) =>
    filterWarnings(read({ all: paths.map((path) => field(path, 'EXISTS')) }), [order]).length;

  test('names paths that no schema has', () => {
    const known = ['status', 'total', 'total.amount', 'lines.sku', 'open.anything.at.all', 'labels.color', '@type'];
    expect(warned(...known)).toBe(0);
    expect(warned('payment.iban', 'payment.card', 'shop.id')).toBe(0);
    for (const path of ['state', 'total.currency', 'lines.quantity', 'payment.cash', 'shop.name', 'closed.a']) {
      expect(warned(path), path).toBe(1);
    }
    expect(warned('status.code', 'labels.a.b', 'state')).toBe(3);
    const filter = read(field('state', 'EXISTS'));
    expect(messages(filterWarnings(filter, [order]))).toEqual(['No subscribed event type has state in its schema.']);
    expect(filterWarnings(filter, [order, {}])).toEqual([]);
    expect(filterWarnings(filter, [])).toEqual([]);
  });

  const types = {
    type: 'object',
    properties: {
      total: { type: 'number', minimum: 0 },
      count: { $ref: '#/$defs/count' },
      note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      mode: { enum: ['a', 'b'] },
      tags: { type: 'array', items: { type: 'string' } },
      lines: { type: 'array', items: { properties: { sku: { allOf: [{ type: 'string' }, { minLength: 1 }] } } } },
      loose: { oneOf: [{ type: 'string' }, {}] },
      customer: { type: 'object', properties: { id: { type: ['string', 'integer'] } } },
      raw: { type: 'array' },
    },
    $defs: { count: { type: 'integer' } },
  };

  test.each<[string, string, unknown, boolean]>([
    ['total', 'GT', '1000', true],
    ['total', 'GT', 1_000, false],
    ['total', 'EQ', null, true],
    ['total', 'NE', null, false],
    ['total', 'NE', 'a', true],
    ['total', 'IN', ['1', null], true],
    ['total', 'NOT_IN', ['1', null], true],
    ['total', 'IN', [1, null], false],
    ['total', 'EXISTS', undefined, false],
    ['total', 'STARTS_WITH', '1', true],
    ['count', 'LE', 1, false],
    ['count', 'EQ', true, true],
    ['note', 'EQ', 1, true],
    ['note', 'EQ', null, false],
    ['note', 'NE', 1, false],
    ['mode', 'EQ', 1, true],
    ['mode', 'EQ', 'a', false],
    ['tags', 'EQ', 'a', false],
    ['tags', 'EQ', 1, true],
    ['lines.sku', 'EQ', 1, true],
    ['lines.sku', 'CONTAINS', '1', false],
    ['loose', 'EQ', 1, false],
    ['customer', 'EQ', 'c-7', true],
    ['customer.id', 'EQ', 7, false],
    ['raw', 'EQ', 7, false],
    ['@type', 'EQ', 7, true],
  ])('names values that never match: %s %s %j: %s', (path, op, value, expected) => {
    const filter = read(field(path, op, ...(value === undefined ? [] : [value])));
    expect(filterWarnings(filter, [types]).map(({ code }) => code)).toEqual(
      expected ? ['value_type_not_in_schema'] : [],
    );
    expect(filterWarnings(filter, [types, {}]).length).toBe(path === '@type' ? 1 : 0);
  });

  test('names keys that no event has', () => {
    expect(messages(keyWarnings('customer', [types]))).toEqual([
      'customer is an object in the schemas of the subscribed event types, which is not a key: events without orderingKey are in no order.',
    ]);
    const codes = (path: string) => keyWarnings(path, [types]).map(({ code }) => code);
    expect(['customer.id', 'total', 'lines.sku', 'loose', 'note'].flatMap(codes)).toEqual([]);
    expect(['tags', 'raw', 'state'].flatMap(codes)).toEqual([
      'key_type_not_in_schema',
      'key_type_not_in_schema',
      'path_not_in_schema',
    ]);
  });
});
