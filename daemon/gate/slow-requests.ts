import type { Endpoint } from './endpoint.js';

/** Of all slots, what slow endpoints may hold together. */
const SHARE = 1 / 2;
/**
 * Those of one tenant hold at most this many times what is left of that share. So there is always something left for
 * the next tenant, and the more tenants have slow endpoints, the less each may hold (dynamic thresholds: Choudhury and
 * Hahne, IEEE/ACM Transactions on Networking 6(2), 1998).
 */
const TIMES_FREE = 2;
const RECOUNT_MS = 50;

/** How many requests are in flight to slow endpoints. */
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
   * @param active all endpoints with requests in flight: counted again now and then, since they become slow by
   *   themselves
   */
  hasRoom(tenantId: number, active: Iterable<Endpoint>, now: number): boolean {
    if (now - this.#countedAt > RECOUNT_MS) {
      this.#countedAt = now;
      this.#count(active, now);
    }
    return (this.#ofTenants.get(tenantId) ?? 0) < TIMES_FREE * (this.#max - this.#all);
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
