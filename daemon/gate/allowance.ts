import { type RequestLimits, UNLIMITED_REQUESTS } from '../../src/domain/limits/tenant-limits.js';
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

/** Times that an endpoint wants. */
export interface TimesWanted extends Omit<WantedTimes, 'webhookId' | 'lateMs' | 'ofTenant'> {
  /** Null: its tenant has no rate. */
  ofTenant: Omit<NonNullable<WantedTimes['ofTenant']>, 'tenantId'> | null;
}

interface KnownClock {
  toOurs(serverMs: number): number;
  readonly openMs: number;
}

/** The tenant of an endpoint. */
interface AllowedTenant {
  readonly limits: RequestLimits;
  readonly isScarce: boolean;
  /** How many endpoints it has, as far as this daemon knows. */
  readonly endpoints: number;
}

const ALONE: AllowedTenant = { limits: UNLIMITED_REQUESTS, isScarce: false, endpoints: 1 };

export const UNLIMITED: Allowed = { ratePerSecond: null, concurrencyMax: null };

/** Times come this soon after they were asked for, at the latest. */
const UNKNOWN_MS = 250;
/** Between the end of one daemon's times and the beginning of the next ones, both rounded. */
const SAME_MS = 0.5;

/** The limits of one endpoint, by its owner and its tenant's rate, and the times that this daemon has taken for it. */
export class Allowance {
  #own = UNLIMITED;
  #times: TakenTimes | null = null;
  /** The first time that this daemon has not taken, as far as it knows. */
  #nextMs = Number.NEGATIVE_INFINITY;
  /** The same by Postgres's clock. */
  #nextServerMs = 0;
  /** The end of the times that this daemon has got: only those can it give back. Others may have taken later ones. */
  #endServerMs = 0;
  /** Requests that have begun since times were asked for. */
  #begun = 0;

  constructor(
    private readonly rules: EndpointRules,
    private readonly tenant = ALONE,
  ) {}

  get ratePerSecond(): number | null {
    return this.#times?.perSecond ?? null;
  }

  get isRated(): boolean {
    return this.#times !== null;
  }

  /** Milliseconds between two times of this daemon, while others send as much; 0: there is no rate. */
  get everyMs(): number {
    const { limits, endpoints } = this.tenant;
    const ofTenant = limits.requestsPerSecond === null ? 0 : everyMsOf(limits.requestsPerSecond) * endpoints;
    return this.#times === null ? 0 : Math.max(everyMsOf(this.#times.perSecond), ofTenant) * this.rules.daemons;
  }

  /** Whether its times are its tenant's too, which others of the tenant's endpoints want. */
  get isOfTenant(): boolean {
    return this.tenant.limits.requestsPerSecond !== null;
  }

  /** The most requests that this daemon may have in flight. What the webhook sets is divided by the daemons. */
  get inFlightMax(): number {
    const { endpointMax, daemons } = this.rules;
    return Math.min(endpointMax, partOf(this.#own.concurrencyMax, daemons));
  }

  /** @param own what its owner allows; default: as before, while the tenant's limits may be others */
  learn(own = this.#own): void {
    this.#own = own;
    const ratePerSecond = lowest(own.ratePerSecond, this.tenant.limits.requestsPerSecond);
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
  timesWanted(now: number, due: number): TimesWanted | null {
    const begun = this.#begun;
    this.#begun = 0;
    // As many may follow: they find times, as far as other daemons need none.
    // The times of a tenant are not taken for what may not come while others of its endpoints want them.
    const follows = this.isOfTenant ? (this.tenant.isScarce ? 0 : begun) : Math.floor(UNKNOWN_MS / this.everyMs);
    const expected = begun === 0 ? 0 : this.isOfTenant ? follows : Math.max(begun, follows);
    const times = this.#times;
    const wanted = due + expected - (times?.count(now) ?? 0);
    if (times === null || wanted <= 0 || this.#nextMs > now + TAKEN_AHEAD_MS) {
      return null;
    }
    const lost = times.takeLost(now);
    const { requestsPerSecond } = this.tenant.limits;
    const ofTenant = requestsPerSecond === null ? null : { perSecond: requestsPerSecond, givenBack: lost };
    const givenBack = times.giveBack(now);
    return { perSecond: times.perSecond, wanted, givenBack, nextMs: this.#endServerMs, ofTenant };
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
    // Whether another daemon takes some of a tenant's times is seen in its row (TenantTurns).
    const isAlone = this.isOfTenant || firstMs < Math.max(this.#nextServerMs, nowMs + lateMs) + SAME_MS;
    this.#times?.add(clock.toOurs(firstMs), count, clock.openMs);
    this.#nextServerMs = nextMs;
    this.#endServerMs = count > 0 ? nextMs : this.#endServerMs;
    this.#nextMs = clock.toOurs(nextMs);
    return !isAlone;
  }
}

/** A daemon's part of what is divided by the daemons, at least 1; null: there is no limit. */
export const partOf = (atOnce: number | null, daemons: number): number =>
  atOnce === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(atOnce / daemons));

const lowest = (first: number | null, second: number | null): number | null =>
  first === null || second === null ? (first ?? second) : Math.min(first, second);
