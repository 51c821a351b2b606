import { type EventLoopUtilization, performance } from 'node:perf_hooks';

const MEASURE_EVERY_MS = 50;
/** A measurement over a longer time says nothing of now. */
const LATELY_MS = 4 * MEASURE_EVERY_MS;

/** How busy the main thread has been lately. */
export class EventLoopLoad {
  #last: EventLoopUtilization = performance.eventLoopUtilization();
  #measuredAtMs = Number.NEGATIVE_INFINITY;
  #utilization = 1;

  /**
   * The share of the time between the last two measurements that was not spent waiting for input: 0 to 1. Reading it
   * measures; after a while without a reader it is 1 until the next measurement, 50 ms later.
   */
  get utilization(): number {
    const now = performance.now();
    const sinceMs = now - this.#measuredAtMs;
    if (sinceMs >= MEASURE_EVERY_MS) {
      const current = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(current, this.#last);
      this.#utilization = sinceMs > LATELY_MS ? 1 : utilization;
      this.#last = current;
      this.#measuredAtMs = now;
    }
    return this.#utilization;
  }
}
