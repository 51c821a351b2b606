/** By how much a measured difference of two clocks may be wrong: the header has whole seconds. */
const EXACT_MS = 3_000;

/** How far the service's clock is ahead of this machine's, in ms; below zero: behind. It may be minutes. */
export let serviceAheadMs = 0;

/** Notes the time of the service that an answer has. */
export function hearTime(response: Response): void {
  const differenceMs = Date.parse(response.headers.get('date') ?? '') - Date.now();
  serviceAheadMs = Math.abs(differenceMs) > EXACT_MS ? differenceMs : 0;
}
