import { describe, expect, test } from 'vitest';
import { type Pattern, patternOf } from '../../src/platform/payload-checks/pattern.js';
import { fc } from '../support/properties.js';
import { words } from '../support/refusals.js';

const atom = fc.constantFrom(
  ...words('a b ä 😀 . \\d \\w [ab] [^a] [a-c\\]] \\. \\u0061 \\u{1F600} \\b \\B ^ $ \\p{L} [😀b]'),
);
const quantifiable = fc.constantFrom('a', 'b', '.', '\\d', '[ab]', '[^a]', '😀');
const quantifier = fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?', '{0}', '{0,1}?');
const { pattern } = fc.letrec<{ pattern: string }>((tie) => {
  const inner = tie('pattern');
  const group = fc
    .tuple(fc.constantFrom('(', '(?:', '(?<n>'), inner, quantifier)
    .map(([open, body, times]) => `${open}${body.replaceAll('(?<n>', '(')})${times}`);
  const item = fc.oneof(
    { maxDepth: 2 },
    fc.tuple(quantifiable, quantifier).map(([one, times]) => one + times),
    atom,
    group,
  );
  const sequence = fc.array(item, { maxLength: 4 }).map((items) => items.join(''));
  return {
    pattern: fc.array(sequence, { minLength: 1, maxLength: 3 }).map((all) => all.join('|')),
  };
});
/** JavaScript allows a name in each of several alternatives; RE2 refuses that. */
const namesTwice = (source: string) => source.split('(?<n>').length > 2;
const isValid = (source: string) => {
  try {
    // Between the halves of one character there is no place by the standard, but V8 finds \B there.
    return !source.includes('\\B') && !namesTwice(source) && new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
};

describe('a pattern', () => {
  const compiled = (source: string) => {
    const pattern = patternOf(source);
    expect(pattern).toBeTypeOf('object');
    return pattern as Pattern;
  };

  test('matches what JavaScript’s own engine matches', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', '0', ']', '.', ' ', 'ä', '😀', '\n'),
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        pattern.filter((source) => source.length < 25 && isValid(source)),
        fc.array(text, { minLength: 1, maxLength: 5 }),
        (source, texts) => {
          const [ours, theirs] = [compiled(source), new RegExp(source, 'u')];
          for (const one of texts) {
            expect(ours.test(one), `${source} on ${JSON.stringify(one)}`).toBe(theirs.test(one));
          }
        },
      ),
    );
  });

  test.each([
    ['^[a-z]+(-[a-z]+)*$', ['a-b', 'abc'], ['-', 'a-', 'A']],
    ['^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$', ['a@b.example'], ['a@b', '@b.co']],
    ['^(?:foo|ba[rz])?$', ['', 'foo', 'baz'], ['fo', 'foobar']],
    ['', ['', 'x'], []],
    ['a|', ['', 'b'], []],
    ['^(?:a|b||c(d|e))$', ['a', 'b', '', 'cd', 'ce'], ['c', 'd', 'ab']],
    ['^(?<year>\\d{4})-\\p{Lu}$', ['2026-Ä'], ['2026-ä', '26-A']],
    ['^.$', ['a', '😀', '\r'], ['\n', 'ab']],
    ['^\\s$', [' ', '\t'], ['\u00a0', 'a']],
  ])('%s', (source, good, bad) => {
    const found = compiled(source);
    expect(good.filter((text) => !found.test(text))).toEqual([]);
    expect(bad.filter((text) => found.test(text))).toEqual([]);
  });

  test.each(['^(a+)+$', '^(a|a)*$', '(a*)*b', '^(?:a?){30}a{30}$', '\\w*\\w*\\w*\\w*!', '(.*)*(.*)*(.*)*x'])(
    '%s takes no longer than its text is long',
    (source) => {
      const found = compiled(source);
      const started = performance.now();
      expect(found.test(`${'a'.repeat(50_000)}?`)).toBe(false);
      expect(performance.now() - started).toBeLessThan(10_000);
    },
  );

  test.each([
    ['(', 'is not a regular expression'],
    ['a{2,1}', 'is not a regular expression'],
    ['(?i)a', 'is not a regular expression'],
    ['(a)\\1', 'cannot be read by RE2'],
    ['(?<n>a)\\k<n>', 'has a backreference'],
    ['\\ud83d\\ude00', 'half of a character'],
    ['(?=a)b', 'cannot be read by RE2'],
    ['(?<!a)b', 'cannot be read by RE2'],
    ['a{1001}', 'cannot be read by RE2'],
    ['((a{100}){100}){100}', 'cannot be read by RE2'],
    ['(?:^){1000000000}', 'cannot be read by RE2'],
    ['(a{0,30}){0,30}', 'is too long'],
    [`${'('.repeat(1_001)}a${')'.repeat(1_001)}`, 'cannot be read by RE2'],
    ['[a-z]x'.repeat(5_000), 'is too long'],
  ])('%.40s is refused: it %s', (source, reason) => {
    expect(patternOf(source)).toContain(reason);
  });
});
