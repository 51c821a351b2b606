import { expect, test } from 'vitest';
import { distance } from '../../dashboard/text/distance.js';

test('what is past is cut to whole units', () => {
  expect(distance(-59_999)).toEqual({ value: -59, unit: 'second' });
  expect(distance(-119_000)).toEqual({ value: -1, unit: 'minute' });
  expect(distance(-86_400_000)).toEqual({ value: -1, unit: 'day' });
});

test('what is to come is rounded, so that a retry after two minutes is two minutes away from its first second on', () => {
  expect(distance(118_000)).toEqual({ value: 2, unit: 'minute' });
  expect(distance(3_599_600)).toEqual({ value: 1, unit: 'hour' });
  expect(distance(59_700)).toEqual({ value: 1, unit: 'minute' });
  expect(distance(4_400)).toEqual({ value: 4, unit: 'second' });
});
