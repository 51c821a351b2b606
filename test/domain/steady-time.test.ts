import { expect, test } from 'vitest';
import { SteadyTime } from '../../src/domain/steady-time.js';

test('the steady time follows the clock forwards, and goes on by itself when the clock is set back', () => {
  const time = new SteadyTime();
  expect(time.at(1_000, 50)).toBe(1_000);
  expect(time.at(1_100, 150)).toBe(1_100);
  expect(time.at(9_000, 250)).toBe(9_000); // set ahead, or back from sleep
  expect(time.at(500, 350)).toBe(9_100); // set back
  expect(time.at(600, 450)).toBe(9_200);
  expect(time.at(9_300, 500)).toBe(9_300);
});
