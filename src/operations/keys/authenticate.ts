import { timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { networkOf } from '../../domain/addresses/client-network.js';
import { INSTALLATION_TENANT } from '../../domain/installation/installation-tenant.js';
import { hashApiKey, parseApiKey } from '../../domain/keys/api-key.js';
import type { EmitLimits } from '../../domain/limits/tenant-limits.js';
import { type Quota, TokenBuckets } from '../../domain/pacing/token-bucket.js';
import { ApiError, rateLimited } from '../../errors.js';
import type { HasPool, Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import { missingTenant } from '../cells/own-cell.js';
import { tenantOfExternalId } from '../rows/external-ids.js';
import { Remembered } from '../rows/remembered.js';
import { ForeignKeys, keyElsewhere } from './foreign-keys.js';
import { type Caller, type KnownKey, KnownKeys } from './known-keys.js';
import { whyMalformed } from './why-malformed.js';

export type { Caller } from './known-keys.js';

interface AuthenticatorOptions {
  /** How many wrong keys one client network may send (KEY_FAILURES_RATE_MAX). */
  failures: Quota;
  /** Monotonic, in ms. */
  now: () => number;
  /** Measurements lower it. */
  refusedAfterMs?: number;
  /** Called for each request that is refused because its network sent too many wrong keys. */
  onLimited?: () => void;
}

/** `revokeApiKey` promises to work everywhere within 5 s; the look-up takes its time too. */
const CACHE_AGE_MAX_MS = 4_000;
const TENANTS_MAX = 10_000;
const LAST_USED_EVERY_MS = 60_000;
const HEADER_LENGTH_MAX = 256;
const BEARER = /^Bearer +(\S+) *$/i;

/**
 * A well-formed key is refused after this time at the earliest: a timer beside the look-up hides that finding a row
 * takes some microseconds more than finding none.
 */
const REFUSED_AFTER_MS = 10;

/** Compared with the hash of an unknown key, so that it takes as long as a wrong one. */
const noHash = Buffer.alloc(32);

const writeLastUsed: Statement = {
  name: 'write_api_key_last_used',
  text: `select hookwright.note_api_key_use($1, now())`,
};
type KnownTenant = Pick<Caller, 'limits'>;

const readTenant: Statement = {
  name: 'read_tenant_exists',
  text: `select hookwright.limits_of_tenant(id) as limits from hookwright.tenants
         where id = $1 and deleted_at is null and moving is distinct from 'GONE'`,
};

/**
 * Finds the owner of a request's key. It remembers keys for a few seconds, so that a request costs no query, and it
 * refuses client networks that send too many wrong keys.
 */
export class Authenticator {
  readonly #keys: KnownKeys;
  readonly #foreign: ForeignKeys;
  /** Null: there is no such tenant. */
  readonly #tenants: Remembered<number, KnownTenant | null>;
  /** Tenants by their external ids. */
  #externalIds: Remembered<string, number | null>;
  readonly #failures: TokenBuckets<string>;

  constructor(
    private readonly db: HasPool,
    private readonly options: AuthenticatorOptions,
  ) {
    this.#keys = new KnownKeys(db, options.now);
    this.#foreign = new ForeignKeys(db, options.now);
    this.#tenants = new Remembered(TENANTS_MAX, options.now);
    this.#externalIds = new Remembered(TENANTS_MAX, options.now);
    this.#failures = new TokenBuckets(options.failures);
  }

  /**
   * A key is familiar when it was right before and has not ended since. Only unfamiliar keys are limited by their
   * network: a balancer may hide all clients behind one address.
   *
   * @param authorization the value of the header `Authorization`: `Bearer <key>`
   * @param address the client's
   * @throws ApiError unauthenticated, the same for an unknown, expired and revoked key; tenant_elsewhere where another
   *   cell decides about the key, as its number says or a move of its tenant; rate_limited
   */
  async authenticate(authorization: string, address: string): Promise<Caller> {
    const text = authorization.length <= HEADER_LENGTH_MAX ? BEARER.exec(authorization)?.[1] : undefined;
    const parsed = text === undefined ? null : parseApiKey(text);
    if (text === undefined || parsed === null) {
      this.#limit(networkOf(address));
      throw new ApiError('unauthenticated', whyMalformed(authorization));
    }
    const hash = hashApiKey(text);
    const known = this.#keys.get(parsed.id) ?? null;
    if (this.#isRight(known, hash)) {
      if (this.options.now() - known.readAtMs < CACHE_AGE_MAX_MS) {
        return this.#admit(known);
      }
      const again = await this.#keys.lookUp(parsed.id);
      if (this.#isRight(again, hash)) {
        return this.#admit(again);
      }
      this.#keys.forget(parsed.id); // it has ended, and is unfamiliar from now on
    }
    return this.#admit(await this.#findUnfamiliar(parsed.id, hash, address));
  }

  async #findUnfamiliar(id: number, hash: Buffer, address: string): Promise<KnownKey> {
    const elsewhere = this.#foreign.known(id);
    if (elsewhere !== null) {
      await this.#earliest();
      throw elsewhere; // a map of cells that is out of date sends the same keys again and again: they are no guesses
    }
    let there: KnownKey | null = null;
    // A wrong key leaves the cache as it is, so the key's owner notices nothing.
    const found = await this.guess(address, async () => {
      there = await this.#keys.lookUp(id);
      return this.#isRight(there, hash) ? there : null;
    });
    if (found !== null) {
      return found;
    }
    throw await this.#foreign.errorFor(id, there);
  }

  /** The error for a tenant that does not exist here. */
  missingTenant(tenantId: number): Promise<ApiError> {
    return missingTenant(this.db.pool, tenantId);
  }

  /** Infinite: the key does not expire. */
  lifeLeftMs({ endsAtMs }: Caller): number {
    return endsAtMs - this.options.now();
  }

  /** Forgets a key that is another one from now on. */
  forget(keyId: number): void {
    this.#keys.forget(keyId);
  }

  /** Makes a revocation in this process work at once, for what was made in a session too. */
  forgetRevoked({ id, tenantId }: { id: number; tenantId: number | null }): void {
    this.#keys.forget(id);
    this.#keys.readAgain(tenantId);
  }

  /** Whether the tenant that a platform key names exists. A yes is remembered as long as a key. */
  async tenantExists(tenantId: number): Promise<boolean> {
    return tenantId === INSTALLATION_TENANT || (await this.#tenant(tenantId)) !== null;
  }

  /** The limits of a tenant that a caller emits for. They are remembered as long as a key. */
  async limitsFor(tenantId: number, caller: Pick<Caller, 'tenantId' | 'limits'>): Promise<EmitLimits | null> {
    return caller.tenantId === null ? ((await this.#tenant(tenantId))?.limits ?? null) : caller.limits;
  }

  async #tenant(tenantId: number): Promise<KnownTenant | null> {
    const read = async () =>
      (await tenantQuery<KnownTenant>(this.db.pool, tenantId, readTenant, [tenantId]))[0] ?? null;
    const found = await this.#tenants.get(tenantId, CACHE_AGE_MAX_MS, read);
    if (found === null) {
      this.#tenants.forget(tenantId);
    }
    return found;
  }

  /**
   * The tenant with an external id, which is remembered as long as a key: an id that has another tenant now may lead to
   * the former one for these seconds.
   *
   * @param caller a key of a tenant finds its own alone
   * @returns null: there is none
   */
  async tenantOf(externalId: string, { tenantId }: Pick<Caller, 'tenantId'>): Promise<number | null> {
    const key = `${tenantId ?? ''} ${externalId}`;
    const read = () => tenantOfExternalId(this.db, externalId, tenantId);
    const found = await this.#externalIds.get(key, CACHE_AGE_MAX_MS, read);
    if (found === null) {
      this.#externalIds.forget(key);
    }
    return found;
  }

  /** Forgets a tenant and all external ids, so that its deletion, other id or limits in this process work at once. */
  forgetTenant(tenantId: number): void {
    this.#keys.readAgain(tenantId);
    this.#tenants.forget(tenantId);
    this.#externalIds = new Remembered(TENANTS_MAX, this.options.now);
  }

  /**
   * Looks up an unfamiliar secret. Wrong ones count for their network; right ones, and look-ups that fail, do not.
   *
   * @param lookUp returns null for a wrong secret
   * @returns its result; null after REFUSED_AFTER_MS at the earliest
   * @throws ApiError rate_limited, when the network sent too many wrong ones; what `lookUp` throws
   */
  async guess<Found>(address: string, lookUp: () => Promise<Found | null>): Promise<Found | null> {
    const network = networkOf(address);
    this.#limit(network);
    const giveBack = () => this.#failures.giveBack(network, 1, this.options.now());
    const earliest = this.#earliest();
    const found = await lookUp().catch((error: unknown) => {
      giveBack(); // the database is away
      throw error;
    });
    if (found === null) {
      await earliest;
    } else {
      giveBack(); // after a start no key is familiar
    }
    return found;
  }

  #earliest(): Promise<void> {
    return delay(this.options.refusedAfterMs ?? REFUSED_AFTER_MS, undefined, { ref: false });
  }

  #isRight(found: KnownKey | null, hash: Buffer): found is KnownKey {
    const isEqual = timingSafeEqual(hash, found?.hash ?? noHash);
    return found !== null && isEqual && this.lifeLeftMs(found.caller) > 0;
  }

  #admit(known: KnownKey): Caller {
    this.#keys.remember(known);
    if (known.movedTo !== null) {
      throw keyElsewhere(known.movedTo);
    }
    this.#noteUse(known);
    return known.caller;
  }

  /** @throws ApiError rate_limited */
  #limit(network: string): void {
    const now = this.options.now();
    const waitMs = this.#failures.waitMs(network, 1, now);
    if (waitMs > 0) {
      this.options.onLimited?.();
      throw rateLimited('Too many requests with bad API keys or codes came from this address.', waitMs);
    }
    this.#failures.take(network, 1, now);
  }

  /** Not awaited, and a failure does not matter: the request does not wait for a note about itself. */
  #noteUse(known: KnownKey): void {
    const now = this.options.now();
    if (now - known.usedAtMs >= LAST_USED_EVERY_MS) {
      known.usedAtMs = now;
      const { keyId, tenantId } = known.caller;
      tenantQuery(this.db.pool, tenantId, writeLastUsed, [keyId]).catch(() => {});
    }
  }
}
