import { globalId } from '../../domain/ids/global-id.js';
import { ApiError, invalidInput, type Path } from '../../errors.js';

/** @param where the part of the request that names the tenant */
export function otherTenant(where: string): ApiError {
  return new ApiError('scope_missing', `An API key acts for its own tenant only; ${where} names another one.`);
}

/** A platform key names one tenant in an input and another one, `tenantId`, in the header. */
export function otherThanHeader(tenantId: number, path: Path): ApiError {
  const detail = `must be ${globalId('Tenant', tenantId)}, as the header Hookwright-Tenant says, or be left out`;
  return invalidInput([{ path, code: 'contradiction', detail }]);
}
