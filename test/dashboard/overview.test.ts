import { describe, expect, test } from 'vitest';
import { needingAttention, reasonFor } from '../../dashboard/parts/attention.js';
import { judge, toneOf } from '../../dashboard/screens/overview/verdict.js';

const NOW = Date.parse('2026-11-26T12:00:00Z');
const healthy = {
  id: 'wh_1',
  active: true,
  disabledReason: null,
  consecutiveFailures: 0,
  heldCount: 0,
  closedUntil: null,
};

describe('an endpoint needs somebody', () => {
  test('when it is gone, was disabled, fails in a row, or holds deliveries', () => {
    expect(reasonFor({ ...healthy, active: false, disabledReason: 'GONE' }, NOW)).toBe('GONE');
    expect(reasonFor({ ...healthy, active: false, disabledReason: 'FAILURES' }, NOW)).toBe('DISABLED');
    expect(reasonFor({ ...healthy, consecutiveFailures: 3 }, NOW)).toBe('FAILING');
    expect(reasonFor({ ...healthy, active: false, disabledReason: 'PAUSED', heldCount: 1 }, NOW)).toBe('HOLDING');
  });

  test('while it has asked for a pause, and no longer', () => {
    expect(reasonFor({ ...healthy, closedUntil: '2026-11-26T12:00:01Z' }, NOW)).toBe('CLOSED');
    expect(reasonFor({ ...healthy, closedUntil: '2026-11-26T12:00:00Z' }, NOW)).toBeUndefined();
  });

  test('not for two failures, which retries are for, nor for a pause that holds nothing', () => {
    expect(reasonFor({ ...healthy, consecutiveFailures: 2 }, NOW)).toBeUndefined();
    expect(reasonFor({ ...healthy, active: false, disabledReason: 'PAUSED' }, NOW)).toBeUndefined();
  });

  test('once, the most pressing first', () => {
    const failing = { ...healthy, id: 'wh_2', consecutiveFailures: 5 };
    const gone = { ...healthy, id: 'wh_3', active: false, disabledReason: 'GONE' as const };
    expect(needingAttention([failing, healthy, gone, failing], NOW).map(({ endpoint }) => endpoint.id)).toEqual([
      'wh_3',
      'wh_2',
    ]);
  });
});

describe('the overview says', () => {
  const calm = { reasons: [], attempts: 1_000, failures: 49, oldestDueMs: 59_999 };

  test('first what needs somebody, then a late backlog, then many failures', () => {
    expect(judge({ ...calm, reasons: ['GONE'], oldestDueMs: 90_000 })).toBe('NEEDS_YOU');
    expect(judge({ ...calm, oldestDueMs: 60_000, failures: 500 })).toBe('LATE');
    expect(judge({ ...calm, failures: 50 })).toBe('MANY_FAILURES');
  });

  test('that all is fine, or that nothing was sent', () => {
    expect(judge(calm)).toBe('FINE');
    expect(judge({ ...calm, attempts: 0, failures: 0, oldestDueMs: null })).toBe('QUIET');
  });

  test('what can wait as a warning', () => {
    expect(toneOf('NEEDS_YOU', ['HOLDING', 'CLOSED'])).toBe('warn');
    expect(toneOf('NEEDS_YOU', ['HOLDING', 'FAILING'])).toBe('bad');
    expect(toneOf('FINE', [])).toBe('good');
  });
});
