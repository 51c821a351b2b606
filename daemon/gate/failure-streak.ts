import { countFailure, type Failure, type Streak } from '../../src/domain/deliveries/health.js';
import { nextProbeMs, SPARE_FAILURES } from '../../src/domain/pacing/probes.js';

/** A delivery is loaded no longer than this before it comes here. */
const LOADED_MS_MAX = 1_000;

/** The failure streak of one endpoint, as far as this process knows. Times are of the caller's clock. */
export class FailureStreak {
  /** The failures of the streak, as far as they do not disable the webhook. */
  failures = 0;
  #streak: Streak | null = null;
  #sinceMs = Number.NEGATIVE_INFINITY;
  failedAtMs = Number.NEGATIVE_INFINITY;
  #succeededAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly streakMsMin: number) {}

  /** Since when the pauses grow; null: nothing has failed lately, so the endpoint is probed at once. */
  sinceMs(now: number): number | null {
    return this.failures > 0 && now - this.failedAtMs < this.streakMsMin ? this.#sinceMs : null;
  }

  forget(): void {
    this.failures = 0;
    this.#streak = null;
  }

  succeeded(now: number): void {
    this.forget();
    this.#succeededAtMs = now;
  }

  /** @returns whether it counts */
  failed(failure: Failure): boolean {
    const { streak, counts } = countFailure(this.#streak, failure);
    this.#streak = streak;
    if (counts) {
      const now = failure.endedMs;
      this.#sinceMs = this.sinceMs(now) ?? now;
      this.failedAtMs = now;
      this.failures = Math.min(SPARE_FAILURES, this.failures + 1);
    }
    return counts;
  }

  /** Takes the streak from the tables, with a begin that puts the next probe at the time that they say. */
  learn(failures: number, nextProbeInMs: number, now: number): void {
    // A delivery that was loaded before a success of our own knows nothing of that success.
    if (failures > this.failures && now - this.#succeededAtMs > LOADED_MS_MAX) {
      const probeMs = nextProbeMs(failures, 0, this.streakMsMin);
      this.failures = failures;
      this.#streak ??= { beganMs: now, cutCounted: false };
      this.#sinceMs = now + Math.min(2 * this.streakMsMin, Math.max(0, nextProbeInMs)) - probeMs;
      this.failedAtMs = this.#sinceMs;
    }
  }
}
