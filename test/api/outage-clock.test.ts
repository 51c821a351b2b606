import { expect, test } from 'vitest';
import { toApiError } from '../../src/api/context/faults.js';
import { OutageClock } from '../../src/api/context/outage-clock.js';
import { noAnswerInTime } from '../../src/platform/database/outage.js';

test('callers wait a second in the first ten seconds of an outage, then five; another outage begins again', () => {
  let now = 0;
  const clock = new OutageClock(() => now);
  const at = (ms: number) => {
    now = ms;
    return clock.retryAfterSeconds();
  };
  expect([5, 8_000, 10_004, 10_005, 20_005, 30_005].map(at)).toEqual([1, 1, 1, 5, 5, 5]);
  expect([40_006, 50_005, 50_006].map(at)).toEqual([1, 1, 5]);
});

test('after a commit without an answer a producer learns that the event may exist', () => {
  expect(toApiError(noAnswerInTime())).toMatchObject({
    reason: 'unavailable',
    message: expect.stringContaining('A change may have been made: repeat an emit with its idempotencyKey'),
  });
});
