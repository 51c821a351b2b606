import { InvalidArgumentError } from 'commander';
import { EXTERNAL_ID_RULE, isExternalId, markedExternalId } from '../domain/ids/external-id.js';
import { positiveInteger } from './developer/options/numbers.js';

/** How a command names a tenant: by its number, or by its external id. */
export type TenantNamed = number | string;

/** Reads the number of a tenant, or `ext:` and its external id. */
export function tenantNamed(text: string): TenantNamed {
  try {
    return markedExternalId(text) ?? positiveInteger(text);
  } catch {
    throw new InvalidArgumentError('It must be the number of a tenant, or ext: and its external id.');
  }
}

/** Reads a limit of a tenant. @returns null for `none`: the value of the installation */
export function limitNamed(text: string): number | null {
  return text === 'none' ? null : positiveInteger(text);
}

/** Reads an external id, as it is, without `ext:`. */
export function externalId(text: string): string {
  if (!isExternalId(text)) {
    throw new InvalidArgumentError(`It must be ${EXTERNAL_ID_RULE}.`);
  }
  return text;
}
