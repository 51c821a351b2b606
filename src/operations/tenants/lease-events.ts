import { burstOf } from '../../domain/pacing/request-rate.js';
import { type HasPool, query, type Statement } from '../../platform/database/database.js';

interface WantedEvents {
  tenantId: number;
  perSecond: number;
  /** One request has this many: they are leased all, or none. */
  needed: number;
  /** `needed`, and those that are likely to follow. */
  wanted: number;
}

interface LeasedEvents {
  leased: number;
  /** How long until one more is free. */
  waitMs: number;
}

const statement: Statement = {
  name: 'lease_events',
  text: 'select leased, wait_ms as "waitMs" from hookwright.lease_events($1, $2, $3, $4, $5)',
};

/** Leases events of a tenant's rate, which all API processes share. */
export async function leaseEvents(
  { pool }: HasPool,
  { tenantId, perSecond, needed, wanted }: WantedEvents,
): Promise<LeasedEvents> {
  const values = [tenantId, perSecond, burstOf(perSecond), needed, wanted];
  const [row] = await query<LeasedEvents>(pool, statement, values);
  return row!;
}
