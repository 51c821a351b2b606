import { goesBefore } from '../../src/domain/pacing/slot-shares.js';
import type { Endpoint } from './endpoint.js';

/** Endpoints at which deliveries wait for a slot, or for a permit of their origin. */
export class WaitingEndpoints {
  /** The one that was served last comes last. */
  readonly #endpoints = new Set<Endpoint>();

  /** @param hasShare whether there is a slot for the endpoint, and a permit of its origin */
  constructor(private readonly hasShare: (endpoint: Endpoint) => boolean) {}

  /** It goes behind others that have as many requests in flight. */
  renew(endpoint: Endpoint): void {
    this.#endpoints.delete(endpoint);
    this.add(endpoint);
  }

  add(endpoint: Endpoint): void {
    if (endpoint.room.size > 0) {
      this.#endpoints.add(endpoint);
    }
  }

  /** Lets those deliveries in that may begin. */
  call(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      next.room.enterNext();
      this.renew(next);
    }
  }

  #next(): Endpoint | undefined {
    const now = performance.now();
    let first: Endpoint | undefined;
    for (const endpoint of this.#endpoints) {
      if (endpoint.room.size === 0 || endpoint.opensAtMs(now) > now) {
        this.#endpoints.delete(endpoint); // the end of a request to it, or its timer, brings it back
      } else if ((first === undefined || goesBefore(endpoint, first)) && this.hasShare(endpoint)) {
        first = endpoint;
      }
    }
    return first;
  }
}
