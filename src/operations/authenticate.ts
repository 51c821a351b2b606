import { timingSafeEqual } from 'node:crypto';
import { type Database, query, type Statement } from '../database.js';
import { hashApiKey, parseApiKey, type Scope } from '../domain/api-key.js';
import { ApiError } from '../errors.js';
import { tenantQuery } from '../tenant-database.js';

/** Who asks. */
export interface Caller {
  keyId: number;
  /** Null for a platform key, which belongs to no tenant. */
  tenantId: number | null;
  scopes: ReadonlySet<Scope>;
}

interface KeyRow {
  id: number;
  tenant_id: number | null;
  hash: Buffer;
  scopes: Scope[];
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

interface KnownKey {
  caller: Caller;
  hash: Buffer;
  /** The earlier of expiry and revocation, in ms since 1970. */
  endsAtMs: number;
  readAtMs: number;
  usedAtMs: number;
}

/** Below the 5 s within which `revokeApiKey` promises to work everywhere, so that the look-up has its time too. */
const CACHE_AGE_MAX_MS = 4_000;
const CACHE_ENTRIES_MAX = 10_000;
const LAST_USED_EVERY_MS = 60_000;
const HEADER_LENGTH_MAX = 256;
const BEARER = /^Bearer +(\S+) *$/i;

/** Compared with when there is no such key, so that an unknown id takes as long as a wrong secret. */
const noHash = Buffer.alloc(32);

const readKey: Statement = {
  name: 'read_api_key',
  text: `select id, tenant_id, hash, scopes, expires_at, revoked_at, last_used_at from hookwright.find_api_key($1)`,
};
const writeLastUsed: Statement = {
  name: 'write_api_key_last_used',
  text: `select hookwright.note_api_key_use($1, $2)`,
};
const readTenant: Statement = {
  name: 'read_tenant_exists',
  text: 'select id from hookwright.tenants where id = $1',
};

/** Tells whose key a request carries. One per process: it remembers keys for a few seconds. */
export class Authenticator {
  readonly #keys = new Map<number, KnownKey>();
  readonly #lookups = new Map<number, Promise<KnownKey | null>>();
  readonly #tenants = new Set<number>();

  constructor(
    private readonly db: Pick<Database, 'pool'>,
    private readonly clock: () => Date,
  ) {}

  /**
   * @param authorization the value of the header `Authorization`: `Bearer <key>`
   * @throws ApiError unauthenticated, the same for a malformed, unknown, expired and revoked key
   */
  async authenticate(authorization: string): Promise<Caller> {
    const text = authorization.length <= HEADER_LENGTH_MAX ? BEARER.exec(authorization)?.[1] : undefined;
    const id = text === undefined ? null : parseApiKey(text);
    if (text === undefined || id === null) {
      throw unauthenticated();
    }
    const known = this.#fresh(id.id) ?? (await this.#lookUp(id.id));
    const isRight = timingSafeEqual(hashApiKey(text), known?.hash ?? noHash);
    if (known === null || !isRight || known.endsAtMs <= this.clock().getTime()) {
      throw unauthenticated();
    }
    this.#noteUse(known);
    return known.caller;
  }

  /** Forgets a key at once: a revocation in this process need not wait for the cache. */
  forget(keyId: number): void {
    this.#keys.delete(keyId);
    this.#lookups.delete(keyId);
  }

  /** Whether a tenant that a platform key names exists. Tenants are never deleted, so a yes is kept. */
  async tenantExists(tenantId: number): Promise<boolean> {
    if (this.#tenants.has(tenantId)) {
      return true;
    }
    const rows = await tenantQuery(this.db.pool, tenantId, readTenant, [tenantId]);
    if (rows.length === 1 && this.#tenants.size < CACHE_ENTRIES_MAX) {
      this.#tenants.add(tenantId);
    }
    return rows.length === 1;
  }

  #fresh(id: number): KnownKey | null {
    const known = this.#keys.get(id);
    const age = this.clock().getTime() - (known?.readAtMs ?? 0);
    // A negative age means that the clock was set back: the entry's age is unknown then.
    return known !== undefined && age >= 0 && age < CACHE_AGE_MAX_MS ? known : null;
  }

  #lookUp(id: number): Promise<KnownKey | null> {
    const underWay = this.#lookups.get(id);
    if (underWay !== undefined) {
      return underWay;
    }
    const lookup: Promise<KnownKey | null> = this.#read(id)
      .then((known) => {
        if (this.#lookups.get(id) === lookup) {
          this.#remember(id, known);
        }
        return known;
      })
      .finally(() => {
        if (this.#lookups.get(id) === lookup) {
          this.#lookups.delete(id);
        }
      });
    this.#lookups.set(id, lookup);
    return lookup;
  }

  /** Unknown ids are not kept: the next key that is made would be refused until they were forgotten. */
  #remember(id: number, known: KnownKey | null): void {
    this.#keys.delete(id);
    if (known === null) {
      return;
    }
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size < CACHE_ENTRIES_MAX) {
        break;
      }
      this.#keys.delete(oldest);
    }
    this.#keys.set(id, known);
  }

  async #read(id: number): Promise<KnownKey | null> {
    // The age counts from before the read: a revocation that commits during it is not seen.
    const readAtMs = this.clock().getTime();
    const [row] = await query<KeyRow>(this.db.pool, readKey, [id]);
    if (row === undefined) {
      return null;
    }
    return {
      caller: { keyId: row.id, tenantId: row.tenant_id, scopes: new Set(row.scopes) },
      hash: row.hash,
      endsAtMs: row.revoked_at ? 0 : (row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY),
      readAtMs,
      usedAtMs: Math.max(row.last_used_at?.getTime() ?? 0, this.#keys.get(id)?.usedAtMs ?? 0),
    };
  }

  /** Not awaited, and a failure is no harm: the request must not wait for a note about itself. */
  #noteUse(known: KnownKey): void {
    const now = this.clock();
    if (now.getTime() - known.usedAtMs >= LAST_USED_EVERY_MS) {
      known.usedAtMs = now.getTime();
      query(this.db.pool, writeLastUsed, [known.caller.keyId, now]).catch(() => {});
    }
  }
}

function unauthenticated(): ApiError {
  return new ApiError(
    'unauthenticated',
    'Send a valid API key in the header Authorization: Bearer <key>. This one is malformed, unknown, expired or revoked.',
  );
}
