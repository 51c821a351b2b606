import { flat } from '../../domain/fields/field.js';
import { tenantFields } from '../../domain/fields/tenant-fields.js';
import type { Tenant, TenantSettings } from '../../entities/tenant.js';

const names = flat(tenantFields).map(([name]) => name as keyof TenantSettings);

/** Whether webhooks of the tenant inherit anything from it. */
export const hasDefaults = (tenant: Tenant): boolean => names.some((name) => tenant[name] != null);
