import { placeEveryMs, placesOf } from '../../src/domain/pacing/endpoint-window.js';
import type { Lane } from '../../src/domain/pacing/lanes.js';
import type { EndpointState } from '../../src/operations/attempts/endpoint-states.js';
import { callInTurns } from './call-in-turns.js';
import { type Answer, Endpoint, type KnownHealth } from './endpoint.js';
import type { NotNow } from './not-now.js';
import { Origin } from './origin.js';
import { PutOffs, type PutOffsOptions, type WaitingDelivery } from './put-offs.js';
import { SlowRequests } from './slow-requests.js';
import { TenantShares } from './tenant-shares.js';
import type { Entrant } from './waiting-room.js';

export interface GateOptions extends Omit<PutOffsOptions, 'hasShare'> {
  /** The widest window of one webhook. */
  endpointMax: number;
  /** Most requests in flight to one origin for one tenant, over all its webhooks. */
  originMax: number;
  /** How long a row of failures lasts at least until it disables a webhook. */
  rowMsMin: number;
}

/** A delivery that wants to be sent. */
export interface Candidate extends KnownHealth {
  id: number;
  webhookId: number;
  tenantId: number;
  url: string;
}

/** A place in an endpoint's window. It must be left; leaving it twice does nothing. */
export interface Pass {
  /** The webhook's consecutive failures when the place was given. */
  failures: number;
  /**
   * @param answer undefined when no request was made
   * @returns whether it closes an endpoint that was closed while the request was in flight
   */
  leave(answer?: Answer): boolean;
}

export type Admission = Pass | NotNow;

/** A slot is held for no longer by somebody who waits for a place in a window. */
export const WAIT_MS_MAX = 500;
/** While a backlog is gone sooner, newcomers wait: their slots hold back what is only put off and called otherwise. */
const SHORT_BACKLOG_MS = 5_000;
/** A delivery whose tenant has its share of the slots waits for less time: its slot is needed by other tenants. */
const CROWDED_WAIT_MS_MAX = 100;
/** Tests that wait at one endpoint, and all that wait where nobody knows for how long: each holds a slot. */
const WAITING_TESTS_MAX = 2;
const WAITING_AT_UNCERTAIN_MAX = 2;
const IDLE_ENDPOINTS_MAX = 10_000;

/**
 * Keeps one endpoint from hurting others. Each webhook has a window of requests in flight, and a waiting room for those
 * whose turn comes within half a second. Others are put off, and called back when there is room, the oldest first.
 * Slots that nobody else wants are lent to slow endpoints (`SlowRequests`); those of one tenant hold at most four
 * fifths of all, nine tenths while no other tenant is known (`TenantShares`).
 */
export class Gate {
  readonly #endpoints = new Map<number, Endpoint>();
  readonly #origins = new Map<string, Origin<Endpoint>>();
  /** Endpoints with requests in flight. */
  readonly #active = new Set<Endpoint>();
  readonly #putOffs: PutOffs;
  readonly #slow: SlowRequests;
  readonly #tenants: TenantShares<Endpoint>;

  constructor(private readonly options: GateOptions) {
    this.#slow = new SlowRequests(options.slots);
    this.#tenants = new TenantShares<Endpoint>(options.slots);
    this.#putOffs = new PutOffs({ ...options, hasShare: (endpoint, now) => this.#hasShare(endpoint, now) });
  }

  /**
   * A place at once, a place soon, or the delivery is to be put off.
   *
   * @param origin scheme, host and port of its url
   */
  enter(candidate: Candidate, lane: Lane, origin: string): Admission | Promise<Admission> {
    const { id } = candidate;
    const endpoint = this.#endpoint(candidate, origin);
    const now = this.options.now();
    endpoint.learn(candidate, now);
    const wasCalled = endpoint.backlog.take(id);
    const entrant = lane === 'TEST' ? 'TEST' : wasCalled ? 'CALLED' : 'NEW';
    const isNext = entrant !== 'NEW' || this.#putOffs.isNext(endpoint, lane, now);
    const isFirst = entrant === 'TEST' || endpoint.room.sizeUpTo(entrant) === 0;
    if (isNext && isFirst && this.#hasRoom(endpoint, now)) {
      return this.#admit(endpoint);
    }
    return endpoint.opensWithin(WAIT_MS_MAX, now) && this.#mayWait(endpoint, entrant, isNext, now)
      ? this.#wait(endpoint, { id, lane }, entrant)
      : this.#putOffs.putOff(endpoint, { id, lane });
  }

  /** Whether its turn comes in time; somebody must call it. */
  #mayWait(endpoint: Endpoint, entrant: Entrant, isNext: boolean, now: number): boolean {
    const { room, backlog, window, tenant, inFlight } = endpoint;
    if (entrant !== 'NEW') {
      return entrant === 'CALLED' || room.sizeUpTo('TEST') < WAITING_TESTS_MAX;
    }
    if (endpoint.isUncertain(now)) {
      return isNext && room.size < WAITING_AT_UNCERTAIN_MAX;
    }
    const everyMs = placeEveryMs(window);
    const isSoon = (room.size + 1) * everyMs <= WAIT_MS_MAX && backlog.ahead * everyMs <= SHORT_BACKLOG_MS;
    return isSoon && (inFlight > 0 || tenant.isFull);
  }

  states(): EndpointState[] {
    return [...this.#endpoints.values()].map(({ webhookId, tenantId, window, inFlight, room, putOffs }) => ({
      webhookId,
      tenantId,
      window: placesOf(window),
      inFlight,
      waiting: room.size,
      putOffs,
      meanMs: window.meanMs,
    }));
  }

  #endpoint({ webhookId, tenantId, url }: Candidate, origin: string): Endpoint {
    const known = this.#endpoints.get(webhookId);
    if (known?.tenantId === tenantId && known.url === url) {
      return known;
    }
    // New, or moved to another url: what was learnt of the old place says nothing of the new one.
    if (known !== undefined) {
      this.#forget(known);
    }
    this.#forgetIdle();
    const key = `${tenantId} ${origin}`;
    const shared = this.#origins.get(key) ?? new Origin<Endpoint>(key);
    shared.endpoints += 1;
    this.#origins.set(key, shared);
    const share = this.#tenants.join(tenantId);
    const rules = { limitMax: this.options.endpointMax, rowMsMin: this.options.rowMsMin };
    const endpoint = new Endpoint(webhookId, tenantId, url, shared, share, rules, this.options.now());
    this.#endpoints.set(webhookId, endpoint);
    return endpoint;
  }

  #hasRoom(endpoint: Endpoint, now: number): boolean {
    return endpoint.opensAtMs(now) <= now && this.#hasShare(endpoint, now);
  }

  /** Whether the places that it shares with others have one for it. */
  #hasShare(endpoint: Endpoint, now: number): boolean {
    const { origin, tenant, tenantId } = endpoint;
    if (origin.inFlight >= this.options.originMax || tenant.isFull) {
      return false;
    }
    const free = this.options.slots - this.#tenants.inFlight;
    return !endpoint.isSlow(now) || this.#slow.hasRoom(tenantId, free, this.#active, now);
  }

  #admit(endpoint: Endpoint): Pass {
    const now = this.options.now();
    if (endpoint.isSlow(now)) {
      this.#slow.begin(endpoint.tenantId);
    }
    this.#active.add(endpoint);
    const place = endpoint.begin(now);
    return {
      failures: endpoint.failures,
      leave: (answer) => {
        const endedAt = this.options.now();
        const ended = endpoint.end(place, endedAt, answer);
        if (ended !== null) {
          if (endpoint.isClosed(endedAt)) {
            // They were loaded before the answer that closes it.
            endpoint.room.giveUp(Number.POSITIVE_INFINITY);
          }
          this.#callNext(endpoint);
          this.#watch(endpoint); // it may open sooner, or later, than it was expected to
          this.#putOffs.freed(endpoint);
        }
        return ended?.isSameClosing ?? false;
      },
    };
  }

  #callNext(endpoint: Endpoint): void {
    const { origin, tenant } = endpoint;
    const call = (next: Endpoint) => this.#callWaiting(next);
    // In turns: an endpoint at which somebody waits at all times would take every place that it shares with others.
    callInTurns(tenant.crowded, () => !tenant.isFull, call);
    callInTurns(origin.waiting, () => origin.inFlight < this.options.originMax, call);
    if (endpoint.inFlight === 0) {
      this.#active.delete(endpoint);
    }
  }

  #callWaiting(endpoint: Endpoint): void {
    while (endpoint.room.size > 0 && this.#hasRoom(endpoint, this.options.now())) {
      endpoint.room.enterNext();
    }
    if (endpoint.room.size === 0) {
      endpoint.origin.waiting.delete(endpoint);
      endpoint.tenant.crowded.delete(endpoint);
    }
  }

  #wait(endpoint: Endpoint, delivery: WaitingDelivery, entrant: Entrant): Promise<Admission> {
    const isCrowded = endpoint.tenant.isFull;
    if (isCrowded) {
      endpoint.tenant.crowded.add(endpoint);
    }
    return new Promise((resolve) => {
      const waiter = {
        enter: () => resolve(this.#admit(endpoint)),
        giveUp: () => resolve(this.#putOffs.putOff(endpoint, delivery)),
        untilMs: this.options.now() + (isCrowded ? CROWDED_WAIT_MS_MAX : WAIT_MS_MAX),
      };
      endpoint.room.add(waiter, entrant);
      endpoint.origin.waiting.add(endpoint);
      this.#watch(endpoint);
    });
  }

  /** The expectation may be wrong: an endpoint can begin to hang at any moment. Those who came first give up first. */
  #watch(endpoint: Endpoint): void {
    const { room } = endpoint;
    const givesUpAtMs = room.nextGivesUpAtMs;
    if (givesUpAtMs === undefined) {
      return;
    }
    const now = this.options.now();
    const opensAtMs = endpoint.opensAtMs(now);
    room.wakeAt(opensAtMs > now ? Math.min(opensAtMs, givesUpAtMs) : givesUpAtMs, now, () => {
      this.#callWaiting(endpoint); // another tenant may have left room meanwhile
      room.giveUp(this.options.now());
      this.#watch(endpoint);
    });
  }

  #forgetIdle(): void {
    for (const endpoint of this.#endpoints.values()) {
      if (this.#endpoints.size < IDLE_ENDPOINTS_MAX) {
        return;
      }
      if (endpoint.inFlight === 0 && endpoint.room.size === 0 && endpoint.backlog.size === 0) {
        this.#forget(endpoint);
      }
    }
  }

  #forget(endpoint: Endpoint): void {
    const { webhookId, tenant, origin } = endpoint;
    this.#endpoints.delete(webhookId);
    this.#putOffs.forget(endpoint);
    tenant.leave();
    origin.endpoints -= 1;
    if (origin.endpoints === 0) {
      this.#origins.delete(origin.key);
    }
  }
}
