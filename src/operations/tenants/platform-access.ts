import type { HasOrm } from '../../platform/database/database.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { Remembered } from '../rows/remembered.js';
import { managementTransaction } from '../rows/unit-of-work.js';

const NOTED_EVERY_MS = 3_600_000;
const NOTED_MAX = 10_000;

/**
 * Notes in a tenant's audit log that a platform key acts for it. Its changes have entries of their own; its reads and
 * emits, which may be thousands a second, have one entry an hour and process, written before they happen.
 */
export class PlatformAccess {
  readonly #notes: Remembered<string, void>;

  /** @param now monotonic, in ms */
  constructor(
    private readonly db: HasOrm,
    now: () => number,
  ) {
    this.#notes = new Remembered(NOTED_MAX, now);
  }

  note(tenantId: number, by: Actor): Promise<void> {
    return this.#notes.get(`${by.keyId} ${tenantId}`, NOTED_EVERY_MS, () =>
      managementTransaction(this.db, tenantId, async ({ em }) =>
        audit(em, by, { ...about('TENANT', tenantId, tenantId), action: 'TENANT_ENTERED' }),
      ),
    );
  }
}
