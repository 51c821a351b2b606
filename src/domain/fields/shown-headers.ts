import { HIDDEN } from '../redact.js';
import { type AuthForm, authHeaderName } from './auth.js';
import { isSealed, type StoredHeaders, sentAs } from './headers.js';

/** The headers that a webhook's owner has set, as they are sent, but without their secrets. */
export function shownHeadersOf({ headers, auth }: { headers: StoredHeaders | null; auth: AuthForm | null }) {
  const own = Object.entries(headers ?? {}).map(([name, header]) => [
    sentAs(name),
    isSealed(header) ? HIDDEN : header.value,
  ]);
  const shown: Record<string, string> = Object.fromEntries(own);
  return auth === null ? shown : { ...shown, [authHeaderName(auth)]: HIDDEN };
}
