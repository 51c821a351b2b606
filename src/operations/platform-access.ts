import type { Database } from '../database/database.js';
import { tenantTransaction } from '../database/tenant-database.js';
import { type Actor, audit } from './audit.js';

const NOTED_EVERY_MS = 3_600_000;
const NOTED_MAX = 10_000;

/**
 * Notes in a tenant's audit log that a platform key acts for it. What the key changes has entries of its own; what it
 * reads and emits could be thousands a second, so that is noted once an hour (and process), before it happens.
 */
export class PlatformAccess {
  readonly #noted = new Map<string, number>();

  constructor(
    private readonly db: Pick<Database, 'pool'>,
    private readonly clock: () => Date,
  ) {}

  async note(tenantId: number, by: Actor): Promise<void> {
    const visit = `${by.keyId} ${tenantId}`;
    const now = this.clock().getTime();
    if (now - (this.#noted.get(visit) ?? Number.NEGATIVE_INFINITY) < NOTED_EVERY_MS) {
      return;
    }
    await tenantTransaction(this.db.pool, tenantId, async (client, withCommit) => {
      withCommit(
        audit(client, by, { tenantId, action: 'TENANT_ENTERED', target: 'TENANT', targetId: tenantId }),
      );
    });
    if (this.#noted.size >= NOTED_MAX) {
      this.#noted.clear();
    }
    this.#noted.set(visit, now);
  }
}
