import { LIMIT_NAMES } from '../../domain/fields/limit-fields.js';
import type { Tenant } from '../../entities/tenant.js';
import { enterTenant } from '../../platform/database/tenant-database.js';
import { type Actor, about, audit } from '../rows/audit.js';
import type { UnitOfWork } from '../rows/unit-of-work.js';

type Limits = Pick<Tenant, (typeof LIMIT_NAMES)[number] | 'reason'>;

const NAMES: readonly string[] = [...LIMIT_NAMES, 'reason'];

/** Whether a change of a tenant names limits, or the reason of them. */
export const hasLimits = (change: object): boolean => NAMES.some((name) => name in change);

const isLimited = (values: Partial<Limits>): boolean => LIMIT_NAMES.some((name) => values[name] != null);

/** The change, which removes the reason with the last limit. */
export const withLimits = <Change extends Partial<Limits>>(tenant: Tenant, change: Change): Change =>
  hasLimits(change) && !isLimited({ ...tenant, ...change }) ? { ...change, reason: null } : change;

/** Notes since when a tenant has its limits, and who has set them. @param changed its new values, written already */
export function noteLimits({ now }: Pick<UnitOfWork, 'now'>, tenant: Tenant, changed: object, by: Actor): void {
  if (hasLimits(changed)) {
    const limited = isLimited(tenant);
    tenant.limitedSince = limited ? now : null;
    tenant.limitedBy = limited ? by.keyId : null;
  }
}

/**
 * Notes other limits in the audit log of the installation too: they are the operator's. The last work of a transaction,
 * which acts for no tenant from then on.
 */
export async function auditLimits(
  { em, sql }: UnitOfWork,
  tenantId: number,
  changed: { before?: object; after: object },
  by: Actor,
): Promise<void> {
  if (!hasLimits(changed.after)) {
    return;
  }
  await em.flush();
  await enterTenant(sql, null);
  const limitsIn = (values: object) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => NAMES.includes(name)));
  const before = changed.before === undefined ? {} : { before: limitsIn(changed.before) };
  audit(em, by, {
    ...about('TENANT', null, tenantId),
    action: 'TENANT_UPDATED',
    ...before,
    after: limitsIn(changed.after),
  });
}
