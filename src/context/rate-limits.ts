import { networkOf } from '../domain/addresses/client-network.js';
import { TokenBuckets } from '../domain/pacing/token-bucket.js';
import { type ApiError, rateLimited } from '../errors.js';
import type { Caller } from '../operations/keys/authenticate.js';
import type { Config } from '../settings/config.js';
import type { LimitName } from '../telemetry/api-metrics.js';

/** Whose request it is: the key, and the tenant that it belongs to. Null: a platform key, of no tenant. */
type Asker = Pick<Caller, 'keyId' | 'tenantId'>;

/** What a request counts. */
interface Charge {
  by: Asker;
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
  /** The sentence of the refusal when it is reached. */
  tooMany: string;
  buckets: TokenBuckets<number>;
  key: number;
  amount: number;
}

/**
 * The limits on how often one may ask. They live in the memory of each API process: a limit that all processes share
 * would put a write, or a round trip to a counter, on every request. What they protect, the CPU and the pool of a
 * process, is each process's own too. So over N processes behind a balancer a key has up to N times its rate. A tenant
 * can have many keys, so what all of them may is limited as well.
 */
export class RateLimits {
  readonly #management: TokenBuckets<number>;
  readonly #managementOfTenants: TokenBuckets<number>;
  readonly #emits: TokenBuckets<number> | null;
  readonly #anonymous: TokenBuckets<string>;

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

  /** Whether events have to be counted at all. */
  get limitsEmits(): boolean {
    return this.#emits !== null;
  }

  /** Counts a request, all of it or, when one limit is reached, nothing. */
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

  /**
   * Counts one operation for a request that came to nothing: a document that was parsed, and a broken one is never
   * remembered, or a tenant that was looked for.
   */
  chargeBroken(by: Asker): Verdict['headers'] {
    const now = this.now();
    const limits = this.#managementOf(by, 1);
    takeAll(limits, now);
    return headersOf(limits, now);
  }

  /**
   * To be asked before a document is parsed. What makes a debt is broken documents, so a key whose documents are good
   * can emit however many management operations it has used, as long as not all that its tenant has are used up by
   * broken ones of other keys.
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
   * @param requests as how many it counts
   * @param counted of these, those that have been counted
   * @throws ApiError rate_limited
   */
  requireAnonymous(address: string, requests = 1, counted = 0): void {
    const now = this.now();
    const network = networkOf(address);
    const left = requests - counted;
    if (this.#anonymous.waitMs(network, left, now) > 0) {
      this.onRefusal('anonymous');
      const waitMs = this.#anonymous.waitMs(network, requests, now); // for all of it, as the next try will count
      throw rateLimited('Too many requests without an API key came from this address.', waitMs);
    }
    this.#anonymous.take(network, left, now);
  }

  /** The limits of a key, and of its tenant over all of its keys. */
  #managementOf({ keyId, tenantId }: Asker, amount: number): Limit[] {
    const management = (buckets: TokenBuckets<number>, key: number, tooMany: string): Limit => ({
      name: 'management',
      tooMany,
      buckets,
      key,
      amount,
    });
    const ofKey = management(this.#management, keyId, tooMany.ofKey);
    return tenantId === null ? [ofKey] : [ofKey, management(this.#managementOfTenants, tenantId, tooMany.ofTenant)];
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
 * The fields of draft-ietf-httpapi-ratelimit-headers-11, lists of RFC 9651: `q` is the quota of `w` seconds, `r` what
 * is left of it, `t` the seconds until all of it is there again.
 */
function headersOf(limits: readonly Limit[], now: number): Readonly<Record<string, string>> {
  if (limits.length === 0) {
    return {};
  }
  const told = new Map<string, Limit>();
  for (const limit of limits) {
    const other = told.get(limit.name);
    if (other === undefined || tokensOf(limit, now) < tokensOf(other, now)) {
      told.set(limit.name, limit); // of key and tenant, and of several tenants' events, only the scarcest is told
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
