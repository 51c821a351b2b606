import { expect, test } from 'vitest';
import { parseExact, writtenNumber } from '../../src/domain/content/exact-json.js';
import { fc } from '../support/properties.js';

const numbers = fc.oneof(
  fc.constantFrom('0', '-0', '7', '10.50', '1e2', '1E400', '9007199254740993', '-0.000', '1.5', '0.000001', '1e-7'),
  fc.stringMatching(/^-?(?:0|[1-9]\d{0,22})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/),
  fc.stringMatching(/^-?0\.0{0,9}[1-9]{1,3}0?$/),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
);
const texts = fc.oneof(
  fc.constantFrom('', 'x', '1.0', ', 1.0,', '\0', '\0\0', '\0-1.50', 'é"\\', '\\', '\\"', '\ud800', ':'),
  fc.string({ unit: fc.constantFrom('"', '\\', '\0', '1', '.', '0', 'e', '-', ',', ' ', '\u2028', '😀') }),
);
/** V8 reads a few names with escapes wrongly (`JSON.parse` itself does), so they are left out. */
const names = fc.oneof(
  texts.filter((text) => JSON.stringify(text).length === text.length + 2),
  fc.constantFrom('__proto__', 'toJSON', 'rawJSON', 'constructor', '0', 'a'),
);

/** JavaScript puts names that are numbers first. */
const isIndex = (name: string): boolean => /^(?:0|[1-9]\d*)$/.test(name);
type Member = [name: string, value: string];

/** @param number of numbers as they are written in JSON, @param twice whether names may come twice */
const jsonWith = (number: fc.Arbitrary<string>, twice = false): fc.Arbitrary<string> =>
  fc.letrec<{ value: string }>((tie) => {
    const member: fc.Arbitrary<Member> = fc.tuple(names, tie('value'));
    const members = twice
      ? fc.array(member, { maxLength: 4 })
      : fc
          .uniqueArray(member, { maxLength: 4, selector: ([name]) => (isIndex(name) ? 'index' : name) })
          .map((some) => some.sort(([a], [b]) => Number(isIndex(b)) - Number(isIndex(a))));
    return {
      value: fc.oneof(
        { depthSize: 'small' },
        fc.oneof(number, fc.constantFrom('true', 'null')),
        texts.map((text) => JSON.stringify(text)),
        fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
        members.map((some) => `{${some.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
      ),
    };
  }).value;

/** Numbers as JavaScript reads them. */
function rounded(value: unknown): unknown {
  const written = writtenNumber(value);
  if (written !== null) {
    return Number(written);
  }
  if (Array.isArray(value)) {
    return value.map(rounded);
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rounded(member)]))
    : value;
}

test('JSON is written again as it was, whatever its numbers, texts and names look like', () => {
  fc.assert(
    fc.property(jsonWith(numbers), (body) => {
      expect(JSON.stringify(parseExact(body))).toBe(body);
    }),
  );
  expect(JSON.stringify(parseExact('{ "a" : 1.0, "\\u0000a" : "\\u0000a" }'))).toBe('{"a":1.0,"\\u0000a":"\\u0000a"}');
});

test('it is the value of JSON.parse but for the form of its numbers, also with names that come twice', () => {
  fc.assert(
    fc.property(jsonWith(numbers, true), (body) => {
      expect(JSON.stringify(rounded(parseExact(body)))).toBe(JSON.stringify(JSON.parse(body)));
    }),
  );
});

test('what JavaScript has written is parsed by JSON.parse alone, and anything else is not', () => {
  const written = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number));
  const parsed = {};
  fc.assert(
    fc.property(jsonWith(written), (body) => {
      expect(parseExact(body, () => parsed)).toBe(parsed);
    }),
  );
  fc.assert(
    fc.property(jsonWith(written), numbers, (body, number) => {
      const isParsed = parseExact(`[${body},${number},"${number}"]`, () => parsed) === parsed;
      expect(isParsed).toBe(JSON.stringify(JSON.parse(number)) === number);
    }),
  );
});
