import type { LimitName } from './api-metrics.js';
import type { Config } from './config.js';
import { networkOf } from './domain/client-network.js';
import { TokenBuckets } from './domain/token-bucket.js';
import { type ApiError, rateLimited } from './errors.js';

/** What a request counts. */
export interface Charge {
  keyId: number;
  /** Management operations. */
  operations: number;
  /** Events that it emits, by tenant. Null or empty: none, or they are not limited. */
  events: ReadonlyMap<number, number> | null;
}

export interface Verdict {
  /** Null: the request may go on, and has been counted. Else nothing was counted. */
  refusal: ApiError | null;
  /** For the answer, whether it is a refusal or not. */
  headers: Readonly<Record<string, string>>;
}

interface Limit {
  name: 'management' | 'emit';
  buckets: TokenBuckets<number>;
  key: number;
  amount: number;
}

/**
 * The limits on how often one may ask. They live in the memory of each API process: a limit that all processes share
 * would put a write, or a round trip to a counter, on every request. What they protect, the CPU and the pool of a
 * process, is each process's own too. So over N processes behind a balancer a key has up to N times its rate.
 */
export class RateLimits {
  readonly #management: TokenBuckets<number>;
  readonly #emits: TokenBuckets<number> | null;
  readonly #anonymous: TokenBuckets<string>;

  /**
   * @param monotonic milliseconds, never going back
   * @param onRefusal is told which limit was reached
   */
  constructor(
    { management, emits, anonymous }: Config['quotas'],
    private readonly monotonic: () => number,
    private readonly onRefusal: (limit: LimitName) => void = () => {},
  ) {
    this.#management = new TokenBuckets(management);
    this.#emits = emits === null ? null : new TokenBuckets(emits);
    this.#anonymous = new TokenBuckets(anonymous);
  }

  /** Whether events have to be counted at all. */
  get limitsEmits(): boolean {
    return this.#emits !== null;
  }

  /** Counts a request, all of it or, when one limit is reached, nothing. */
  charge({ keyId, operations, events }: Charge): Verdict {
    const limits: Limit[] =
      operations === 0
        ? []
        : [{ name: 'management', buckets: this.#management, key: keyId, amount: operations }];
    if (this.#emits !== null && events !== null) {
      for (const [key, amount] of events) {
        limits.push({ name: 'emit', buckets: this.#emits, key, amount });
      }
    }
    const now = this.monotonic();
    const refusal = this.#firstRefusal(limits, now);
    if (refusal === null) {
      for (const { buckets, key, amount } of limits) {
        buckets.take(key, amount, now);
      }
    }
    return { refusal, headers: headersOf(limits, now) };
  }

  /** Counts one operation for a document that came to nothing: it was parsed, and a broken one is never remembered. */
  chargeBroken(keyId: number): Verdict['headers'] {
    const now = this.monotonic();
    this.#management.take(keyId, 1, now);
    return headersOf([{ name: 'management', buckets: this.#management, key: keyId, amount: 1 }], now);
  }

  /**
   * To be asked before a document is parsed. What makes a debt is broken documents, so a key whose documents are good
   * can emit however many management operations it has used.
   *
   * @throws ApiError rate_limited
   */
  requireNoDebt(keyId: number): void {
    const now = this.monotonic();
    if (this.#management.isInDebt(keyId, now)) {
      this.onRefusal('management');
      throw rateLimited(tooMany.management, this.#management.waitMs(keyId, 0, now));
    }
  }

  /** @throws ApiError rate_limited */
  requireAnonymous(address: string): void {
    const now = this.monotonic();
    const network = networkOf(address);
    const waitMs = this.#anonymous.waitMs(network, 1, now);
    if (waitMs > 0) {
      this.onRefusal('anonymous');
      throw rateLimited('Too many requests without an API key came from this address.', waitMs);
    }
    this.#anonymous.take(network, 1, now);
  }

  #firstRefusal(limits: readonly Limit[], now: number): ApiError | null {
    for (const { name, buckets, key, amount } of limits) {
      const waitMs = buckets.waitMs(key, amount, now);
      if (waitMs > 0) {
        this.onRefusal(name);
        return rateLimited(tooMany[name], waitMs);
      }
    }
    return null;
  }
}

const tooMany = {
  management: 'This API key has used up its management operations. Nothing was done.',
  emit: 'The tenant has emitted as many events as it may. Nothing was done.',
};

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers-11, lists of RFC 9651: `q` is the quota of `w` seconds, `r` what is
 * left of it, `t` the seconds until all of it is there again.
 */
function headersOf(limits: readonly Limit[], now: number): Readonly<Record<string, string>> {
  if (limits.length === 0) {
    return {};
  }
  const told = new Map<string, Limit>();
  for (const limit of limits) {
    const other = told.get(limit.name);
    if (other === undefined || tokensOf(limit, now) < tokensOf(other, now)) {
      told.set(limit.name, limit); // of several tenants' events only the scarcest are told
    }
  }
  const items = [...told.values()];
  return {
    'ratelimit-policy': items.map(policyOf).join(', '),
    ratelimit: items.map((limit) => remainingOf(limit, now)).join(', '),
  };
}

function tokensOf({ buckets, key }: Limit, now: number): number {
  return buckets.level(key, now).tokens;
}

function policyOf({ name, buckets: { quota } }: Limit): string {
  return `"${name}";q=${quota.burst};w=${Math.ceil(quota.burst / quota.perSecond)}`;
}

function remainingOf({ name, buckets, key }: Limit, now: number): string {
  const { tokens, fullAfterMs } = buckets.level(key, now);
  return `"${name}";r=${Math.max(0, Math.floor(tokens))};t=${Math.ceil(fullAfterMs / 1_000)}`;
}
