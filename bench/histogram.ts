import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram as HdrHistogram,
} from 'hdr-histogram-js';

const MICROSECONDS_MAX = 2 ** 31 - 1;

const empty = (): HdrHistogram =>
  build({ lowestDiscernibleValue: 1, highestTrackableValue: MICROSECONDS_MAX, numberOfSignificantValueDigits: 3 });

/** The form sent between processes. */
export type HistogramData = string;

export interface LatencySummary {
  count: number;
  p50Ms: number;
  p90Ms: number;
  p99Ms: number;
  maxMs: number;
}

/**
 * Durations in whole microseconds, within 0.1 %, to 35 minutes. It holds any number of values in some kilobytes, so a
 * process under load can keep one and send it to another at the end.
 */
export class Histogram {
  readonly #values = empty();

  static from(...data: readonly HistogramData[]): Histogram {
    const histogram = new Histogram();
    for (const one of data) {
      histogram.#values.add(decodeFromCompressedBase64(one));
    }
    return histogram;
  }

  get count(): number {
    return this.#values.totalCount;
  }

  /** @param microseconds below 0 counts as 0 (two processes' clocks differ by a few), above the range as its end */
  record(microseconds: number): void {
    this.#values.recordValue(Math.min(Math.max(Math.round(microseconds), 0), MICROSECONDS_MAX));
  }

  /**
   * The value that `percent` of the recorded ones do not exceed (nearest rank), in microseconds.
   *
   * @returns null when nothing was recorded
   */
  percentile(percent: number): number | null {
    return this.count === 0 ? null : this.#values.getValueAtPercentile(percent);
  }

  /** @returns null when nothing was recorded */
  summary(): LatencySummary | null {
    if (this.count === 0) {
      return null;
    }
    const ms = (percent: number) => this.percentile(percent)! / 1000;
    return { count: this.count, p50Ms: ms(50), p90Ms: ms(90), p99Ms: ms(99), maxMs: ms(100) };
  }

  data(): HistogramData {
    return encodeIntoCompressedBase64(this.#values);
  }
}

/** The middle value, or the mean of the two middle ones. @returns null for no values */
export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) {
    return null;
  }
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
