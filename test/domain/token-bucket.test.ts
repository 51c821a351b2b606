import { describe, expect, test } from 'vitest';
import { TokenBuckets } from '../../src/domain/pacing/token-bucket.js';

const quota = { perSecond: 100, burst: 200 };

describe('a token bucket', () => {
  test('gives a burst at once, and not one more', () => {
    const buckets = new TokenBuckets<string>(quota);
    for (let i = 0; i < 200; i++) {
      expect(buckets.waitMs('a', 1, 0)).toBe(0);
      buckets.take('a', 1, 0);
    }
    expect(buckets.waitMs('a', 1, 0)).toBe(10);
    expect(buckets.level('a', 0)).toEqual({ tokens: 0, fullAfterMs: 2_000 });
  });

  test('fills at its rate, up to the burst', () => {
    const buckets = new TokenBuckets<string>(quota);
    buckets.take('a', 200, 0);
    expect(buckets.waitMs('a', 1, 9.9)).toBeGreaterThan(0);
    expect(buckets.waitMs('a', 1, 10)).toBe(0);
    expect(buckets.level('a', 500)).toEqual({ tokens: 50, fullAfterMs: 1_500 });
    expect(buckets.level('a', 2_000)).toEqual({ tokens: 200, fullAfterMs: 0 });
    expect(buckets.level('a', 900_000)).toEqual({ tokens: 200, fullAfterMs: 0 });
  });

  test('of one key is not that of another', () => {
    const buckets = new TokenBuckets<string>(quota);
    buckets.take('a', 200, 0);
    expect(buckets.waitMs('b', 200, 0)).toBe(0);
  });

  test('gives more than it holds only when it is full, and has it paid off', () => {
    const buckets = new TokenBuckets<string>(quota);
    buckets.take('a', 1, 0);
    expect(buckets.waitMs('a', 500, 0)).toBe(10);
    expect(buckets.waitMs('a', 500, 10)).toBe(0);
    buckets.take('a', 500, 10);
    expect(buckets.isInDebt('a', 3_009)).toBe(true);
    expect(buckets.isInDebt('a', 3_010)).toBe(false);
    expect(buckets.waitMs('a', 1, 3_010)).toBe(10);
  });

  test('takes back, up to the burst', () => {
    const buckets = new TokenBuckets<string>(quota);
    buckets.take('a', 10, 0);
    buckets.giveBack('a', 4, 0);
    expect(buckets.level('a', 0).tokens).toBe(194);
    buckets.giveBack('a', 100, 0);
    expect(buckets.level('a', 0).tokens).toBe(200);
  });

  test('is forgotten when it was touched longest ago and there are too many', () => {
    const buckets = new TokenBuckets<string>(quota, 2);
    for (const key of ['a', 'b', 'a', 'c']) {
      buckets.take(key, 100, 0);
    }
    const left = ['a', 'b', 'c'].map((key) => buckets.level(key, 0).tokens);
    expect(left).toEqual([0, 200, 100]);
  });
});
