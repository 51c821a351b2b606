import { Counts } from '../../src/concurrency/counts.js';
import type { Endpoint } from './endpoint.js';

/** The share of all slots that slow endpoints may occupy together. */
const SHARE = 3 / 4;
const RECOUNT_MS = 50;

/**
 * Counts the requests in flight to slow endpoints. Free slots are lent to them: the slow endpoints of one tenant occupy
 * at most as many slots as are free. So half is left beside one tenant, and the more others want, the less each may
 * have (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998).
 */
export class SlowRequests {
  readonly #max: number;
  #all = 0;
  readonly #ofTenants = new Counts<number>();
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor(slots: number) {
    this.#max = Math.max(1, Math.floor(slots * SHARE));
  }

  /**
   * Whether a slow endpoint of this tenant may have another one.
   *
   * @param free slots without a request
   * @param active all endpoints with requests in flight: counted again now and then, since they become slow meanwhile
   */
  hasRoom(tenantId: number, free: number, active: Iterable<Endpoint>, now: number): boolean {
    if (now - this.#countedAt > RECOUNT_MS) {
      this.#countedAt = now;
      this.#count(active, now);
    }
    return this.#all < this.#max && this.#ofTenants.of(tenantId) < free;
  }

  /** A request to a slow endpoint has begun. */
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
    this.#ofTenants.add(tenantId, requests);
  }
}
