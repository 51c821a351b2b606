/** How many items an operation had processed at a moment. */
export interface Reading {
  /** In ms since 1970. */
  at: number;
  processed: number;
}

/** A rate is that of the last seconds: operations make way for other work, and are paused. */
const WINDOW_MS = 20_000;
/** A shorter time says too little. */
const APART_MS_MIN = 1_500;

/** Earlier readings and another one, without those that are too old. One behind the last begins again. */
export function noted(readings: readonly Reading[], reading: Reading): Reading[] {
  const last = readings.at(-1);
  if (last !== undefined && reading.processed < last.processed) {
    return [reading];
  }
  return [...readings.filter(({ at }) => reading.at - at <= WINDOW_MS), reading];
}

/** Processed items in a ms until now; undefined while that is not known. Nothing is noted while nothing changes. */
export function rateOf(readings: readonly Reading[], now: number): number | undefined {
  const [first, last] = [readings[0], readings.at(-1)];
  return first === undefined || last === undefined || now - first.at < APART_MS_MIN
    ? undefined
    : (last.processed - first.processed) / (now - first.at);
}
