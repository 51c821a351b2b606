import { timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Statement } from '../../database/database.js';
import { tenantQuery } from '../../database/tenant-database.js';
import { networkOf } from '../../domain/addresses/client-network.js';
import { BoundedMap } from '../../domain/bounded-map.js';
import { hashApiKey, parseApiKey } from '../../domain/keys/api-key.js';
import { type Quota, TokenBuckets } from '../../domain/pacing/token-bucket.js';
import { ApiError, rateLimited } from '../../errors.js';
import { type Caller, type KnownKey, KnownKeys } from './known-keys.js';

export type { Caller } from './known-keys.js';

interface AuthenticatorOptions {
  /** Keys that one client network may get wrong (KEY_FAILURES_RATE_MAX). */
  failures: Quota;
  /** In ms, never going back. */
  now: () => number;
  /** Measurements lower it. */
  refusedAfterMs?: number;
  /** Called for each request that is refused because its network got too many keys wrong. */
  onHeldBack?: () => void;
}

/** Below the 5 s within which `revokeApiKey` promises to work everywhere, so that the look-up has its time too. */
const CACHE_AGE_MAX_MS = 4_000;
const TENANTS_MAX = 10_000;
const LAST_USED_EVERY_MS = 60_000;
const HEADER_LENGTH_MAX = 256;
const BEARER = /^Bearer +(\S+) *$/i;

/**
 * A well-formed key is refused no earlier than this after it came in. Unknown, wrong, expired and revoked keys take the
 * same path, but an index that finds a row and a packet that brings it take some microseconds more than those that do
 * not; a timer that runs beside the look-up, and is longer than it, hides them.
 */
const REFUSED_AFTER_MS = 10;

/** Compared with when there is no such key, so that an unknown id takes as long as a wrong secret. */
const noHash = Buffer.alloc(32);

const writeLastUsed: Statement = {
  name: 'write_api_key_last_used',
  text: `select hookwright.note_api_key_use($1, now())`,
};
const readTenant: Statement = {
  name: 'read_tenant_exists',
  text: 'select id from hookwright.tenants where id = $1 and deleted_at is null',
};

/**
 * Tells whose key a request carries. One per process: it remembers keys for a few seconds, so that a request costs no
 * query, and it holds back client networks that send too many bad keys.
 */
export class Authenticator {
  readonly #keys: KnownKeys;
  /** Those that there were, and when that was asked. */
  readonly #tenants = new BoundedMap<number, number>(TENANTS_MAX);
  #tenantsEra = 0;
  readonly #failures: TokenBuckets<string>;

  constructor(
    private readonly db: Pick<Database, 'pool'>,
    private readonly options: AuthenticatorOptions,
  ) {
    this.#keys = new KnownKeys(db, options.now);
    this.#failures = new TokenBuckets(options.failures);
  }

  /**
   * A key is familiar when it was found right before and has not ended since. Only unfamiliar keys are held back by
   * what comes from their network: a balancer may hide everybody behind one address.
   *
   * @param authorization the value of the header `Authorization`: `Bearer <key>`
   * @param address where the request comes from
   * @throws ApiError unauthenticated, the same for a malformed, unknown, expired and revoked key; rate_limited
   */
  async authenticate(authorization: string, address: string): Promise<Caller> {
    const text = authorization.length <= HEADER_LENGTH_MAX ? BEARER.exec(authorization)?.[1] : undefined;
    const parsed = text === undefined ? null : parseApiKey(text);
    if (text === undefined || parsed === null) {
      this.#holdBack(networkOf(address));
      throw unauthenticated();
    }
    const hash = hashApiKey(text);
    const known = this.#keys.get(parsed.id);
    const isEqual = timingSafeEqual(hash, known?.hash ?? noHash);
    const now = this.options.now();
    if (known === undefined || !isEqual || known.caller.endsAtMs <= now) {
      return this.#meet(parsed.id, hash, address);
    }
    const isFresh = now - known.readAtMs < CACHE_AGE_MAX_MS;
    return this.#admit(isFresh ? known : await this.#meetAgain(known, hash, address));
  }

  /** For how many ms the caller's key is still good; infinite: it does not expire. */
  lifeLeftMs({ endsAtMs }: Caller): number {
    return endsAtMs - this.options.now();
  }

  /** Forgets a key at once: a revocation in this process need not wait for the cache. */
  forget(keyId: number): void {
    this.#keys.forget(keyId);
  }

  /** Whether there is the tenant that a platform key names. A yes is kept for as long as what is known of a key. */
  async tenantExists(tenantId: number): Promise<boolean> {
    const now = this.options.now();
    if (now - (this.#tenants.get(tenantId) ?? Number.NEGATIVE_INFINITY) < CACHE_AGE_MAX_MS) {
      return true;
    }
    const era = this.#tenantsEra;
    const rows = await tenantQuery(this.db.pool, tenantId, readTenant, [tenantId]);
    if (rows.length === 1 && era === this.#tenantsEra) {
      this.#tenants.set(tenantId, now);
    }
    return rows.length === 1;
  }

  /** Forgets a tenant at once, as `forget` does with a key. */
  forgetTenant(tenantId: number): void {
    this.#tenantsEra += 1; // a look-up that is under way may be from before
    this.#tenants.delete(tenantId);
  }

  /**
   * Unknown, wrong, expired and revoked keys all come here, whether the cache has something under their id or not, and
   * leave it as it is: the key's true owner notices nothing.
   */
  async #meet(id: number, hash: Buffer, address: string): Promise<Caller> {
    const found = await this.guess(address, async () => {
      const key = await this.#keys.lookUp(id);
      return this.#isRight(key, hash) ? key : null;
    });
    if (found === null) {
      throw unauthenticated();
    }
    return this.#admit(found);
  }

  /**
   * Looks for what a secret of a stranger leads to, as often as their network may get one wrong. What is right, and a
   * look-up that fails, does not count.
   *
   * @param lookUp null: the secret is wrong
   * @returns its result; null not before REFUSED_AFTER_MS
   * @throws ApiError rate_limited, when the network got too many wrong; what `lookUp` throws
   */
  async guess<Found>(address: string, lookUp: () => Promise<Found | null>): Promise<Found | null> {
    const network = networkOf(address);
    this.#holdBack(network);
    const giveBack = () => this.#failures.giveBack(network, 1, this.options.now());
    const earliest = this.#earliestRefusal();
    const found = await lookUp().catch((error: unknown) => {
      giveBack(); // the database is away: nobody got anything wrong
      throw error;
    });
    if (found === null) {
      await earliest;
    } else {
      giveBack(); // after a start nobody is familiar: good keys do not use up what their network may get wrong
    }
    return found;
  }

  /** Not held back; but whoever turns out to have lost its key is unfamiliar from then on. */
  async #meetAgain(known: KnownKey, hash: Buffer, address: string): Promise<KnownKey> {
    const earliest = this.#earliestRefusal();
    const found = await this.#keys.lookUp(known.caller.keyId);
    if (this.#isRight(found, hash)) {
      return found;
    }
    this.#keys.forget(known.caller.keyId);
    this.#failures.take(networkOf(address), 1, this.options.now());
    await earliest;
    throw unauthenticated();
  }

  #isRight(found: KnownKey | null, hash: Buffer): found is KnownKey {
    const isEqual = timingSafeEqual(hash, found?.hash ?? noHash);
    return found !== null && isEqual && this.lifeLeftMs(found.caller) > 0;
  }

  #earliestRefusal(): Promise<unknown> {
    return delay(this.options.refusedAfterMs ?? REFUSED_AFTER_MS, undefined, { ref: false });
  }

  #admit(known: KnownKey): Caller {
    this.#keys.remember(known);
    this.#noteUse(known);
    return known.caller;
  }

  /** @throws ApiError rate_limited */
  #holdBack(network: string): void {
    const now = this.options.now();
    const waitMs = this.#failures.waitMs(network, 1, now);
    if (waitMs > 0) {
      this.options.onHeldBack?.();
      throw rateLimited('Too many requests with bad API keys or codes came from this address.', waitMs);
    }
    this.#failures.take(network, 1, now);
  }

  /** Not awaited, and a failure is no harm: the request must not wait for a note about itself. */
  #noteUse(known: KnownKey): void {
    const now = this.options.now();
    if (now - known.usedAtMs >= LAST_USED_EVERY_MS) {
      known.usedAtMs = now;
      const { keyId, tenantId } = known.caller;
      tenantQuery(this.db.pool, tenantId, writeLastUsed, [keyId]).catch(() => {});
    }
  }
}

function unauthenticated(): ApiError {
  return new ApiError(
    'unauthenticated',
    'Send a valid API key in the header Authorization: Bearer <key>. This one is malformed, unknown, expired or revoked.',
  );
}
