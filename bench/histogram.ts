/**
 * A histogram of durations in whole microseconds: exact below 256 µs, within 0.8 % above, to 35 minutes. It holds
 * any number of values in a few kilobytes, so a process under load can keep one and send it to another at the end.
 */

const SUB_BUCKETS = 128;
const SUB_BUCKET_BITS = 7;
const MICROSECONDS_MAX = 2 ** 31 - 1;

/** The form sent between processes: pairs of bucket and count, without empty buckets. */
export interface HistogramData {
  buckets: number[];
  maxMicroseconds: number;
}

export interface LatencySummary {
  count: number;
  p50Ms: number;
  p90Ms: number;
  p99Ms: number;
  maxMs: number;
}

export class Histogram {
  readonly #counts = new Map<number, number>();
  #count = 0;
  #max = 0;

  static from(...data: readonly HistogramData[]): Histogram {
    const histogram = new Histogram();
    for (const { buckets, maxMicroseconds } of data) {
      for (let i = 0; i < buckets.length; i += 2) {
        histogram.#add(buckets[i]!, buckets[i + 1]!);
      }
      histogram.#max = Math.max(histogram.#max, maxMicroseconds);
    }
    return histogram;
  }

  get count(): number {
    return this.#count;
  }

  /** @param microseconds below 0 counts as 0 (two processes' clocks differ by a few), above the range as its end */
  record(microseconds: number): void {
    const value = Math.min(Math.max(Math.round(microseconds), 0), MICROSECONDS_MAX);
    this.#max = Math.max(this.#max, value);
    this.#add(bucketOf(value), 1);
  }

  #add(bucket: number, count: number): void {
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + count);
    this.#count += count;
  }

  /**
   * The value that `percent` of the recorded ones do not exceed (nearest rank), in microseconds.
   *
   * @returns null when nothing was recorded
   */
  percentile(percent: number): number | null {
    if (this.#count === 0) {
      return null;
    }
    let rank = Math.max(1, Math.ceil((percent / 100) * this.#count));
    for (const [bucket, count] of this.#sorted()) {
      rank -= count;
      if (rank <= 0) {
        return Math.min(middleOf(bucket), this.#max);
      }
    }
    return this.#max;
  }

  /** @returns null when nothing was recorded */
  summary(): LatencySummary | null {
    if (this.#count === 0) {
      return null;
    }
    const ms = (percent: number) => this.percentile(percent)! / 1000;
    return { count: this.#count, p50Ms: ms(50), p90Ms: ms(90), p99Ms: ms(99), maxMs: this.#max / 1000 };
  }

  data(): HistogramData {
    return { buckets: this.#sorted().flat(), maxMicroseconds: this.#max };
  }

  #sorted(): [number, number][] {
    return [...this.#counts].sort(([a], [b]) => a - b);
  }
}

/** Each power of two has the same number of equally wide buckets; the first two share width 1. */
function bucketOf(value: number): number {
  const exponent = Math.max(0, 31 - Math.clz32(value) - SUB_BUCKET_BITS);
  return exponent * SUB_BUCKETS + (value >> exponent);
}

function middleOf(bucket: number): number {
  const exponent = Math.max(0, Math.floor(bucket / SUB_BUCKETS) - 1);
  const width = 2 ** exponent;
  return (bucket - exponent * SUB_BUCKETS) * width + Math.floor(width / 2);
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
