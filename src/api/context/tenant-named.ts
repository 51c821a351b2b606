import { markedExternalId } from '../../domain/ids/external-id.js';
import { readId } from '../../domain/ids/global-id.js';
import { INSTALLATION_NAMED, INSTALLATION_TENANT } from '../../domain/installation/installation-tenant.js';
import type { Authenticator, Caller } from '../../operations/keys/authenticate.js';
import { noSuchTenant, otherTenant } from './other-tenant.js';

/**
 * The tenant of a request.
 *
 * @param header `Hookwright-Tenant`: a number, a global id, `ext:` and an external id, or `installation`
 * @returns null for a platform key that names none
 * @throws ApiError scope_missing when a tenant's key names another one; not_found; tenant_elsewhere
 */
export async function tenantNamed(
  authenticator: Authenticator,
  caller: Caller,
  header: string | undefined,
): Promise<number | null> {
  if (header === undefined || header === '') {
    return caller.tenantId;
  }
  if (caller.tenantId === null && header === INSTALLATION_NAMED) {
    return INSTALLATION_TENANT; // the context requires the scope
  }
  const named = await tenantIn(authenticator, caller, header);
  if (caller.tenantId !== null) {
    if (named !== caller.tenantId) {
      throw otherTenant('the header Hookwright-Tenant');
    }
    return caller.tenantId;
  }
  if (named === null) {
    throw noSuchTenant(header);
  }
  if (!(await authenticator.tenantExists(named))) {
    throw await authenticator.missingTenant(named);
  }
  return named;
}

/** The text that names a tenant in the header Hookwright-Tenant. @returns undefined for none */
export function nameOfTenant(tenantId: number | null): string | undefined {
  if (tenantId === INSTALLATION_TENANT) {
    return INSTALLATION_NAMED; // no number that a caller writes is this one
  }
  return tenantId === null ? undefined : String(tenantId);
}

/** @returns null for a text that names none */
async function tenantIn(authenticator: Authenticator, caller: Caller, text: string): Promise<number | null> {
  const externalId = markedExternalId(text);
  if (externalId !== null) {
    return authenticator.tenantOf(externalId, caller);
  }
  const read = readId('Tenant', text);
  return typeof read === 'number' ? read : null;
}
