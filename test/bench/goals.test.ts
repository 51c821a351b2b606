import { describe, expect, test } from 'vitest';
import { goals, verdictOf } from '../../bench/goals.js';
import { Histogram } from '../../bench/histogram.js';
import { lineThrough } from '../../bench/line.js';
import { parseMemory } from '../../bench/processes.js';
import { formatGoals } from '../../bench/report.js';
import type { Measurement } from '../../bench/scenario.js';
import { scenarios } from '../../bench/scenarios/index.js';
import { sumOf } from '../../bench/sum.js';
import { measurement } from './measurement.js';

describe('a goal', () => {
  const rate = goals['throughput']![0]!;

  test('is met on its limit, and missed beyond it', () => {
    const state = (p99Ms: number) => verdictOf(goals['herd']![0]!, { 'latency.p99Ms': p99Ms }).state;
    expect([state(250), state(250.1)]).toEqual(['met', 'missed']);
  });

  test('of a rate is also met by the percentage of bare POSTs, for slower machines', () => {
    const state = (deliveriesPerSecond: number, percentOfBarePosts: number) =>
      verdictOf(rate, { deliveriesPerSecond, percentOfBarePosts }).state;
    expect([state(3500, 1), state(1000, 12), state(3499, 11.9)]).toEqual(['met', 'met', 'missed']);
  });

  test('is unknown where the figure is', () => {
    expect(verdictOf(rate, {}).state).toBe('unknown');
  });

  test('about an installation of a size is not judged on a smaller one', () => {
    const state = (seededDeliveries: number, slowestP99Ms: number) =>
      verdictOf(goals['explorer']![0]!, { seededDeliveries, slowestP99Ms }).state;
    expect([state(9_999_999, 1), state(9_999_999, 99)]).toEqual(['unjudged', 'unjudged']);
    expect([state(10_000_000, 50), state(10_000_000, 51)]).toEqual(['met', 'missed']);
    expect(verdictOf(goals['explorer']![0]!, { slowestP99Ms: 1 }).state).toBe('unjudged');
  });

  test('about every case is missed as soon as one case misses it', () => {
    const state = (medians: Record<string, number>) => verdictOf(goals['restart']![1]!, medians).state;
    expect(state({ '300ms@30.failuresInARow': 9, '8000ms@30.failuresInARow': 3 })).toBe('met');
    expect(state({ '300ms@30.failuresInARow': 10, '8000ms@30.failuresInARow': 3 })).toBe('missed');
    expect(state({ '300ms@30.disabled': 0 })).toBe('unknown');
  });

  test('is shown with its verdict', () => {
    expect(formatGoals([{ says: 'p99 at most 250 ms', state: 'missed' }])).toBe('  goal: p99 at most 250 ms: MISSED');
    expect(formatGoals([{ says: 'in 50 ms', state: 'unjudged' }])).toBe('  goal: in 50 ms: not judged');
  });

  test('belongs to a scenario that there is', () => {
    const names = scenarios.map(({ name }) => name);
    expect(Object.keys(goals).filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('the line through samples', () => {
  test('has their slope and mean', () => {
    const points = [0, 1, 2, 3].map((x) => ({ x, y: 10 + 2 * x }));
    expect(lineThrough(points)).toEqual({ slope: 2, meanY: 13 });
  });

  test('is laid between samples that scatter', () => {
    const points = [1, -1, -1, 1].map((off, x) => ({ x, y: 5 + off }));
    expect(lineThrough(points)).toEqual({ slope: 0, meanY: 5 });
  });

  test('needs two samples at different times', () => {
    expect([lineThrough([]), lineThrough([{ x: 1, y: 1 }])]).toEqual([null, null]);
  });
});

test('memory is read in MiB, where there is any', () => {
  expect(parseMemory('Name:\tnode\nVmHWM:\t  4096 kB\nVmRSS:\t  2048 kB\n')).toBe(2);
  expect(parseMemory('Name:\tkthreadd\n')).toBeNull();
});

describe('the sum of measurements', () => {
  const recorded = (times: number) => {
    const histogram = new Histogram();
    for (let n = 0; n < times; n += 1) {
      histogram.record(5);
    }
    return histogram.data();
  };
  const one: Measurement = {
    ...measurement,
    latency: recorded(100),
    ...{ lost: 1, unrecorded: 5, duplicates: 2, signaturesWrong: 4 },
  };

  test('adds up what can be added', () => {
    expect(sumOf([one, one])).toEqual({
      deliveries: 40_000,
      seconds: 10,
      cpu: { service: 8, postgres: 4, receiver: 2, load: 6 },
      latency: recorded(200),
      ...{ lost: 2, unrecorded: 10, duplicates: 4, signaturesChecked: 600, signaturesWrong: 8 },
      details: {},
    });
  });

  test('knows no CPU time when one of them does not', () => {
    expect(sumOf([one, { ...one, cpu: null }]).cpu).toBeNull();
  });
});
