import { placeEveryMs, WINDOW_AT_FIRST } from '../../src/domain/endpoint-window.js';
import type { EndpointState } from '../../src/operations/attempts/endpoint-states.js';
import { type Admission, callInTurns, Endpoint, giveUp, Origin, type Pass, type Waiter } from './endpoint.js';
import { SlowRequests } from './slow-requests.js';
import { TenantShares } from './tenant-shares.js';

export type { Admission, Pass } from './endpoint.js';

export interface GateOptions {
  /** How many deliveries the daemon works on at the same time. */
  slots: number;
  /** The widest window of one webhook. */
  endpointMax: number;
  /** Most requests in flight to one origin for one tenant, over all its webhooks. */
  originMax: number;
  /** Milliseconds, never going back. */
  now: () => number;
  /** 0 ≤ x < 1 */
  random: () => number;
}

/** Who wants to send, and where to. */
export interface Destination {
  webhookId: number;
  tenantId: number;
  /** Scheme, host and port. */
  origin: string;
}

/** A slot is held for no longer by somebody who waits for a place in a window. */
export const WAIT_MS_MAX = 500;
/** The slots of those whose tenant has enough are what is left for the others. */
const CROWDED_WAIT_MS_MAX = 100;
/** Of those who go first, at one endpoint: each holds a slot. */
const WAITING_FIRST_MAX = 2;
const IDLE_ENDPOINTS_MAX = 10_000;

/**
 * Keeps one endpoint from hurting others: each webhook has a window of requests in flight, and a waiting room for
 * those whose turn comes within half a second. Others are put off until their turn is expected, and give their slot
 * back. Who goes first takes the next place that becomes free, also of a slow endpoint. So a slow endpoint holds a
 * handful of slots, whatever its backlog. Slow ones together hold at most half, those of one tenant two thirds of it;
 * and before anybody knows that they are slow, those of one tenant hold at most four fifths of all, nine tenths while
 * no other tenant is known.
 */
export class Gate {
  readonly #endpoints = new Map<number, Endpoint>();
  readonly #origins = new Map<string, Origin>();
  /** Endpoints with requests in flight. */
  readonly #active = new Set<Endpoint>();
  readonly #slow: SlowRequests;
  readonly #tenants: TenantShares<Endpoint>;

  constructor(private readonly options: GateOptions) {
    this.#slow = new SlowRequests(options.slots);
    this.#tenants = new TenantShares<Endpoint>(options.slots);
  }

  /**
   * A place at once, a place soon, or for how many milliseconds the delivery is to be put off.
   *
   * @param goesFirst ahead of all others who want to send there: a person waits for it
   */
  enter(destination: Destination, goesFirst = false): Admission | Promise<Admission> {
    const endpoint = this.#endpoint(destination);
    if (endpoint.isClosed(this.options.now())) {
      return goesFirst ? putOffFirst(endpoint) : this.#putOff(endpoint);
    }
    return goesFirst ? this.#enterFirst(endpoint) : this.#enterInLine(endpoint);
  }

  #enterFirst(endpoint: Endpoint): Admission | Promise<Admission> {
    if (this.#hasRoom(endpoint)) {
      return { pass: this.#admit(endpoint) };
    }
    return endpoint.waitingFirst.length < WAITING_FIRST_MAX
      ? this.#wait(endpoint, endpoint.waitingFirst)
      : putOffFirst(endpoint);
  }

  #enterInLine(endpoint: Endpoint): Admission | Promise<Admission> {
    if (endpoint.waitingCount === 0 && this.#hasRoom(endpoint)) {
      return { pass: this.#admit(endpoint) };
    }
    const waitMs = (endpoint.waitingCount + 1) * placeEveryMs(endpoint.window);
    const isCalled = endpoint.inFlight > 0 || endpoint.tenant.isFull;
    return waitMs > WAIT_MS_MAX || !isCalled || endpoint.isSlow(this.options.now())
      ? this.#putOff(endpoint)
      : this.#wait(endpoint, endpoint.waiting);
  }

  /** What the gate knows of each endpoint. */
  states(): EndpointState[] {
    return [...this.#endpoints.values()].map(
      ({ webhookId, tenantId, window, inFlight, waitingCount, putOffs }) => ({
        webhookId,
        tenantId,
        window: window.limit,
        inFlight,
        waiting: waitingCount,
        putOffs,
        meanMs: window.meanMs,
      }),
    );
  }

  #endpoint({ webhookId, tenantId, origin }: Destination): Endpoint {
    const known = this.#endpoints.get(webhookId);
    if (known?.tenantId === tenantId && known.origin.name === origin) {
      return known;
    }
    // New, or moved to another url: what was learnt of the old place says nothing of the new one.
    if (known !== undefined) {
      this.#forget(known);
    }
    this.#forgetIdle();
    const key = `${tenantId} ${origin}`;
    const shared = this.#origins.get(key) ?? new Origin(key, origin);
    shared.endpoints += 1;
    this.#origins.set(key, shared);
    const share = this.#tenants.join(tenantId);
    const endpoint = new Endpoint(webhookId, tenantId, shared, share, this.options.endpointMax);
    this.#endpoints.set(webhookId, endpoint);
    return endpoint;
  }

  #hasRoom(endpoint: Endpoint): boolean {
    const { originMax, now } = this.options;
    if (endpoint.origin.inFlight >= originMax || endpoint.tenant.isFull) {
      return false;
    }
    if (!endpoint.isSlow(now())) {
      return endpoint.inFlight < endpoint.window.limit;
    }
    return (
      endpoint.inFlight < Math.min(WINDOW_AT_FIRST, endpoint.window.limit) &&
      this.#slow.hasRoom(endpoint.tenantId, this.#active, now())
    );
  }

  #admit(endpoint: Endpoint): Pass {
    const now = this.options.now();
    if (endpoint.isSlow(now)) {
      this.#slow.begin(endpoint.tenantId);
    }
    this.#active.add(endpoint);
    const place = endpoint.begin(now);
    return {
      leave: (kind, closes = false) => {
        if (endpoint.end(place, this.options.now(), kind)) {
          if (closes) {
            this.#close(endpoint);
          }
          this.#callNext(endpoint);
        }
      },
    };
  }

  /** Who waits was loaded before that answer: nothing of it is sent. */
  #close(endpoint: Endpoint): void {
    endpoint.close(this.options.now());
    this.#sendAway(endpoint, Number.POSITIVE_INFINITY);
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
    while (endpoint.waitingCount > 0 && this.#hasRoom(endpoint)) {
      endpoint.nextWaiting()!.resolve({ pass: this.#admit(endpoint) });
    }
    if (endpoint.waitingCount === 0) {
      endpoint.origin.waiting.delete(endpoint);
      endpoint.tenant.crowded.delete(endpoint);
    }
  }

  #wait(endpoint: Endpoint, line: Waiter[]): Promise<Admission> {
    const isCrowded = endpoint.tenant.isFull;
    if (isCrowded) {
      endpoint.tenant.crowded.add(endpoint);
    }
    return new Promise((resolve) => {
      const untilMs = this.options.now() + (isCrowded ? CROWDED_WAIT_MS_MAX : WAIT_MS_MAX);
      line.push({ resolve, untilMs });
      endpoint.origin.waiting.add(endpoint);
      this.#watch(endpoint);
    });
  }

  /** The expectation may be wrong: an endpoint can begin to hang at any moment. Those who came first give up first. */
  #watch(endpoint: Endpoint): void {
    const givesUpAtMs = endpoint.isWatched ? undefined : endpoint.nextGivesUpAtMs;
    if (givesUpAtMs === undefined) {
      return;
    }
    endpoint.isWatched = true;
    setTimeout(
      () => {
        endpoint.isWatched = false;
        this.#callWaiting(endpoint); // another tenant may have left room meanwhile
        this.#sendAway(endpoint, this.options.now());
        this.#watch(endpoint);
      },
      Math.max(0, givesUpAtMs - this.options.now()),
    );
  }

  /** Puts off those who give up until then. */
  #sendAway(endpoint: Endpoint, untilMs: number): void {
    giveUp(endpoint.waitingFirst, untilMs, () => putOffFirst(endpoint));
    giveUp(endpoint.waiting, untilMs, () => this.#putOff(endpoint));
  }

  #putOff(endpoint: Endpoint): Admission {
    return { putOffMs: endpoint.putOff(this.options.now(), this.options.random()) };
  }

  #forgetIdle(): void {
    for (const endpoint of this.#endpoints.values()) {
      if (this.#endpoints.size < IDLE_ENDPOINTS_MAX) {
        return;
      }
      if (endpoint.inFlight === 0 && endpoint.waitingCount === 0) {
        this.#forget(endpoint);
      }
    }
  }

  #forget({ webhookId, tenant, origin }: Endpoint): void {
    this.#endpoints.delete(webhookId);
    tenant.leave();
    origin.endpoints -= 1;
    if (origin.endpoints === 0) {
      this.#origins.delete(origin.key);
    }
  }
}

const putOffFirst = (endpoint: Endpoint): Admission => ({ putOffMs: endpoint.putOffFirst() });
