/**
 * The requests a second that a webhook allows. They begin at times that are 1 ÷ rate apart. All daemons take times from
 * one row (`endpoint_rates`), so the rate holds however many daemons there are.
 */

/** No daemon takes times that are further away. One that dies takes those with it. */
export const TAKEN_AHEAD_MS = 500;
/**
 * A request may begin this long after its time, or this part of the pause between two: no timer is exact. The rest of
 * the pause is for a process that has to wait between its clock and its request.
 */
const LATE_MS = 60;
const LATE_SHARE = 0.03;
const BURST_SECONDS_INVERSE = 10;

/** How many requests may begin at once after a pause: what is allowed in a tenth of a second, and at least one. */
export const burstOf = (perSecond: number): number => Math.max(1, Math.floor(perSecond / BURST_SECONDS_INVERSE));

export const everyMsOf = (perSecond: number): number => 1_000 / perSecond;

/** Times that one daemon has taken for one endpoint, in milliseconds of its monotonic clock. */
export class TakenTimes {
  /** Ascending. */
  readonly #times: { atMs: number; lastMs: number }[] = [];
  readonly #lateMsMax: number;
  /** The times after the last one that was used, which are over. */
  #unused = 0;
  /** The times that are over and were not used, since they were last asked for. */
  #lost = 0;

  constructor(readonly perSecond: number) {
    this.#lateMsMax = Math.max(LATE_MS, Math.max(burstOf(perSecond) - 1, LATE_SHARE) * everyMsOf(perSecond));
  }

  /** @param openMs the times may be over by so much: the clocks are not known better */
  add(firstMs: number, count: number, openMs = 0): void {
    const lateMsMax = this.#lateMsMax - openMs;
    for (let index = 0; index < count; index++) {
      const atMs = firstMs + index * everyMsOf(this.perSecond);
      this.#times.push({ atMs, lastMs: lateMsMax < 0 ? Number.NEGATIVE_INFINITY : atMs + lateMsMax });
    }
  }

  /** The first time that is not over; undefined: there is none. A time that was not used cannot be used later. */
  next(now: number): number | undefined {
    const { length } = this.#times;
    let over = 0;
    while (over < length && this.#times[over]!.lastMs < now) {
      over += 1;
    }
    this.#times.splice(0, over);
    this.#unused += over;
    this.#lost += over;
    return this.#times[0]?.atMs;
  }

  /** How many there are until then. */
  count(now: number, untilMs = Number.POSITIVE_INFINITY): number {
    if (this.next(now) === undefined) {
      return 0;
    }
    const after = this.#times.findIndex(({ atMs }) => atMs > untilMs);
    return after < 0 ? this.#times.length : after;
  }

  /** A request begins, with the first time. */
  use(now: number): void {
    if (this.next(now) !== undefined) {
      this.#times.shift();
      this.#unused = 0;
    }
  }

  /** @returns how many times are over and were not used, since this was last called */
  takeLost(now: number): number {
    this.next(now);
    const lost = this.#lost;
    this.#lost = 0;
    return lost;
  }

  /** @returns how many of the last times are over, and were not used: those may be taken again */
  giveBack(now: number): number {
    const isEmpty = this.next(now) === undefined;
    const unused = isEmpty ? this.#unused : 0;
    this.#unused -= unused;
    return unused;
  }
}
