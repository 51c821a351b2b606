import { HIDDEN } from '../deliveries/redact.js';
import { authHeaderName, authHeaderValue, isFixedAuth, type StoredAuth } from './auth.js';
import { isSecret, type StoredHeaders, sentAs } from './headers.js';
import { heldValue } from './held.js';

interface OwnHeaders {
  headers: StoredHeaders | null;
  auth: StoredAuth | null;
}

const headersFrom = (headers: StoredHeaders | null, hidden: string | null): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, header]) => [
      sentAs(name),
      isSecret(header) ? (hidden ?? (heldValue(header) as string)) : header.value,
    ]),
  );

/** The headers that a webhook's owner has set, as they are sent, but for a token. @param settings have open secrets */
export const sentHeadersOf = ({ headers, auth }: OwnHeaders): Record<string, string> => ({
  ...headersFrom(headers, null),
  ...(auth !== null && isFixedAuth(auth)
    ? { [authHeaderName(auth)]: authHeaderValue(auth, heldValue(auth) as string) }
    : {}),
});

/** The same, and that of a token, without their secrets. */
export const shownHeadersOf = ({ headers, auth }: OwnHeaders): Record<string, string> => ({
  ...headersFrom(headers, HIDDEN),
  ...(auth === null ? {} : { [authHeaderName(auth)]: HIDDEN }),
});
