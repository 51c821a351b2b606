import { describe, expect, test } from 'vitest';
import { isFine, reasonFor, sortOut } from '../../dashboard/parts/attention.js';
import { judge, toneOf } from '../../dashboard/screens/overview/verdict.js';

const NOW = Date.parse('2026-11-26T12:00:00Z');
const before = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();
const healthy = {
  id: 'wh_1',
  active: true,
  disabledReason: null,
  consecutiveFailures: 0,
  heldCount: 0,
  closedUntil: null,
};
const paused = { ...healthy, id: 'wh_4', active: false, disabledReason: 'PAUSED' };

describe('an endpoint needs somebody', () => {
  test('when it is gone, was disabled, is not verified, or fails in a row', () => {
    expect(reasonFor({ ...healthy, active: false, disabledReason: 'UNVERIFIED', heldCount: 2 }, NOW)).toBe(
      'UNVERIFIED',
    );
    expect(reasonFor({ ...healthy, active: false, disabledReason: 'GONE' }, NOW)).toBe('GONE');
    expect(reasonFor({ ...healthy, active: false, disabledReason: 'FAILURES' }, NOW)).toBe('DISABLED');
    expect(reasonFor({ ...healthy, consecutiveFailures: 3 }, NOW)).toBe('FAILING');
    expect(reasonFor({ ...healthy, consecutiveFailures: 2 }, NOW)).toBeUndefined();
  });

  test('not for a pause that somebody made, or that it asked for itself until that is over', () => {
    expect(reasonFor(paused, NOW)).toBe('PAUSED');
    expect(reasonFor({ ...paused, heldCount: 1, consecutiveFailures: 9 }, NOW)).toBe('HOLDING');
    const closed = { ...healthy, consecutiveFailures: 3 };
    expect(reasonFor({ ...closed, closedUntil: before(-1) }, NOW)).toBe('CLOSED');
    expect(reasonFor({ ...closed, closedUntil: before(0) }, NOW)).toBe('FAILING');
  });

  test('once, the most pressing first; those that rest are counted beside them', () => {
    const failing = { ...healthy, id: 'wh_2', consecutiveFailures: 5 };
    const gone = { ...healthy, id: 'wh_3', active: false, disabledReason: 'GONE' as const };
    const { pressing, resting } = sortOut([failing, healthy, paused, gone, failing, paused], NOW);
    expect(pressing.map(({ endpoint }) => endpoint.id)).toEqual(['wh_3', 'wh_2']);
    expect(resting).toEqual(['PAUSED']);
  });
});

test('An endpoint is fine while its own page says nothing else', () => {
  expect(isFine(healthy, NOW)).toBe(true);
  expect(isFine({ ...healthy, lastSuccessAt: before(5), lastFailureAt: before(90_000) }, NOW)).toBe(true);
  expect(isFine({ ...healthy, lastSuccessAt: before(5), lastFailureAt: before(3_600) }, NOW)).toBe(false);
  expect(isFine({ ...healthy, lastSuccessAt: before(99_000), lastFailureAt: before(90_000) }, NOW)).toBe(false);
  expect(isFine({ ...healthy, consecutiveFailures: 1 }, NOW)).toBe(false);
  expect(isFine(paused, NOW)).toBe(false);
});

describe('the overview says', () => {
  const calm = { reasons: [], attempts: 1_000, failures: 49, oldestDueMs: 180_000 };

  test('first what needs somebody, then a late backlog, then many failures', () => {
    expect(judge({ ...calm, reasons: ['GONE'], oldestDueMs: 190_000 })).toBe('NEEDS_YOU');
    expect(judge({ ...calm, oldestDueMs: 180_001, failures: 500 })).toBe('LATE');
    expect(judge({ ...calm, failures: 50 })).toBe('MANY_FAILURES');
  });

  test('that all is fine, or that nothing was sent', () => {
    expect(judge(calm)).toBe('FINE');
    expect(judge({ ...calm, attempts: 0, failures: 0, oldestDueMs: null })).toBe('QUIET');
  });

  test('what is still tried in yellow, and what is not in red', () => {
    expect(toneOf('NEEDS_YOU', ['UNVERIFIED', 'FAILING'])).toBe('warn');
    expect(toneOf('NEEDS_YOU', ['DISABLED', 'FAILING'])).toBe('bad');
    expect(toneOf('FINE', [])).toBe('good');
  });
});
