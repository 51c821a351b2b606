import { HIDDEN } from '../deliveries/redact.js';
import { authHeaderName, authHeaderValue, type StoredAuth } from './auth.js';
import { isSecret, type StoredHeaders, sentAs } from './headers.js';
import { heldValue } from './held.js';

interface OwnHeaders {
  headers: StoredHeaders | null;
  auth: StoredAuth | null;
}

const headersFrom = ({ headers, auth }: OwnHeaders, hidden: string | null): Record<string, string> =>
  Object.fromEntries([
    ...Object.entries(headers ?? {}).map(([name, header]) => [
      sentAs(name),
      isSecret(header) ? (hidden ?? heldValue(header)) : header.value,
    ]),
    ...(auth === null ? [] : [[authHeaderName(auth), hidden ?? authHeaderValue(auth, heldValue(auth) as string)]]),
  ]);

/** The headers that a webhook's owner has set, as they are sent. @param settings whose secrets are open */
export const sentHeadersOf = (settings: OwnHeaders) => headersFrom(settings, null);

/** The same without their secrets. */
export const shownHeadersOf = (settings: OwnHeaders) => headersFrom(settings, HIDDEN);
