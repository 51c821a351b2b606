import { markedExternalId } from '../../../domain/ids/external-id.js';
import type { Path } from '../../../errors.js';
import { type Context, callerOf } from '../../context/context.js';
import { idOrNull } from './ids.js';

/** How inputs name a tenant, after a description that ends without a full stop. */
export const TENANT_NAMED = ', or `ext:` and its external id';

/**
 * The tenant that an input names by its id, or by `ext:` and its external id.
 *
 * @returns null for a text that names none. The key of a tenant knows the external id of its own tenant alone
 * @throws ApiError invalid_input for the id of another type
 */
export async function tenantIn(context: Context, text: string, path: Path): Promise<number | null> {
  const externalId = markedExternalId(text);
  return externalId === null
    ? idOrNull('Tenant', text, path)
    : context.authenticator.tenantOf(externalId, callerOf(context));
}
