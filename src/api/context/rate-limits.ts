import { networkOf } from '../../domain/addresses/client-network.js';
import { TokenBuckets } from '../../domain/pacing/token-bucket.js';
import { type ApiError, rateLimited } from '../../errors.js';
import type { Caller } from '../../operations/keys/authenticate.js';
import type { Config } from '../../platform/settings/config.js';
import type { LimitName } from '../../platform/telemetry/api-metrics.js';

/** The key of a request and its tenant. Null for a platform key. */
type Asker = Pick<Caller, 'keyId' | 'tenantId'>;

interface Charge {
  by: Asker;
  /** Management operations. */
  operations: number;
  /** Number of emitted events by tenant. Null when they are not limited. */
  events: ReadonlyMap<number, number> | null;
}

export interface Verdict {
  /** Null when the request was counted and may go on. Otherwise nothing was counted. */
  refusal: ApiError | null;
  /** Headers of the answer, even if it is a refusal. */
  headers: Readonly<Record<string, string>>;
}

interface Limit {
  name: 'management' | 'emit';
  /** The message when the limit is reached. */
  tooMany: string;
  buckets: TokenBuckets<number>;
  key: number;
  amount: number;
}

/** Checks of one webhook, which may be sent while others must not be: six a minute. */
const CHECKS = { perSecond: 0.1, burst: 6 };

/**
 * The rate limits of keys, tenants and addresses. They are in the memory of each API process, because a shared limit
 * would add a round trip to every request, and they protect the CPU and the pool of each process. So N processes
 * together allow up to N times the rate. A tenant can have many keys, so all of them together are limited too.
 */
export class RateLimits {
  readonly #management: TokenBuckets<number>;
  readonly #managementOfTenants: TokenBuckets<number>;
  readonly #emits: TokenBuckets<number> | null;
  readonly #anonymous: TokenBuckets<string>;
  readonly #checks = new TokenBuckets<number>(CHECKS);

  /**
   * @param now milliseconds, never going back
   * @param onRefusal called with the limit that was reached
   */
  constructor(
    { management, managementOfTenants, emits, anonymous }: Config['quotas'],
    private readonly now: () => number,
    private readonly onRefusal: (limit: LimitName) => void = () => {},
  ) {
    this.#management = new TokenBuckets(management);
    this.#managementOfTenants = new TokenBuckets(managementOfTenants);
    this.#emits = emits === null ? null : new TokenBuckets(emits);
    this.#anonymous = new TokenBuckets(anonymous);
  }

  get limitsEmits(): boolean {
    return this.#emits !== null;
  }

  /** Counts a request completely or, when a limit is reached, not at all. */
  charge({ by, operations, events }: Charge): Verdict {
    const limits = operations === 0 ? [] : this.#managementOf(by, operations);
    if (this.#emits !== null && events !== null) {
      for (const [key, amount] of events) {
        limits.push({ name: 'emit', tooMany: tooMany.emits, buckets: this.#emits, key, amount });
      }
    }
    const now = this.now();
    const refusal = this.#firstRefusal(limits, now);
    if (refusal === null) {
      takeAll(limits, now);
    }
    return { refusal, headers: headersOf(limits, now) };
  }

  /** Counts one operation for a request that failed early: with a broken document or a wrong tenant. */
  chargeBroken(by: Asker): Verdict['headers'] {
    const now = this.now();
    const limits = this.#managementOf(by, 1);
    takeAll(limits, now);
    return headersOf(limits, now);
  }

  /**
   * Refuses a key in debt, before its document is parsed. Only broken documents make debts, so a key with good
   * documents can always emit, unless broken documents of other keys have used up all operations of the tenant.
   *
   * @throws ApiError rate_limited
   */
  requireNoDebt(by: Asker): void {
    const now = this.now();
    const limits = this.#managementOf(by, 0);
    const owed = limits.find(({ buckets, key }) => buckets.isInDebt(key, now));
    if (owed !== undefined) {
      this.onRefusal('management');
      throw rateLimited(owed.tooMany, owed.buckets.waitMs(owed.key, 0, now), headersOf(limits, now));
    }
  }

  /**
   * @param requests the number that the request counts for
   * @param counted how many of them were counted before
   * @throws ApiError rate_limited
   */
  requireAnonymous(address: string, requests = 1, counted = 0): void {
    const now = this.now();
    const network = networkOf(address);
    const left = requests - counted;
    if (this.#anonymous.waitMs(network, left, now) > 0) {
      this.onRefusal('anonymous');
      const waitMs = this.#anonymous.waitMs(network, requests, now); // the next try counts all of them
      throw rateLimited('Too many requests without an API key came from this address.', waitMs);
    }
    this.#anonymous.take(network, left, now);
  }

  /** Counts a check of a webhook, or an ask of its endpoint. @throws ApiError rate_limited */
  requireCheck(webhookId: number, verb: 'checked' | 'asked' = 'checked'): void {
    const now = this.now();
    const waitMs = this.#checks.waitMs(webhookId, 1, now);
    if (waitMs > 0) {
      this.onRefusal('checks');
      throw rateLimited(`A webhook can be ${verb} ${CHECKS.burst} times a minute. Nothing was sent.`, waitMs);
    }
    this.#checks.take(webhookId, 1, now);
  }

  /** The limits of a key, and of its tenant over all of its keys. */
  #managementOf({ keyId, tenantId }: Asker, amount: number): Limit[] {
    const ofKey = { buckets: this.#management, key: keyId, tooMany: tooMany.ofKey };
    const ofTenant = { buckets: this.#managementOfTenants, key: tenantId!, tooMany: tooMany.ofTenant };
    return (tenantId === null ? [ofKey] : [ofKey, ofTenant]).map((limit) => ({ name: 'management', ...limit, amount }));
  }

  #firstRefusal(limits: readonly Limit[], now: number): ApiError | null {
    for (const { name, tooMany, buckets, key, amount } of limits) {
      const waitMs = buckets.waitMs(key, amount, now);
      if (waitMs > 0) {
        this.onRefusal(name);
        return rateLimited(tooMany, waitMs);
      }
    }
    return null;
  }
}

const tooMany = {
  ofKey: 'This API key has used up its management operations. Nothing was done.',
  ofTenant: 'All API keys of the tenant together have used up its management operations. Nothing was done.',
  emits: 'The tenant has emitted as many events as it may. Nothing was done.',
};

function takeAll(limits: readonly Limit[], now: number): void {
  for (const { buckets, key, amount } of limits) {
    buckets.take(key, amount, now);
  }
}

/**
 * The headers of draft-ietf-httpapi-ratelimit-headers-11, as lists of RFC 9651: `q` is the quota for `w` seconds, `r`
 * the rest of it, `t` the seconds until it is full again.
 */
function headersOf(limits: readonly Limit[], now: number): Readonly<Record<string, string>> {
  if (limits.length === 0) {
    return {};
  }
  const levels = limits.map((limit) => ({ ...limit, ...limit.buckets.level(limit.key, now) }));
  // Of several limits with one name, the scarcest one.
  const items = [...Map.groupBy(levels, ({ name }) => name).values()].map((same) =>
    same.reduce((scarcest, limit) => (limit.tokens < scarcest.tokens ? limit : scarcest)),
  );
  const policyOf = ({ name, buckets: { quota } }: Limit) =>
    `"${name}";q=${quota.burst};w=${Math.ceil(quota.burst / quota.perSecond)}`;
  return {
    'ratelimit-policy': items.map(policyOf).join(', '),
    ratelimit: items
      .map(({ name, tokens, fullAfterMs }) => {
        const left = Math.max(0, Math.floor(tokens));
        return `"${name}";r=${left};t=${Math.ceil(fullAfterMs / 1_000)}`;
      })
      .join(', '),
  };
}
