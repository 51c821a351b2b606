import { HIDDEN } from '../../domain/deliveries/redact.js';
import type { StoredAuth, StoredAuthChange } from '../../domain/fields/auth.js';
import { isKeptClient } from '../../domain/fields/oauth2.js';
import { ApiError, refusedInput } from '../../errors.js';

/**
 * The auth after a change. A client secret that is not sent again stays, for the same client in the same form;
 * requireBoundSecrets judges the origins.
 *
 * @throws ApiError secrets_bound_to_origin; invalid_input where there is none to stay
 */
export function mergeAuth(before: StoredAuth | null, change: StoredAuthChange): StoredAuth {
  if (!isKeptClient(change)) {
    return change;
  }
  const { kept: _, ...form } = change;
  if (before?.kind !== 'OAUTH2') {
    const detail = 'is required: the webhook has no client secret that it could keep';
    throw refusedInput(['delivery', 'auth', 'oauth2', 'clientSecret'], 'required', detail);
  }
  if (form.clientId !== before.clientId || form.clientAuth !== before.clientAuth) {
    const detail =
      'The client secret stays with the client that it was set for: send it again in the same request to change the ' +
      'id of the client, or how it proves who it is.';
    throw new ApiError('secrets_bound_to_origin', detail);
  }
  return { ...before, ...form };
}

/** The audit log has all of OAuth 2 but the client secret, and nothing of other kinds. */
export function auditedAuth(auth: StoredAuth): unknown {
  if (auth.kind !== 'OAUTH2') {
    return HIDDEN;
  }
  const { kind, tokenUrl, clientId, scope, audience, clientAuth } = auth;
  return { kind, tokenUrl, clientId, clientSecret: HIDDEN, scope, audience, clientAuth };
}
