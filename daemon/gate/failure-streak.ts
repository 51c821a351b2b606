import { nextProbeMs, SPARE_FAILURES } from '../../src/domain/pacing/probes.js';

/** A delivery is loaded no longer than this before it comes here. */
const LOADED_MS_MAX = 1_000;

/** The row of failures of one endpoint, as far as this process knows: its times are those of the caller's clock. */
export class FailureStreak {
  #failures = 0;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #succeededAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly streakMsMin: number) {}

  /** In a row, as far as they do not disable the webhook. */
  get failures(): number {
    return this.#failures;
  }

  get failedAtMs(): number {
    return this.#failedAtMs;
  }

  /** Since when the pauses grow; null: nothing has failed lately, so the endpoint is looked at again. */
  sinceMs(now: number): number | null {
    return this.#failures > 0 && now - this.#failedAtMs < this.streakMsMin ? this.#sinceMs : null;
  }

  forget(): void {
    this.#failures = 0;
  }

  succeeded(now: number): void {
    this.#failures = 0;
    this.#succeededAtMs = now;
  }

  failed(now: number): void {
    this.#sinceMs = this.sinceMs(now) ?? now;
    this.#failedAtMs = now;
    this.#failures = Math.min(SPARE_FAILURES, this.#failures + 1);
  }

  /** Takes in what the tables say, as if it had failed here, so long ago that the next look is due when they say. */
  learn(failures: number, nextProbeInMs: number, now: number): void {
    // What was loaded before a success of our own says nothing of what comes after it.
    if (failures > this.#failures && now - this.#succeededAtMs > LOADED_MS_MAX) {
      const lookMs = nextProbeMs(failures, 0, this.streakMsMin);
      this.#failures = failures;
      this.#sinceMs = now + Math.min(2 * this.streakMsMin, Math.max(0, nextProbeInMs)) - lookMs;
      this.#failedAtMs = this.#sinceMs;
    }
  }
}
