import { describe, expect, test } from 'vitest';
import { LANES, laneAfterPutOff, laneOf, raises } from '../../src/domain/pacing/lanes.js';

const nothing = { TEST: 0, FIRST: 0, CROWDED: 0, RETRY: 0, BULK: 0 };

describe('lanes', () => {
  test('are fetched in this order: tests, first attempts, crowded ones, retries, bulk', () => {
    const order = Object.entries(LANES).sort(([, a], [, b]) => a.priority - b.priority);
    expect(order.map(([lane]) => lane)).toEqual(['TEST', 'FIRST', 'CROWDED', 'RETRY', 'BULK']);
  });

  test('raised jobs go ahead of first attempts, and behind tests', () => {
    for (const lane of ['CROWDED', 'RETRY', 'BULK'] as const) {
      expect(LANES[lane].raised).toBeLessThan(LANES.FIRST.priority);
      expect(LANES[lane].raised).toBeGreaterThan(LANES.TEST.priority);
    }
  });

  test.each(Object.entries(LANES))('%s is known by its priorities', (lane, rule) => {
    expect(laneOf(rule.priority)).toBe(lane);
    expect(laneOf('raised' in rule ? rule.raised : rule.priority)).toBe(lane);
  });

  test('a delivery that is put off leaves the lane of first attempts, and no other', () => {
    const after = Object.keys(nothing).map((lane) => laneAfterPutOff(lane as keyof typeof nothing));
    expect(after).toEqual(['TEST', 'CROWDED', 'CROWDED', 'RETRY', 'BULK']);
  });
});

describe('shares', () => {
  test('beside first attempts only, crowded ones and retries get a quarter each, bulk an eighth', () => {
    expect(raises({ ...nothing, FIRST: 800 })).toEqual([
      { from: LANES.CROWDED.priority, to: LANES.CROWDED.raised, count: 200 },
      { from: LANES.RETRY.priority, to: LANES.RETRY.raised, count: 200 },
      { from: LANES.BULK.priority, to: LANES.BULK.raised, count: 100 },
    ]);
  });

  test.each([
    [199, 1],
    [200, 0],
    [201, 0],
  ])('retries that were %i of 800 are raised by %i', (retries, count) => {
    const raised = raises({ ...nothing, FIRST: 800 - retries, RETRY: retries });
    expect(raised.find(({ from }) => from === LANES.RETRY.priority)?.count ?? 0).toBe(count);
  });

  test('first attempts and tests are never raised: nothing goes ahead of them for long', () => {
    const from = raises({ ...nothing, BULK: 1_000 }).map((raise) => raise.from);
    expect(from).not.toContain(LANES.FIRST.priority);
    expect(from).not.toContain(LANES.TEST.priority);
  });
});
