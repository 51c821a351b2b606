import type { Scope } from '../../../domain/keys/scopes.js';
import { ApiError } from '../../../errors.js';
import { scopesBeyond } from '../../../operations/keys/create-api-key.js';
import { type Context, callerOf } from '../../context/context.js';

/** Requires that the caller has the scopes. @param what "An API key" @throws ApiError scope_missing */
export function requireGranted(context: Context, scopes: readonly Scope[], what: string): void {
  const beyond = scopesBeyond(callerOf(context).scopes, scopes);
  if (beyond.length > 0) {
    throw new ApiError(
      'scope_missing',
      `${what} can get only scopes of the API key that creates it; this one lacks ${beyond.join(', ')}.`,
    );
  }
}
