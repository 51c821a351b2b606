import { serviceAheadMs } from '../api/service-time.js';

/** The time of all clocks of the page, which is the service's: one timer, once a second, only while something shows a time. */
class Clock {
  #now = Date.now();
  #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #utc = false;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#timer === undefined) {
      this.#timer = setInterval(this.#tick, 1_000);
      document.addEventListener('visibilitychange', this.#tick); // timers of hidden pages are late
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
        document.removeEventListener('visibilitychange', this.#tick);
      }
    };
  };

  /** The first text that shows a time is of this moment, however long nothing showed one. */
  now = (): number => {
    if (this.#timer === undefined) {
      this.#now = Date.now();
    }
    return this.#now + serviceAheadMs;
  };

  utc = (): boolean => this.#utc;

  /** Shows all times in UTC, or in the person's own zone. */
  setUtc(utc: boolean): void {
    this.#utc = utc;
    this.#tick();
  }

  #tick = (): void => {
    this.#now = Date.now();
    for (const listener of this.#listeners) {
      listener();
    }
  };
}

export const clock = new Clock();
