import { type EventLoopUtilization, performance } from 'node:perf_hooks';

const LOOK_EVERY_MS = 50;
/** What was measured over a longer time, because nobody asked, says nothing of now. */
const LATELY_MS = 4 * LOOK_EVERY_MS;

/** How busy the main thread has been lately. */
export class EventLoopLoad {
  #last: EventLoopUtilization = performance.eventLoopUtilization();
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #utilization = 1;

  /**
   * Of the time between the last two looks, how much it did not wait for input: 0 to 1. Whoever asks looks; where
   * nobody has asked for a while, it is taken for busy until the next look, 50 ms later.
   */
  get utilization(): number {
    const now = performance.now();
    const sinceMs = now - this.#lookedAtMs;
    if (sinceMs >= LOOK_EVERY_MS) {
      const current = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(current, this.#last);
      this.#utilization = sinceMs > LATELY_MS ? 1 : utilization;
      this.#last = current;
      this.#lookedAtMs = now;
    }
    return this.#utilization;
  }
}
