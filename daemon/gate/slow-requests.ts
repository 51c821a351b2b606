import type { Endpoint } from './endpoint.js';

/** Of all slots, what slow endpoints may hold together. */
const SHARE = 3 / 4;
const RECOUNT_MS = 50;

/**
 * How many requests are in flight to slow endpoints. Slots are lent to them while nobody else wants them: those of one
 * tenant hold at most as many as are free. So half is left beside one tenant's, and the more others want, the less each
 * may hold (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998).
 */
export class SlowRequests {
  readonly #max: number;
  #all = 0;
  readonly #ofTenants = new Map<number, number>();
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor(slots: number) {
    this.#max = Math.max(1, Math.floor(slots * SHARE));
  }

  /**
   * Whether a slow endpoint of this tenant may have another one.
   *
   * @param free slots that hold no request
   * @param active all endpoints with requests in flight: counted again now and then, since they become slow by
   *   themselves
   */
  hasRoom(tenantId: number, free: number, active: Iterable<Endpoint>, now: number): boolean {
    if (now - this.#countedAt > RECOUNT_MS) {
      this.#countedAt = now;
      this.#count(active, now);
    }
    return this.#all < this.#max && (this.#ofTenants.get(tenantId) ?? 0) < free;
  }

  /** One has begun. */
  begin(tenantId: number): void {
    this.#add(tenantId, 1);
  }

  #count(active: Iterable<Endpoint>, now: number): void {
    this.#all = 0;
    this.#ofTenants.clear();
    for (const endpoint of active) {
      if (endpoint.isSlow(now)) {
        this.#add(endpoint.tenantId, endpoint.inFlight);
      }
    }
  }

  #add(tenantId: number, requests: number): void {
    this.#all += requests;
    this.#ofTenants.set(tenantId, (this.#ofTenants.get(tenantId) ?? 0) + requests);
  }
}
