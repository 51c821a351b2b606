import { expect, test } from 'vitest';
import { shownTimeOfDay, timeOfDay } from '../../dashboard/text/time-of-day.js';

test.each([
  ['2', '02:00'],
  ['14', '14:00'],
  ['14:30', '14:30'],
  ['14.30', '14:30'],
  ['1430', '14:30'],
  ['230', '02:30'],
  [' 2 pm ', '14:00'],
  ['2:05 P.M.', '14:05'],
  ['12 am', '00:00'],
  ['12:15 pm', '12:15'],
  ['14:30 Uhr', '14:30'],
  ['0', '00:00'],
  ['24', '24:00'],
])('%s is the time %s', (typed, time) => {
  expect(timeOfDay(typed)).toBe(time);
});

test.each(['', '25', '24:30', '14:60', '13 pm', '0 am', 'noon', '14:3', '-2'])('%j is no time of day', (typed) => {
  expect(timeOfDay(typed)).toBeUndefined();
});

test('a time is shown as its locale has it, and what is shown can be typed', () => {
  expect(shownTimeOfDay('14:30', 'de')).toBe('14:30');
  expect(shownTimeOfDay('14:30', 'en-GB')).toBe('14:30');
  expect(shownTimeOfDay('14:30', 'en-US')).toMatch(/^2:30\sPM$/);
  for (const locale of ['de', 'en-GB', 'en-US']) {
    for (const time of ['00:00', '02:00', '12:00', '23:59', '24:00']) {
      expect(timeOfDay(shownTimeOfDay(time, locale))).toBe(time);
    }
  }
});
