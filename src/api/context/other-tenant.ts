import { markedExternalId } from '../../domain/ids/external-id.js';
import { globalId } from '../../domain/ids/global-id.js';
import { ApiError, invalidInput, notFound, type Path } from '../../errors.js';

/** @param where the part of the request that names the tenant */
export function otherTenant(where: string): ApiError {
  return new ApiError('scope_missing', `An API key acts for its own tenant only; ${where} names another one.`);
}

/** @param named what a request names a tenant by; an external id is repeated, since its caller has made it */
export const noSuchTenant = (named: string): ApiError =>
  notFound('tenant', markedExternalId(named) === null ? 'with such an id' : named);

/** A platform key names one tenant in an input and another one, `tenantId`, in the header. */
export function otherThanHeader(tenantId: number, path: Path): ApiError {
  const detail = `must be ${globalId('Tenant', tenantId)}, as the header Hookwright-Tenant says, or be left out`;
  return invalidInput([{ path, code: 'contradiction', detail }]);
}
