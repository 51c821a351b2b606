import { expect, test } from 'vitest';
import {
  arrivedIn,
  type Journal,
  lagSince,
  lastArrivalAt,
  limitedPercent,
  neverLimited,
  overtakenSeconds,
  type Visit,
} from '../../bench/journal.js';

const SECOND = 1_000_000;

/** @param emitted in seconds, as is `came` */
function visit(deliveryId: string, emitted: number, came: number, status: Visit['status'] = 200): Visit {
  const at = came * SECOND;
  return { deliveryId, emittedAt: emitted * SECOND, at, status, answeredAt: status === null ? null : at };
}

test('a delivery has arrived with the first request that was answered 200', () => {
  const journal = [visit('1', 1, 2, 429), visit('1', 1, 3), visit('1', 1, 4), visit('2', 1, 5, null)];
  expect([...arrivedIn(journal).values()].map(({ at }) => at)).toEqual([3 * SECOND]);
  expect(lastArrivalAt(journal)).toBe(3 * SECOND);
});

test('a backlog ends with the last arrival of what was emitted before', () => {
  const journal = [visit('2', 3, 3.1), visit('1', 1, 7), visit('3', 6, 9)];
  expect(lastArrivalAt(journal, 5 * SECOND)).toBe(7 * SECOND);
  expect(lastArrivalAt([], 5 * SECOND)).toBe(0);
});

test('the lag counts from a moment of emitting on', () => {
  const journal = [visit('1', 1, 9), visit('2', 2, 2.5), visit('3', 3, 3.25)];
  expect(lagSince(journal, 2 * SECOND).summary()).toMatchObject({ count: 2, maxMs: expect.closeTo(500, 0) });
});

test('a delivery is overtaken by the newest one that came before it, in seconds between their emits', () => {
  const inOrder: Journal = [visit('1', 1, 5), visit('2', 2, 6), visit('3', 3, 7)];
  expect(overtakenSeconds(inOrder, 0)).toBe(0);
  const newestFirst: Journal = [visit('3', 3, 5), visit('2', 2, 6), visit('1', 1, 7)];
  expect(overtakenSeconds(newestFirst, 0)).toBe(2);
  expect(overtakenSeconds(newestFirst, 2 * SECOND)).toBe(1);
});

test('a further attempt of a delivery that came in its turn is not overtaken', () => {
  expect(overtakenSeconds([visit('1', 1, 1, 429), visit('2', 2, 2), visit('1', 1, 3)], 0)).toBe(0);
});

test('what was ever answered 429 is told apart', () => {
  const journal = [visit('1', 1, 1, 429), visit('2', 1, 1), visit('3', 1, 1), visit('1', 1, 2)];
  expect(limitedPercent(journal)).toBe(25);
  expect(limitedPercent([])).toBe(0);
  expect(neverLimited(journal).map(({ deliveryId }) => deliveryId)).toEqual(['2', '3']);
});
