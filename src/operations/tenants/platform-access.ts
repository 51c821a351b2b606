import type { Database } from '../../database/database.js';
import { BoundedMap } from '../../domain/bounded-map.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { managementTransaction } from '../rows/unit-of-work.js';

const NOTED_EVERY_MS = 3_600_000;
const NOTED_MAX = 10_000;

interface Note {
  /** Monotonic, ms. */
  atMs: number;
  written: Promise<void>;
}

/**
 * Notes in a tenant's audit log that a platform key acts for it. Its changes have entries of their own; its reads and
 * emits, which may be thousands a second, have one entry an hour and process, written before they happen.
 */
export class PlatformAccess {
  readonly #notes = new BoundedMap<string, Note>(NOTED_MAX);

  /** @param now monotonic, in ms */
  constructor(
    private readonly db: Pick<Database, 'orm'>,
    private readonly now: () => number,
  ) {}

  async note(tenantId: number, by: Actor): Promise<void> {
    const visit = `${by.keyId} ${tenantId}`;
    const now = this.now();
    const known = this.#notes.get(visit);
    if (known !== undefined && now - known.atMs < NOTED_EVERY_MS) {
      return await known.written;
    }
    const note = { atMs: now, written: this.#write(tenantId, by) };
    this.#notes.set(visit, note);
    try {
      await note.written;
    } catch (error) {
      if (this.#notes.get(visit) === note) {
        this.#notes.delete(visit);
      }
      throw error;
    }
  }

  #write(tenantId: number, by: Actor): Promise<void> {
    return managementTransaction(this.db, tenantId, async ({ em }) =>
      audit(em, by, { ...about('TENANT', tenantId, tenantId), action: 'TENANT_ENTERED' }),
    );
  }
}
