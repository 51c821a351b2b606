import { expect, test } from 'vitest';
import { eventFilter } from '../../dashboard/screens/events/event-filter.js';

const NOW = Date.parse('2026-11-26T12:00:00Z');
const week = { since: '2026-11-19T12:00:00Z', until: undefined };

test('a filter has what the address says, and nothing that it leaves out', () => {
  expect(eventFilter({ type: 'order.paid', key: '', other: 'x' }, week, NOW)).toEqual({
    filter: { since: week.since, eventType: 'order.paid' },
    problem: undefined,
  });
});

test('a text in the payload has 3 to 200 characters', () => {
  const problemOf = (text: string) => eventFilter({ text }, week, NOW).problem;
  expect(problemOf('ab')).toBe('TEXT_TOO_SHORT');
  expect(problemOf('🎟🎟')).toBe('TEXT_TOO_SHORT');
  expect(problemOf('abc')).toBeUndefined();
  expect(problemOf('x'.repeat(200))).toBeUndefined();
  expect(problemOf('x'.repeat(201))).toBe('TEXT_TOO_LONG');
});

test('a text in the payload is searched in at most 7 days', () => {
  const longer = { since: '2026-11-19T11:59:59Z', until: undefined };
  expect(eventFilter({ text: 'abc' }, longer, NOW).problem).toBe('RANGE_TOO_LONG');
  expect(eventFilter({ text: 'abc' }, { ...longer, until: '2026-11-20T00:00:00Z' }, NOW).problem).toBe(undefined);
  expect(eventFilter({}, longer, NOW).problem).toBeUndefined();
});

test('the last seven days are a range that the API takes, also a minute later', () => {
  const { filter, problem } = eventFilter({ text: 'abc' }, { ...week, since: '2026-11-19T11:59:00Z', name: '7d' }, NOW);
  expect({ problem, since: filter.since }).toEqual({ problem: undefined, since: '2026-11-19T12:01:00.000Z' });
});
