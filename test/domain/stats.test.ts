import { describe, expect, test } from 'vitest';
import { LATENCY_BUCKETS } from '../../src/domain/stats/latency.js';
import {
  bucketFigures,
  bucketMs,
  judgeStatsRange,
  type Resolution,
  STATS_BUCKETS_MAX,
  STATS_KEPT_MS,
  totalFigures,
} from '../../src/domain/stats/stats.js';
import { fc } from '../support/properties.js';

const now = new Date('2026-05-20T10:30:15.500Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ago = (ms: number) => new Date(now.getTime() - ms);

const judge = (since: Date, until: Date | null = null, resolution: Resolution | null = null) =>
  judgeStatsRange({ since, until, resolution }, now);
const refusal = (...args: Parameters<typeof judge>) => {
  const verdict = judge(...args);
  return verdict.allowed ? null : { field: verdict.field, reason: verdict.reason };
};
const resolutionOf = (...args: Parameters<typeof judge>) => {
  const verdict = judge(...args);
  return verdict.allowed ? verdict.resolution : verdict.reason;
};

describe('the range of statistics', () => {
  test('is made of whole buckets in UTC, those at both ends included', () => {
    const range = judge(new Date('2026-05-20T07:59:59.999Z'), new Date('2026-05-20T09:00:00.001Z'), 'HOUR');
    expect(range).toEqual({
      allowed: true,
      resolution: 'HOUR',
      since: new Date('2026-05-20T07:00:00Z'),
      until: new Date('2026-05-20T10:00:00Z'),
    });
    expect(judge(ago(DAY), null, 'DAY')).toMatchObject({
      since: new Date('2026-05-19T00:00:00Z'),
      until: new Date('2026-05-21T00:00:00Z'),
    });
  });

  test('that ends on a boundary has no bucket beyond it', () => {
    const range = judge(new Date('2026-05-20T07:00:00Z'), new Date('2026-05-20T09:00:00Z'), 'HOUR');
    expect(range).toMatchObject({ until: new Date('2026-05-20T09:00:00Z') });
  });

  test('has buckets that fit its length, unless told otherwise', () => {
    expect(resolutionOf(ago(6 * HOUR))).toBe('MINUTE');
    expect(resolutionOf(ago(6 * HOUR + 1))).toBe('HOUR');
    expect(resolutionOf(ago(14 * DAY))).toBe('HOUR');
    expect(resolutionOf(ago(14 * DAY + 1))).toBe('DAY');
  });

  test('has buckets that are still kept, unless told otherwise', () => {
    expect(resolutionOf(ago(STATS_KEPT_MS.MINUTE), ago(STATS_KEPT_MS.MINUTE - HOUR))).toBe('MINUTE');
    expect(resolutionOf(ago(STATS_KEPT_MS.MINUTE + 1), ago(STATS_KEPT_MS.MINUTE - HOUR))).toBe('HOUR');
    expect(resolutionOf(ago(STATS_KEPT_MS.HOUR + 1), ago(STATS_KEPT_MS.HOUR - HOUR))).toBe('DAY');
  });

  test.each([
    ['MINUTE', 'lies too far back: minutes are kept for 2 days'],
    ['HOUR', 'lies too far back: hours are kept for 90 days'],
    ['DAY', 'lies too far back: days are kept for 2 years'],
  ] as const)('by %s reaches back as far as those are kept, and not further', (resolution, reason) => {
    const since = (ms: number) => [ago(ms), ago(ms - HOUR), resolution] as const;
    expect(refusal(...since(STATS_KEPT_MS[resolution]))).toBeNull();
    expect(refusal(...since(STATS_KEPT_MS[resolution] + 1))).toEqual({ field: 'since', reason });
  });

  test('has at most 1,500 buckets', () => {
    const since = new Date('2026-05-20T00:00:00Z');
    const until = (buckets: number) => new Date(since.getTime() + buckets * bucketMs.MINUTE);
    expect(refusal(since, until(STATS_BUCKETS_MAX), 'MINUTE')).toBeNull();
    expect(refusal(since, new Date(until(STATS_BUCKETS_MAX).getTime() + 1), 'MINUTE')).toEqual({
      field: 'resolution',
      reason: 'makes 1,501 buckets of this range; a request has at most 1,500',
    });
    expect(refusal(since, new Date('2126-05-20T00:00:00Z'))).toMatchObject({ field: 'until' });
  });

  test('has a beginning before its end', () => {
    expect(refusal(ago(HOUR), ago(HOUR))).toEqual({ field: 'until', reason: 'must lie after `since`' });
    expect(refusal(ago(HOUR), ago(HOUR - 1))).toBeNull();
    expect(refusal(now)).toEqual({ field: 'since', reason: 'must lie before now' });
    expect(refusal(ago(1))).toBeNull();
  });

  test('whatever is allowed covers what was asked for, in at most 1,500 whole buckets', () => {
    const moment = fc.date({ min: ago(3 * 365 * DAY), max: ago(-DAY), noInvalidDate: true });
    const resolution = fc.constantFrom<Resolution | null>('MINUTE', 'HOUR', 'DAY', null);
    fc.assert(
      fc.property(moment, moment, resolution, (since, until, wanted) => {
        const verdict = judge(since, until, wanted);
        fc.pre(verdict.allowed);
        const length = bucketMs[verdict.resolution];
        const [first, end] = [verdict.since.getTime(), verdict.until.getTime()];
        expect(first).toBeLessThanOrEqual(since.getTime());
        expect(first).toBeGreaterThan(since.getTime() - length);
        expect(end).toBeGreaterThanOrEqual(until.getTime());
        expect(end).toBeLessThan(until.getTime() + length);
        expect([first % length, end % length]).toEqual([0, 0]);
        expect((end - first) / length).toBeLessThanOrEqual(STATS_BUCKETS_MAX);
      }),
    );
  });
});

describe('the series', () => {
  const range = {
    resolution: 'HOUR',
    since: new Date('2026-05-20T07:00:00Z'),
    until: new Date('2026-05-20T10:00:00Z'),
  } as const;
  const histogram = (bucket: number, count: number) => new Array<number>(LATENCY_BUCKETS).fill(0).with(bucket, count);

  test('has every bucket, those of nothing with zeros and no rates', () => {
    const startMs = Date.parse('2026-05-20T08:00:00Z');
    const counted = [{ startMs, successes: 3, failures: 1, histogram: histogram(0, 4) }];
    const counts = { attempts: 4, successes: 3, failures: 1 };
    const figures = { ...counts, successRate: 0.75, p50Ms: 0.5, p95Ms: 1, p99Ms: 1 };
    const none = { attempts: 0, successes: 0, failures: 0 };
    const empty = { ...none, successRate: null, p50Ms: null, p95Ms: null, p99Ms: null };
    expect(bucketFigures(range, counted)).toEqual([
      { start: range.since, ...empty },
      { start: new Date(startMs), ...figures },
      { start: new Date('2026-05-20T09:00:00Z'), ...empty },
    ]);
    expect(totalFigures(counted)).toEqual(figures);
    expect(totalFigures([])).toEqual(empty);
  });

  test('has percentiles over all in its total, not means of percentiles', () => {
    const at = (time: string) => Date.parse(`2026-05-20T${time}:00Z`);
    const total = totalFigures([
      { startMs: at('07:00'), successes: 99, failures: 0, histogram: histogram(0, 99) },
      { startMs: at('09:00'), successes: 0, failures: 1, histogram: histogram(20, 1) },
    ]);
    expect(total).toMatchObject({ attempts: 100, successRate: 0.99, p99Ms: 1 });
  });
});
