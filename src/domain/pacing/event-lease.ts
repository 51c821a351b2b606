/** Requests are refused without another look at the row for this long, when it had less than was wanted. */
const CLOSED_MS = 200;
/** Leased events that are not used lapse after this time. */
const LAPSES_MS = 1_000;
/** A lease has the events of this time, or of the time since the last one where the process is late. */
const LEASE_MS = 200;
const LEASE_MS_MAX = 500;

interface Asked {
  /** The events of the request that asks. */
  needed: number;
  wanted: number;
}

/** The events of one tenant that one API process has leased and not used. Times are monotonic, in ms. */
export class EventLease {
  #left = 0;
  #lapsesAtMs = Number.NEGATIVE_INFINITY;
  #closedUntilMs = Number.NEGATIVE_INFINITY;
  /** The events of requests that have come since it was asked for more: as many may follow. */
  #came = 0;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(readonly perSecond: number) {}

  /** A request has come. */
  came(events: number): void {
    this.#came += events;
  }

  /** Takes all of the events, or none. */
  take(events: number, now: number): boolean {
    if (now > this.#lapsesAtMs) {
      this.#left = 0;
    }
    if (this.#left < events) {
      return false;
    }
    this.#left -= events;
    return true;
  }

  giveBack(events: number): void {
    this.#left += events;
  }

  /** How long requests are refused; 0: more can be asked for. */
  closedForMs(now: number): number {
    return Math.max(0, this.#closedUntilMs - now);
  }

  /** @param waiting the events of all requests that wait, this one's among them */
  ask(events: number, waiting: number, now: number): Asked {
    const needed = events - this.#left;
    const likely = Math.max(waiting - this.#left, needed + this.#came);
    const forMs = Math.min(LEASE_MS_MAX, Math.max(LEASE_MS, now - this.#askedAtMs));
    this.#came = 0;
    this.#askedAtMs = now;
    return { needed, wanted: Math.max(needed, Math.min(likely, Math.ceil((this.perSecond * forMs) / 1_000))) };
  }

  /** @param waitMs until one more is free */
  got({ leased, waitMs }: { leased: number; waitMs: number }, wanted: number, now: number): void {
    this.#left += leased;
    this.#lapsesAtMs = now + LAPSES_MS;
    if (leased < wanted) {
      this.#closedUntilMs = Math.max(this.#askedAtMs + CLOSED_MS, now + waitMs);
    }
  }
}
