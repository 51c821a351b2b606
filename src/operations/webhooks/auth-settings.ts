import { type AuthInput, authParts, type StoredAuth } from '../../domain/fields/auth.js';
import { markOf } from '../../domain/fields/headers.js';

/** The field that the envelope of a password, token or key is bound to. */
export const AUTH_SEALED_AS = 'auth';

export async function sealAuth(
  input: AuthInput,
  seal: (value: string, field: string) => Promise<Buffer>,
): Promise<StoredAuth> {
  const { form, secret } = authParts(input);
  return { ...form, ...markOf(secret), sealed: (await seal(secret, AUTH_SEALED_AS)).toString('base64') };
}
