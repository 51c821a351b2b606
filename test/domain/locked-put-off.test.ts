import { expect, test } from 'vitest';
import { lockedPutOffMs } from '../../src/domain/pacing/locked-put-off.js';

test.each([
  { lockedMs: 0, least: 1_000, most: 1_500 },
  { lockedMs: 1_000, least: 1_000, most: 1_500 },
  { lockedMs: 4_000, least: 4_000, most: 6_000 },
  { lockedMs: 60_000, least: 60_000, most: 90_000 },
  { lockedMs: 3_600_000, least: 60_000, most: 90_000 },
])('what is put off for a lock of $lockedMs ms waits for $least to $most ms', ({ lockedMs, least, most }) => {
  expect(lockedPutOffMs(lockedMs, 0)).toBe(least);
  expect(lockedPutOffMs(lockedMs, 1)).toBe(most);
});
