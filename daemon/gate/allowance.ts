import { everyMsOf, TAKEN_AHEAD_MS, TakenTimes } from '../../src/domain/pacing/request-rate.js';
import type { GrantedTimes, WantedTimes } from '../../src/operations/attempts/endpoint-rates.js';

export interface EndpointRules {
  /** The widest window of one webhook. */
  endpointMax: number;
  /** How many daemons there are, this one included. */
  daemons: number;
  /** The shortest failure streak that disables a webhook. */
  streakMsMin: number;
}

/** Limits that a webhook's owner has set. Null: none. */
export interface Allowed {
  ratePerSecond: number | null;
  concurrencyMax: number | null;
}

interface KnownClock {
  toOurs(serverMs: number): number;
  readonly openMs: number;
}

export const UNLIMITED: Allowed = { ratePerSecond: null, concurrencyMax: null };

/** Times come this soon after they were asked for, at the latest. */
const UNKNOWN_MS = 250;
/** Between the end of one daemon's times and the beginning of the next ones, both rounded. */
const SAME_MS = 0.5;

/** The owner's limits of one endpoint, and the times that this daemon has taken for it. */
export class Allowance {
  #concurrencyMax: number | null = null;
  #times: TakenTimes | null = null;
  /** The first time that this daemon has not taken, as far as it knows. */
  #nextMs = Number.NEGATIVE_INFINITY;
  /** The same by Postgres's clock. */
  #nextServerMs = 0;
  /** The end of the times that this daemon has got: only those can it give back. Others may have taken later ones. */
  #endServerMs = 0;
  /** Requests that have begun since times were asked for. */
  #begun = 0;

  constructor(private readonly rules: EndpointRules) {}

  get ratePerSecond(): number | null {
    return this.#times?.perSecond ?? null;
  }

  /** Milliseconds between two times of this daemon, while others send as much; 0: there is no rate. */
  get everyMs(): number {
    return this.#times === null ? 0 : everyMsOf(this.#times.perSecond) * this.rules.daemons;
  }

  /** The most requests that this daemon may have in flight. What the webhook sets is divided by the daemons. */
  get inFlightMax(): number {
    const { endpointMax, daemons } = this.rules;
    const own = this.#concurrencyMax;
    return own === null ? endpointMax : Math.min(endpointMax, Math.max(1, Math.floor(own / daemons)));
  }

  learn({ ratePerSecond, concurrencyMax }: Allowed): void {
    this.#concurrencyMax = concurrencyMax;
    if (ratePerSecond !== this.ratePerSecond) {
      this.#times = ratePerSecond === null ? null : new TakenTimes(ratePerSecond);
      this.#nextMs = Number.NEGATIVE_INFINITY;
    }
  }

  /** The next time; without one at hand, when one may come. */
  opensAtMs(now: number): number {
    return this.#times === null
      ? Number.NEGATIVE_INFINITY
      : (this.#times.next(now) ?? Math.max(this.#nextMs, now + UNKNOWN_MS));
  }

  /** How many requests may begin until then. */
  timesUntil(now: number, untilMs: number): number {
    return this.#times?.count(now, untilMs) ?? Number.POSITIVE_INFINITY;
  }

  /** More times, if they are needed and within reach. @param due deliveries that could be sent soon */
  timesWanted(now: number, due: number): Omit<WantedTimes, 'webhookId' | 'lateMs'> | null {
    const begun = this.#begun;
    this.#begun = 0;
    // As many may follow: they find times, as far as other daemons need none.
    const expected = begun === 0 ? 0 : Math.max(begun, Math.floor(UNKNOWN_MS / this.everyMs));
    const times = this.#times;
    const wanted = due + expected - (times?.count(now) ?? 0);
    if (times === null || wanted <= 0 || this.#nextMs > now + TAKEN_AHEAD_MS) {
      return null;
    }
    return { perSecond: times.perSecond, wanted, givenBack: times.giveBack(now), nextMs: this.#endServerMs };
  }

  begin(now: number): void {
    this.#times?.use(now);
    this.#begun += 1;
  }

  /**
   * @param clock what this process knows of Postgres's clock
   * @param lateMs as it was asked
   * @returns whether another daemon takes times too: some are gone that are to come
   */
  granted({ firstMs, count, nextMs, nowMs }: GrantedTimes, clock: KnownClock, lateMs: number): boolean {
    const isAlone = firstMs < Math.max(this.#nextServerMs, nowMs + lateMs) + SAME_MS;
    this.#times?.add(clock.toOurs(firstMs), count, clock.openMs);
    this.#nextServerMs = nextMs;
    this.#endServerMs = count > 0 ? nextMs : this.#endServerMs;
    this.#nextMs = clock.toOurs(nextMs);
    return !isAlone;
  }
}
