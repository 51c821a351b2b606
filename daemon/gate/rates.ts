import type { GrantedTimes, WantedTimes } from '../../src/operations/attempts/endpoint-rates.js';
import type { LeftPutOffs, LookedWebhook } from '../../src/operations/deliveries/left-put-offs.js';
import type { Endpoint } from './endpoint.js';
import type { TenantShare } from './shares.js';
import { TenantTurns } from './tenant-turns.js';

/** The tables, as endpoints with a rate need them. Without an answer (null) these ask again. */
export interface RateTables {
  takeTimes(wanted: readonly WantedTimes[]): Promise<readonly GrantedTimes[] | null>;
  findLeft(webhooks: readonly LookedWebhook[]): Promise<readonly LeftPutOffs[] | null>;
}

interface RateEvents {
  /** The endpoint has got times. */
  came(endpoint: Endpoint): void;
  /** Deliveries of the endpoint that no daemon remembers. */
  found(endpoint: Endpoint, left: LeftPutOffs['deliveries']): void;
}

const ASK_EVERY_MS = 200;
/** Not two daemons in step: one of them would get all times. */
const ASK_SPREAD_MS = 50;
/** A daemon that lives and has deliveries in hand takes times within this. */
const ALONE_MS = 500;
const CALLED_IN_MS = 100;
const LOOK_AGAIN_MS = 30_000;
const LOOKED_MAX = 100;

/**
 * Takes times for the deliveries in hand of all endpoints with a rate, by one statement for all of them, at most five
 * times a second. Endpoints without a rate never come here.
 */
export class Rates {
  readonly #asking = new Set<Endpoint>();
  /** When to look for deliveries that a daemon has put off which has ended. */
  readonly #looks = new Map<Endpoint, number>();
  readonly #clock = new ServerClock();
  #timer: NodeJS.Timeout | undefined;
  #asksFromMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly tables: RateTables,
    private readonly on: RateEvents,
  ) {}

  /** The endpoint has, or is about to have, a delivery in hand. */
  wants(endpoint: Endpoint): void {
    this.#asking.add(endpoint);
    this.#tickAt(this.#asksFromMs);
  }

  /** The endpoint has a rate from now on. Perhaps an earlier process has put off deliveries of it. */
  begins(endpoint: Endpoint): void {
    this.#looks.set(endpoint, performance.now());
    this.#tickAt(this.#asksFromMs);
  }

  forget(endpoint: Endpoint): void {
    this.#asking.delete(endpoint);
    this.#looks.delete(endpoint);
  }

  #tickAt(atMs: number): void {
    this.#timer ??= setTimeout(() => void this.#tick(), Math.max(0, atMs - performance.now())).unref();
  }

  async #tick(): Promise<void> {
    const now = performance.now();
    this.#asksFromMs = now + ASK_EVERY_MS + ASK_SPREAD_MS * Math.random();
    await this.#ask(now);
    await this.#look(now);
    this.#timer = undefined;
    if (this.#asking.size > 0 || this.#looks.size > 0) {
      this.#tickAt(this.#asksFromMs);
    }
  }

  async #ask(now: number): Promise<void> {
    const wanted: WantedTimes[] = [];
    const endpoints = new Map<number, Endpoint>();
    const turns = new TenantTurns();
    for (const endpoint of this.#asking) {
      const { webhookId, tenantId, due, allowance } = endpoint;
      if (!turns.hasTurn(endpoint)) {
        continue;
      }
      const more = endpoint.timesWanted(now);
      if (more !== null) {
        // Those that were put off come only when they are called back.
        const calledInMs = endpoint.room.size > 0 ? 0 : CALLED_IN_MS;
        const ofTenant = more.ofTenant && { tenantId, ...more.ofTenant };
        const one = { webhookId, ...more, ofTenant, lateMs: this.#clock.lateMs + calledInMs };
        wanted.push(one);
        turns.ask(endpoint, one);
        endpoints.set(webhookId, endpoint);
      } else if (!allowance.isRated || due === 0) {
        this.#asking.delete(endpoint);
        if (endpoint.putOffs > 0) {
          this.#looks.set(endpoint, now + ALONE_MS);
        }
      }
    }
    turns.divide();
    const lateMs = this.#clock.lateMs + CALLED_IN_MS;
    const granted = (wanted.length === 0 ? null : await this.tables.takeTimes(wanted)) ?? [];
    const [first] = granted;
    if (first !== undefined) {
      this.#clock.learn(first.nowMs, now, performance.now());
    }
    turns.note(granted, now);
    for (const times of granted) {
      const endpoint = endpoints.get(times.webhookId)!;
      if (endpoint.allowance.isOfTenant && times.count > 0 && this.#asking.delete(endpoint)) {
        this.#asking.add(endpoint); // behind the others of its tenant
      }
      if (endpoint.allowance.granted(times, this.#clock, lateMs)) {
        this.#looks.set(endpoint, now + ALONE_MS);
      }
      this.on.came(endpoint);
    }
    for (const endpoint of this.#asking) {
      if (endpoint.allowance.isOfTenant && endpoint.tenant.othersAtMs === now) {
        this.#looks.set(endpoint, now + ALONE_MS);
      }
    }
  }

  /** While other daemons take times for an endpoint, they remember its deliveries. */
  async #look(now: number): Promise<void> {
    const due = [...this.#looks].filter(([, atMs]) => atMs <= now).slice(0, LOOKED_MAX);
    const looked = due.map(([endpoint]) => {
      const { webhookId, tenantId, tenant, due, allowance } = endpoint;
      return allowance.isOfTenant
        ? { webhookId, isAlone: isAloneWith(tenant, now), tenantId }
        : { webhookId, isAlone: due > 0 };
    });
    const found = looked.length === 0 ? null : await this.tables.findLeft(looked);
    if (found === null) {
      return;
    }
    const left = new Map(found.map((each) => [each.webhookId, each]));
    for (const [endpoint] of due) {
      const { isIdle, deliveries } = left.get(endpoint.webhookId) ?? {};
      if (deliveries === undefined) {
        this.#looks.delete(endpoint); // none is due
      } else {
        this.#looks.set(endpoint, now + (isIdle ? LOOK_AGAIN_MS : ALONE_MS));
        this.on.found(endpoint, deliveries);
        this.#asking.add(endpoint); // it may have had none in hand
      }
    }
  }
}

/** Whether this daemon takes times of the tenant, and no other does. */
const isAloneWith = ({ answeredAtMs, othersAtMs }: TenantShare, now: number): boolean =>
  now - answeredAtMs < ALONE_MS && now - othersAtMs >= ALONE_MS;

/** Answers that are later than this are a hiccup. */
const LATE_MS_MAX = 300;
/** Where so many answers leave more open than this, Postgres is far away: each of its answers is as late. */
const FAR_ANSWERS = 5;
const OPEN_MS_MAX = 40;

/**
 * How far Postgres's clock is ahead of this process's. It stood at what an answer says between the question and the
 * answer, so each answer gives a least and a most.
 */
class ServerClock {
  #aheadMsMin = Number.NEGATIVE_INFINITY;
  #aheadMsMax = Number.POSITIVE_INFINITY;
  #answers = 0;
  /** How late the last answer was. */
  lateMs = 0;

  /** @param serverMs by that clock, in an answer that has just come */
  learn(serverMs: number, askedAtMs: number, now: number): void {
    const [min, max] = [serverMs - now, serverMs - askedAtMs];
    this.#answers += 1;
    this.#aheadMsMin = Math.max(this.#aheadMsMin, min);
    this.#aheadMsMax = Math.min(this.#aheadMsMax, max);
    if (this.#aheadMsMin > this.#aheadMsMax) {
      [this.#answers, this.#aheadMsMin, this.#aheadMsMax] = [1, min, max]; // one of the clocks was set, or drifts
    }
    this.lateMs = Math.min(LATE_MS_MAX, this.#aheadMsMin - min);
  }

  /** A time by that clock has certainly come at this one by ours. */
  toOurs(serverMs: number): number {
    return serverMs - this.#aheadMsMin;
  }

  /** By how much that may be too late. */
  get openMs(): number {
    const openMs = this.#aheadMsMax - this.#aheadMsMin;
    return this.#answers < FAR_ANSWERS ? openMs : Math.min(OPEN_MS_MAX, openMs);
  }
}
