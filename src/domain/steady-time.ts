/**
 * The time of day, except that it never goes back: where the clock of the machine is set back, it goes on by the
 * monotonic clock. What has expired stays expired. (A clock that ran ahead and is put right leaves this one ahead until
 * the process ends: that ends keys too early, never too late.)
 */
export class SteadyTime {
  #latestMs = Number.NEGATIVE_INFINITY;
  #monotonicMs = 0;

  /**
   * @param wallMs milliseconds since 1970, by the machine's clock
   * @param monotonicMs milliseconds since any moment, never going back
   */
  at(wallMs: number, monotonicMs: number): number {
    this.#latestMs = Math.max(wallMs, this.#latestMs + monotonicMs - this.#monotonicMs);
    this.#monotonicMs = monotonicMs;
    return this.#latestMs;
  }
}
