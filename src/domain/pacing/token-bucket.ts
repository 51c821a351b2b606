import { BoundedMap } from '../collections/bounded-map.js';

/** How much may be taken of something: `burst` at once, and `perSecond` in the long run. */
export interface Quota {
  perSecond: number;
  burst: number;
}

interface Level {
  /** Below 0: debt. */
  tokens: number;
  /** Until it is full again, if nothing more is taken. */
  fullAfterMs: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/**
 * A token bucket for each of many keys. The one that was touched longest ago is forgotten, which is the same as full: a
 * limit by network address does not bind a client with more addresses than there are buckets. Times are monotonic.
 */
export class TokenBuckets<Key> {
  readonly #buckets: BoundedMap<Key, Bucket>;

  constructor(
    readonly quota: Quota,
    bucketsMax = 10_000,
  ) {
    this.#buckets = new BoundedMap(bucketsMax);
  }

  /** How long until `amount` can be taken. More than a bucket's burst can be taken of a full one, and leaves a debt. */
  waitMs(key: Key, amount: number, nowMs: number): number {
    const { perSecond, burst } = this.quota;
    const missing = Math.min(amount, burst) - this.#tokens(key, nowMs);
    return missing <= 0 ? 0 : (missing * 1_000) / perSecond;
  }

  take(key: Key, amount: number, nowMs: number): void {
    this.#set(key, this.#tokens(key, nowMs) - amount, nowMs);
  }

  giveBack(key: Key, amount: number, nowMs: number): void {
    this.#set(key, Math.min(this.quota.burst, this.#tokens(key, nowMs) + amount), nowMs);
  }

  level(key: Key, nowMs: number): Level {
    const tokens = this.#tokens(key, nowMs);
    return { tokens, fullAfterMs: ((this.quota.burst - tokens) * 1_000) / this.quota.perSecond };
  }

  isInDebt(key: Key, nowMs: number): boolean {
    return this.#tokens(key, nowMs) < 0;
  }

  #tokens(key: Key, nowMs: number): number {
    const { perSecond, burst } = this.quota;
    const bucket = this.#buckets.get(key);
    return bucket === undefined ? burst : Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) * perSecond) / 1_000);
  }

  #set(key: Key, tokens: number, nowMs: number): void {
    this.#buckets.renew(key, { tokens, atMs: nowMs });
  }
}
