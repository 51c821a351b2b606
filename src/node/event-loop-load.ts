import { type EventLoopUtilization, performance } from 'node:perf_hooks';

const LOOK_EVERY_MS = 50;

/** How busy the main thread has been lately. */
export class EventLoopLoad {
  #last: EventLoopUtilization = performance.eventLoopUtilization();
  #lookedAtMs = performance.now();
  #utilization = 0;

  /** Of the time between the last two looks, how much it did not wait for input: 0 to 1. Whoever asks looks. */
  get utilization(): number {
    const now = performance.now();
    if (now - this.#lookedAtMs >= LOOK_EVERY_MS) {
      const current = performance.eventLoopUtilization();
      this.#utilization = performance.eventLoopUtilization(current, this.#last).utilization;
      this.#last = current;
      this.#lookedAtMs = now;
    }
    return this.#utilization;
  }
}
