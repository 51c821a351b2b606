import { BoundedMap } from '../../domain/collections/bounded-map.js';
import type { Scope } from '../../domain/keys/scopes.js';
import type { EmitLimits } from '../../domain/limits/tenant-limits.js';
import { type HasPool, query, type Statement } from '../../platform/database/database.js';

/** The owner of the API key of a request. */
export interface Caller {
  keyId: number;
  /** Null: a platform key. */
  tenantId: number | null;
  scopes: ReadonlySet<Scope>;
  isPortalSession: boolean;
  /** The limits of its tenant that emits meet. */
  limits: EmitLimits | null;
  /** Monotonic ms; infinite: the key does not end. */
  endsAtMs: number;
}

interface KeyRow {
  id: number;
  tenant_id: number | null;
  hash: Buffer;
  scopes: Scope[];
  is_portal_session: boolean;
  limits: EmitLimits | null;
  moved_to: number | null;
  /** 0: revoked; null: it does not expire. */
  left_ms: number | null;
  /** Null: never used. */
  unused_ms: number | null;
}

/** An API key as it was read. Times are monotonic, in ms. */
export interface KnownKey {
  caller: Caller;
  hash: Buffer;
  /** The cell that its tenant has moved to; null: it lives here. */
  movedTo: number | null;
  readAtMs: number;
  usedAtMs: number;
  /** The number of calls of `forget` before it was read. */
  era: number;
}

const ENTRIES_MAX = 10_000;

/** Times are left by Postgres's clock, which made the key: that of this process may be minutes away. */
const readKey: Statement = {
  name: 'read_api_key',
  text: `select id, tenant_id, hash, scopes, is_portal_session, hookwright.limits_of_tenant(tenant_id) as limits,
           hookwright.moved_to(tenant_id) as moved_to,
           case when revoked_at is null then extract(epoch from expires_at - now())::float8 * 1000 else 0 end as left_ms,
           extract(epoch from now() - last_used_at)::float8 * 1000 as unused_ms
         from hookwright.find_api_key($1)`,
};

/** The keys that a process remembers, by id; and their look-up. */
export class KnownKeys {
  readonly #keys = new BoundedMap<number, KnownKey>(ENTRIES_MAX);
  readonly #lookups = new Map<number, Promise<KnownKey | null>>();
  #era = 0;

  constructor(
    private readonly db: HasPool,
    private readonly nowMs: () => number,
  ) {}

  get(id: number): KnownKey | undefined {
    return this.#keys.get(id);
  }

  /**
   * Reads a key; the caller calls `remember` when the request's key is right. Requests with the same id share a query,
   * with the right key or a guessed one.
   */
  lookUp(id: number): Promise<KnownKey | null> {
    const inFlight = this.#lookups.get(id);
    if (inFlight !== undefined) {
      return inFlight;
    }
    const lookup: Promise<KnownKey | null> = this.#read(id).finally(() => {
      if (this.#lookups.get(id) === lookup) {
        this.#lookups.delete(id);
      }
    });
    this.#lookups.set(id, lookup);
    return lookup;
  }

  /** Remembers a key, unless a key was forgotten since it was looked up: it may be older. */
  remember(known: KnownKey): void {
    const id = known.caller.keyId;
    if (this.#keys.get(id) !== known && known.era === this.#era) {
      this.#keys.renew(id, known);
    }
  }

  /** Has keys of a tenant (null: all keys) read again before their next use. They stay familiar. */
  readAgain(tenantId: number | null): void {
    this.#era += 1;
    this.#lookups.clear();
    for (const known of this.#keys.values()) {
      if (tenantId === null || known.caller.tenantId === tenantId) {
        known.readAtMs = Number.NEGATIVE_INFINITY;
      }
    }
  }

  forget(id: number): void {
    this.#era += 1;
    this.#keys.delete(id);
    this.#lookups.delete(id);
  }

  async #read(id: number): Promise<KnownKey | null> {
    const era = this.#era;
    // The time before the read: a revocation that commits during it is not seen.
    const readAtMs = this.nowMs();
    const [row] = await query<KeyRow>(this.db.pool, readKey, [id]);
    if (row === undefined) {
      return null;
    }
    return {
      caller: {
        keyId: row.id,
        tenantId: row.tenant_id,
        scopes: new Set(row.scopes),
        isPortalSession: row.is_portal_session,
        limits: row.limits,
        endsAtMs: readAtMs + (row.left_ms ?? Number.POSITIVE_INFINITY),
      },
      hash: row.hash,
      movedTo: row.moved_to,
      readAtMs,
      // A use that is being written now was not read.
      usedAtMs: Math.max(
        readAtMs - (row.unused_ms ?? Number.POSITIVE_INFINITY),
        this.#keys.get(id)?.usedAtMs ?? Number.NEGATIVE_INFINITY,
      ),
      era,
    };
  }
}
