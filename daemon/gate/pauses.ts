/** Until an outcome that disables the webhook is recorded, and each load of its deliveries knows it. */
const DISABLED_MS = 1_000;
/** A pace that was missed by less is caught up with. */
const PACE_SLACK_MS = 50;

/** When an endpoint opens again: after the pauses that it asked for, and at the pace that it named. */
export class Pauses {
  #closedAtMs = Number.NEGATIVE_INFINITY;
  #closedUntilMs = Number.NEGATIVE_INFINITY;
  #pacedUntilMs = Number.NEGATIVE_INFINITY;

  get untilMs(): number {
    return Math.max(this.#closedUntilMs, this.#pacedUntilMs);
  }

  isClosed(now: number): boolean {
    return now < this.#closedUntilMs;
  }

  /** Whether a request began before the answer that has closed the endpoint. */
  isBefore(startedAtMs: number): boolean {
    return startedAtMs < this.#closedAtMs;
  }

  closeUntil(untilMs: number): void {
    this.#closedUntilMs = Math.max(this.#closedUntilMs, untilMs);
  }

  disabled(now: number): void {
    this.closeUntil(now + DISABLED_MS);
  }

  asked(now: number, closeMs: number): void {
    this.#closedAtMs = now;
    this.closeUntil(now + closeMs);
    this.#pacedUntilMs = this.#closedUntilMs;
  }

  began(now: number, everyMs: number): void {
    if (everyMs > 0) {
      this.#pacedUntilMs = Math.max(this.#pacedUntilMs, now - PACE_SLACK_MS) + everyMs;
    }
  }

  forget(): void {
    this.#closedUntilMs = Number.NEGATIVE_INFINITY;
    this.#pacedUntilMs = Number.NEGATIVE_INFINITY;
  }
}
