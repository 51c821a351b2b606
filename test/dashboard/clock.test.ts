import { afterEach, expect, test, vi } from 'vitest';
import { clock } from '../../dashboard/parts/clock.js';

afterEach(() => vi.useRealTimers());

test('The first time that a page shows is of its moment, however long it showed none', () => {
  vi.useFakeTimers({ now: Date.parse('2026-11-26T12:00:00Z') });
  expect(clock.now()).toBe(Date.now());
  vi.setSystemTime(Date.parse('2026-11-26T12:00:47Z'));
  expect(clock.now()).toBe(Date.now());
});
