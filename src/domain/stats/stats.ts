import { DAY_MS, HOUR_MS } from '../text/durations.js';
import { LATENCY_BUCKETS, latencyPercentile } from './latency.js';

export type Resolution = 'MINUTE' | 'HOUR' | 'DAY';

/** The length of a bucket. All begin with the minutes, hours and days of UTC, which Unix time has as multiples. */
export const bucketMs: Readonly<Record<Resolution, number>> = {
  MINUTE: 60_000,
  HOUR: HOUR_MS,
  DAY: DAY_MS,
};

/** Statistics are kept an hour or a day longer than promised, so that a whole promised range can be asked for. */
export const STATS_KEPT_MS: Readonly<Record<Resolution, number>> = {
  MINUTE: 49 * HOUR_MS,
  HOUR: 91 * DAY_MS,
  DAY: 731 * DAY_MS,
};

const keptText: Readonly<Record<Resolution, string>> = {
  MINUTE: 'minutes are kept for 2 days',
  HOUR: 'hours are kept for 90 days',
  DAY: 'days are kept for 2 years',
};

/** Buckets of one request: a day of minutes, two months of hours, and all days that there are. */
export const STATS_BUCKETS_MAX = 1_500;

/** Default: as fine as can still be seen in a chart. */
const MINUTES_BY_DEFAULT_MS = 6 * HOUR_MS;
const HOURS_BY_DEFAULT_MS = 14 * DAY_MS;

/** Whole buckets, from `since` to before `until`. */
export interface StatsRange {
  resolution: Resolution;
  since: Date;
  until: Date;
}

type RangeVerdict =
  | ({ allowed: true } & StatsRange)
  | { allowed: false; field: 'since' | 'until' | 'resolution'; reason: string };

/** @param wanted `until` null: up to now; `resolution` null: chosen by the length of the range */
export function judgeStatsRange(
  wanted: { since: Date; until: Date | null; resolution: Resolution | null },
  now: Date,
): RangeVerdict {
  const since = wanted.since.getTime();
  const until = (wanted.until ?? now).getTime();
  if (until <= since) {
    return wanted.until === null
      ? { allowed: false, field: 'since', reason: 'must lie before now' }
      : { allowed: false, field: 'until', reason: 'must lie after `since`' };
  }
  const age = now.getTime() - since;
  const resolution = wanted.resolution ?? resolutionFor(until - since, age);
  if (age > STATS_KEPT_MS[resolution]) {
    return { allowed: false, field: 'since', reason: `lies too far back: ${keptText[resolution]}` };
  }
  const length = bucketMs[resolution];
  const first = Math.floor(since / length);
  const end = Math.ceil(until / length);
  if (end - first > STATS_BUCKETS_MAX) {
    const most = STATS_BUCKETS_MAX.toLocaleString('en');
    const reason = `makes ${(end - first).toLocaleString('en')} buckets of this range; a request has at most ${most}`;
    return { allowed: false, field: wanted.resolution === null ? 'until' : 'resolution', reason };
  }
  return { allowed: true, resolution, since: new Date(first * length), until: new Date(end * length) };
}

function resolutionFor(lengthMs: number, ageMs: number): Resolution {
  if (lengthMs <= MINUTES_BY_DEFAULT_MS && ageMs <= STATS_KEPT_MS.MINUTE) {
    return 'MINUTE';
  }
  return lengthMs <= HOURS_BY_DEFAULT_MS && ageMs <= STATS_KEPT_MS.HOUR ? 'HOUR' : 'DAY';
}

export interface StatsCounts {
  startMs: number;
  successes: number;
  failures: number;
  histogram: readonly number[];
}

/** Null without attempts. */
interface StatsFigures {
  attempts: number;
  successes: number;
  failures: number;
  successRate: number | null;
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
}

/** @returns every bucket of the range, the empty ones too */
export function bucketFigures(range: StatsRange, counted: readonly StatsCounts[]): ({ start: Date } & StatsFigures)[] {
  const length = bucketMs[range.resolution];
  const byStart = new Map(counted.map((counts) => [counts.startMs, counts]));
  const sinceMs = range.since.getTime();
  return Array.from({ length: (range.until.getTime() - sinceMs) / length }, (_, index) => {
    const startMs = sinceMs + index * length;
    return { start: new Date(startMs), ...figuresOf(byStart.get(startMs) ?? nothing) };
  });
}

export function totalFigures(counted: readonly StatsCounts[]): StatsFigures {
  return figuresOf(sumOf(counted));
}

type Counts = Omit<StatsCounts, 'startMs'>;

const nothing: Counts = { successes: 0, failures: 0, histogram: [] };

function figuresOf({ successes, failures, histogram }: Counts): StatsFigures {
  const attempts = successes + failures;
  return {
    attempts,
    successes,
    failures,
    successRate: attempts === 0 ? null : successes / attempts,
    p50Ms: tenths(latencyPercentile(histogram, 0.5)),
    p95Ms: tenths(latencyPercentile(histogram, 0.95)),
    p99Ms: tenths(latencyPercentile(histogram, 0.99)),
  };
}

/** The histogram has no more digits. */
const tenths = (ms: number | null) => (ms === null ? null : Math.round(ms * 10) / 10);

function sumOf(counted: readonly Counts[]): Counts {
  const sum = (count: (counts: Counts) => number) => counted.reduce((total, counts) => total + count(counts), 0);
  return {
    successes: sum(({ successes }) => successes),
    failures: sum(({ failures }) => failures),
    histogram: Array.from({ length: LATENCY_BUCKETS }, (_, bucket) => sum(({ histogram }) => histogram[bucket] ?? 0)),
  };
}
