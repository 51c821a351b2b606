import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linearPattern } from '../../src/domain/schema-rules/linear-pattern.js';
import { PatternError } from '../../src/domain/schema-rules/pattern-program.js';

const atom = fc.constantFrom(
  'a',
  'b',
  'ä',
  '😀',
  '.',
  '\\d',
  '\\w',
  '[ab]',
  '[^a]',
  '[a-c\\]]',
  '\\.',
  '\\u0061',
  '\\u{1F600}',
  '\\ud83d\\ude00',
  '\\b',
  '\\B',
  '^',
  '$',
  '\\p{L}',
  '[😀b]',
);
const quantifiable = fc.constantFrom('a', 'b', '.', '\\d', '[ab]', '[^a]', '😀', '\\ud83d\\ude00');
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
const isValid = (source: string) => {
  try {
    // Between the halves of one character there is no place by the standard, but V8 finds \B there.
    return !source.includes('\\B') && new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
};

describe('a linear pattern', () => {
  test('matches what JavaScript’s own engine matches', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', '0', ']', '.', ' ', 'ä', '😀', '\ud83d', '\n'),
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        pattern.filter((source) => source.length < 25 && isValid(source)),
        fc.array(text, { minLength: 1, maxLength: 5 }),
        (source, texts) => {
          const [ours, theirs] = [linearPattern(source), new RegExp(source, 'u')];
          for (const one of texts) {
            expect(ours.test(one), `${source} on ${JSON.stringify(one)}`).toBe(theirs.test(one));
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ['^[a-z]+(-[a-z]+)*$', ['a-b', 'abc'], ['-', 'a-', 'A']],
    ['^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$', ['a@b.example'], ['a@b', '@b.co']],
    ['^(?:foo|ba[rz])?$', ['', 'foo', 'baz'], ['fo', 'foobar']],
    ['', ['', 'x'], []],
    ['a|', ['', 'b'], []],
    ['^(?:a|b||c(d|e))$', ['a', 'b', '', 'cd', 'ce'], ['c', 'd', 'ab']],
    ['^a(?:){1000000000}(?:|){5,}b$', ['ab'], ['a', 'b']],
  ])('%s', (source, good, bad) => {
    const found = linearPattern(source);
    expect(good.filter((text) => !found.test(text))).toEqual([]);
    expect(bad.filter((text) => found.test(text))).toEqual([]);
  });

  test.each(['^(a+)+$', '^(a|a)*$', '(a*)*b', '^(?:a?){30}a{30}$', '\\w*\\w*\\w*\\w*!', '(.*)*(.*)*(.*)*x'])(
    '%s takes no longer than its text is long',
    (source) => {
      const found = linearPattern(source);
      const started = performance.now();
      expect(found.test(`${'a'.repeat(50_000)}?`)).toBe(false);
      expect(performance.now() - started).toBeLessThan(10_000);
    },
  );

  test('tells what it does while it does it, and ends when it may do no more', () => {
    const spent: number[] = [];
    const found = linearPattern('[a-z]{1,300}@', (steps) => {
      spent.push(steps);
      if (spent.length === 5) {
        throw new Error('enough');
      }
    });
    expect(() => found.test('a'.repeat(250_000))).toThrow('enough');
    expect(Math.max(...spent)).toBeLessThan(10_000);
    expect(found.test('a@')).toBe(true);
    expect(found.length).toBe(601);
  });

  test.each([
    ['(', 'is not a regular expression'],
    ['a{2,1}', 'is not a regular expression'],
    ['(a)\\1', 'looks around or back'],
    ['(?<n>a)\\k<n>', 'looks around or back'],
    ['(?=a)b', 'looks around or back'],
    ['(?<!a)b', 'looks around or back'],
    ['(?i:a)', 'flags'],
    ['a{1001}', 'too long'],
    ['((a{100}){100}){100}', 'too long'],
    ['(a{0,999}){0,999}', 'too long'],
    ['(?:^){1000000000}', 'too long'],
    ['(a{999}){0}'.repeat(5_000), 'too long'],
    ['a|'.repeat(30_000), 'too long'],
    [`${'('.repeat(101)}a${')'.repeat(101)}`, 'deep'],
  ])('%s is refused: it %s', (source, reason) => {
    expect(() => linearPattern(source)).toThrow(PatternError);
    expect(() => linearPattern(source)).toThrow(reason);
  });
});
