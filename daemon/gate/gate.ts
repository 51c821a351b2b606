import { permitEveryMs, permitsOf } from '../../src/domain/pacing/endpoint-window.js';
import type { Lane } from '../../src/domain/pacing/lanes.js';
import type { EndpointState } from '../../src/operations/attempts/endpoint-states.js';
import { type Answer, Endpoint, type EndpointRules, type KnownHealth } from './endpoint.js';
import type { NotNow } from './not-now.js';
import { type CallBack, PutOffs } from './put-offs.js';
import { isTenantFull, Shares } from './shares.js';
import { SlowRequests } from './slow-requests.js';
import type { Line } from './waiting-room.js';

export interface GateOptions extends EndpointRules {
  slots: number;
  /** Most requests in flight to one origin for one tenant, over all its webhooks. */
  originMax: number;
  callBack: CallBack;
}

/** A delivery that wants to be sent. */
export interface Candidate extends KnownHealth {
  id: number;
  webhookId: number;
  tenantId: number;
  url: string;
}

/** A permit of an endpoint. It must be given back; giving it back twice does nothing. */
export interface Permit {
  /** The webhook's failure streak when the permit was given. */
  failures: number;
  /**
   * Gives the permit back.
   *
   * @param answer undefined when no request was made
   * @returns whether the answer repeats one that has closed the endpoint
   */
  giveBack(answer?: Answer): boolean;
}

export type Entry = Permit | NotNow;

/** A delivery waits this long for a permit at most, since it occupies a slot meanwhile. */
export const WAIT_MS_MAX = 500;
/**
 * Newcomers wait while the backlog is shorter than this. If they were put off, they would come back too late, and the
 * backlog would grow.
 */
const SHORT_BACKLOG_MS = 5_000;
/** A delivery whose tenant has its share of the slots waits for less time: other tenants need its slot. */
const FULL_TENANT_WAIT_MS_MAX = 100;
/** Tests that wait at one endpoint, and deliveries of all kinds at an uncertain one: each occupies a slot. */
const WAITING_TESTS_MAX = 2;
const WAITING_AT_UNCERTAIN_MAX = 2;
const IDLE_ENDPOINTS_MAX = 10_000;

/**
 * Keeps one endpoint from hurting others. Each webhook has a window of requests in flight, and a waiting room for
 * deliveries that get a permit within half a second. Others are put off, and called back when there is room, the oldest
 * first. Free slots are lent to slow endpoints (`SlowRequests`); a tenant has a share of all (`isTenantFull`).
 */
export class Gate {
  readonly #endpoints = new Map<number, Endpoint>();
  /** By tenant and origin. */
  readonly #origins: Shares<string, Endpoint>;
  readonly #tenants: Shares<number, Endpoint>;
  #inFlight = 0;
  /** Endpoints with requests in flight. */
  readonly #active = new Set<Endpoint>();
  readonly #putOffs: PutOffs;
  readonly #slow: SlowRequests;

  constructor(private readonly options: GateOptions) {
    const { slots, originMax, callBack } = options;
    this.#slow = new SlowRequests(slots);
    this.#origins = new Shares((inFlight) => inFlight >= originMax);
    this.#tenants = new Shares((inFlight) => isTenantFull(inFlight, slots - this.#inFlight, this.#tenants.size));
    this.#putOffs = new PutOffs(slots, callBack, (endpoint, now) => this.#hasShare(endpoint, now));
  }

  /**
   * A permit at once or soon, or the delivery is put off.
   *
   * @param origin scheme, host and port of its url
   */
  enter(candidate: Candidate, lane: Lane, origin: string): Entry | Promise<Entry> {
    const { id } = candidate;
    const endpoint = this.#endpoint(candidate, origin);
    const now = performance.now();
    endpoint.learn(candidate, now);
    const wasCalled = endpoint.backlog.take(id);
    const line = lane === 'TEST' ? 'TEST' : wasCalled ? 'CALLED' : 'NEW';
    const isNext = line !== 'NEW' || this.#putOffs.isNext(endpoint, lane, now);
    const isFirst = line === 'TEST' || endpoint.room.sizeUpTo(line) === 0;
    if (isNext && isFirst && this.#hasRoom(endpoint, now)) {
      return this.#grant(endpoint);
    }
    return endpoint.opensWithin(WAIT_MS_MAX, now) && this.#mayWait(endpoint, line, isNext, now)
      ? this.#wait(endpoint, id, lane, line)
      : this.#putOffs.putOff(endpoint, id, lane);
  }

  /** Whether the delivery gets a permit in time. This needs a request in flight, whose end gives the permit. */
  #mayWait(endpoint: Endpoint, line: Line, isNext: boolean, now: number): boolean {
    const { room, backlog, window, tenant, inFlight } = endpoint;
    if (line !== 'NEW') {
      return line === 'CALLED' || room.sizeUpTo('TEST') < WAITING_TESTS_MAX;
    }
    if (endpoint.isUncertain(now)) {
      return isNext && room.size < WAITING_AT_UNCERTAIN_MAX;
    }
    const everyMs = permitEveryMs(window);
    const isSoon = (room.size + 1) * everyMs <= WAIT_MS_MAX && backlog.ahead * everyMs <= SHORT_BACKLOG_MS;
    return isSoon && (inFlight > 0 || tenant.isFull);
  }

  states(): EndpointState[] {
    return [...this.#endpoints.values()].map(({ webhookId, tenantId, window, inFlight, room, putOffs }) => ({
      webhookId,
      tenantId,
      window: permitsOf(window),
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
    // A webhook that moved to another url is a new endpoint: what was learnt of the old one says nothing of it.
    if (known !== undefined) {
      this.#forget(known);
    }
    this.#forgetIdle();
    const ofOrigin = this.#origins.join(`${tenantId} ${origin}`);
    const ofTenant = this.#tenants.join(tenantId);
    const endpoint = new Endpoint(webhookId, tenantId, url, ofOrigin, ofTenant, this.options);
    this.#endpoints.set(webhookId, endpoint);
    return endpoint;
  }

  #hasRoom(endpoint: Endpoint, now: number): boolean {
    return endpoint.opensAtMs(now) <= now && this.#hasShare(endpoint, now);
  }

  /** Whether the shares that the endpoint has part in have a permit for it. */
  #hasShare(endpoint: Endpoint, now: number): boolean {
    const { origin, tenant, tenantId } = endpoint;
    if (origin.isFull || tenant.isFull) {
      return false;
    }
    const free = this.options.slots - this.#inFlight;
    return !endpoint.isSlow(now) || this.#slow.hasRoom(tenantId, free, this.#active, now);
  }

  #grant(endpoint: Endpoint): Permit {
    const now = performance.now();
    if (endpoint.isSlow(now)) {
      this.#slow.begin(endpoint.tenantId);
    }
    this.#active.add(endpoint);
    this.#inFlight += 1;
    const request = endpoint.begin(now);
    return {
      failures: endpoint.failures,
      giveBack: (answer) => {
        const endedAt = performance.now();
        const ended = endpoint.end(request, endedAt, answer);
        if (ended !== null) {
          this.#inFlight -= 1;
          if (endpoint.isClosed(endedAt)) {
            // The deliveries in the waiting room were loaded before the answer that closes the endpoint.
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
    const call = (next: Endpoint) => this.#callWaiting(next);
    endpoint.tenant.callWaiting(call);
    endpoint.origin.callWaiting(call);
    if (endpoint.inFlight === 0) {
      this.#active.delete(endpoint);
    }
  }

  #callWaiting(endpoint: Endpoint): void {
    while (endpoint.room.size > 0 && this.#hasRoom(endpoint, performance.now())) {
      endpoint.room.enterNext();
    }
    if (endpoint.room.size === 0) {
      endpoint.origin.waiting.delete(endpoint);
      endpoint.tenant.waiting.delete(endpoint);
    }
  }

  #wait(endpoint: Endpoint, id: number, lane: Lane, line: Line): Promise<Entry> {
    const { isFull } = endpoint.tenant;
    if (isFull) {
      endpoint.tenant.waiting.add(endpoint);
    }
    return new Promise((resolve) => {
      const waiter = {
        enter: () => resolve(this.#grant(endpoint)),
        giveUp: () => resolve(this.#putOffs.putOff(endpoint, id, lane)),
        untilMs: performance.now() + (isFull ? FULL_TENANT_WAIT_MS_MAX : WAIT_MS_MAX),
      };
      endpoint.room.add(waiter, line);
      endpoint.origin.waiting.add(endpoint);
      this.#watch(endpoint);
    });
  }

  /** An endpoint can begin to hang at any moment: then those that came first give up first. */
  #watch(endpoint: Endpoint): void {
    const { room } = endpoint;
    const givesUpAtMs = room.nextGivesUpAtMs;
    if (givesUpAtMs === undefined) {
      return;
    }
    const now = performance.now();
    const opensAtMs = endpoint.opensAtMs(now);
    room.wakeAt(opensAtMs > now ? Math.min(opensAtMs, givesUpAtMs) : givesUpAtMs, now, () => {
      this.#callWaiting(endpoint); // another tenant may have left room meanwhile
      room.giveUp(performance.now());
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
    this.#endpoints.delete(endpoint.webhookId);
    this.#putOffs.forget(endpoint);
    endpoint.tenant.leave();
    endpoint.origin.leave();
  }
}
