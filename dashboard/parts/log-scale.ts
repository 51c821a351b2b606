const STEPS = [1, 2, 5] as const;
const LABELS_MAX = 5;

/**
 * The ends and the labels of a logarithmic axis: round numbers about the values, so that a line of fast answers and one
 * of slow answers can both be read.
 *
 * @param least above 0
 * @returns labels from the lower end to the upper one
 */
export function logTicks(least: number, most: number): number[] {
  const from = Math.floor(Math.log10(least));
  const decades = Array.from({ length: Math.ceil(Math.log10(most)) - from + 1 }, (_, at) => 10 ** (from + at));
  const all = decades.flatMap((decade) => STEPS.map((step) => step * decade));
  const first = all.findLastIndex((tick) => tick <= least);
  const last = all.findIndex((tick) => tick >= most);
  // A line that is flat has room above it.
  const ticks = all.slice(first, Math.max(last, first + 1) + 1);
  if (ticks.length <= LABELS_MAX) {
    return ticks;
  }
  const [lower = least, upper = most] = [10 ** Math.floor(Math.log10(least)), 10 ** Math.ceil(Math.log10(most))];
  return decades.filter((decade) => decade >= lower && decade <= upper);
}
