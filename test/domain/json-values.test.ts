import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMultipleOf, isSameJson } from '../../src/domain/schema-rules/json-values.js';

describe('two JSON values are the same', () => {
  const names = fc.oneof(fc.string(), fc.constantFrom('constructor', 'valueOf', 'toString', '__proto__'));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, false, 0, 1, '', 'a'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(names, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));
  /** By sorted names, as a second way to say it. */
  const canonical = (given: unknown): string => {
    if (typeof given !== 'object' || given === null) {
      return JSON.stringify(given);
    }
    const parts = Object.entries(given).map(([name, part]) => `${JSON.stringify(name)}:${canonical(part)}`);
    return Array.isArray(given) ? `[${parts}]` : `{${parts.sort()}}`;
  };

  test('when their texts are, but for the order of names', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(isSameJson(a, b)).toBe(canonical(a) === canonical(b));
        expect(isSameJson(a, JSON.parse(JSON.stringify(a)))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test.each<[string, unknown, unknown, boolean]>([
    ['names in another order', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['an object without a prototype', { a: { b: [1] } }, Object.assign(Object.create(null), { a: { b: [1] } }), true],
    ['zero and minus zero', 0, -0, true],
    ['a list and an object with its indices', [1], { 0: 1 }, false],
    ['an empty list and an empty object', [], {}, false],
    ['null and an empty object', null, {}, false],
    ['a number and its text', 1, '1', false],
    ['another name for the same value', { a: null }, { b: null }, false],
    ['an inherited name', { toString: null }, { a: null }, false],
    ['methods that are data', { valueOf: 1, toString: 2 }, { valueOf: 1, toString: 2 }, true],
    ['what only __proto__ tells apart', JSON.parse('{"__proto__":{"a":1}}'), {}, false],
  ])('%s', (_, a, b, same) => {
    expect([isSameJson(a, b), isSameJson(b, a)]).toEqual([same, same]);
  });
});

describe('a number is a multiple of another as they are written', () => {
  test.each([
    [4.35, 0.01],
    [19.99, 0.01],
    [0.07, 0.01],
    [-4.35, 0.01],
    [0, 0.01],
    [-0, 3],
    [19_999_999.99, 0.01],
    [90_071_992_547_409.9, 0.1],
    [1e20, 0.01],
    [0.3, 0.1],
    [2.5, 0.5],
    [1e-7, 1e-8],
    [9, 3],
    [2 ** 60, 4],
  ])('%d of %d', (value, step) => {
    expect(isMultipleOf(value, step)).toBe(true);
  });

  test.each([
    [4.355, 0.01],
    [4.350000001, 0.01],
    [0.005, 0.01],
    [10, 3],
    [1.5, 1],
    [1, 1.5],
    [1e-20, 0.01],
    [19_999_999.991, 0.01],
    [Number.POSITIVE_INFINITY, 1],
    [Number.NaN, 1],
  ])('%d not of %d', (value, step) => {
    expect(isMultipleOf(value, step)).toBe(false);
  });

  test('whatever the count of cents', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e13, max: 1e13 }), (cents) => {
        expect(isMultipleOf(Number(`${cents}e-2`), 0.01)).toBe(true);
        expect(isMultipleOf(Number(`${cents}5e-3`), 0.01)).toBe(false);
      }),
    );
  });
});
