import { isLoopbackUrl } from '../../domain/addresses/target.js';
import { authHeaderName } from '../../domain/fields/auth.js';
import { isSealed } from '../../domain/fields/headers.js';
import type { Webhook } from '../../entities/webhook.js';
import { ApiError, invalidInput, type Path } from '../../errors.js';
import type { SealedSettings } from './settings.js';

/**
 * Requires that the secrets of a webhook go only to the origin that they were set for, and only encrypted: otherwise
 * somebody who may change the url alone could have them sent to a server of their own.
 *
 * @param webhook as it will be, with the row beside
 * @param urlBefore null: it is new
 * @param change the settings that are set now
 * @throws ApiError secrets_bound_to_origin; invalid_input for http, and for two headers of one name
 */
export function requireBoundSecrets(webhook: Webhook, urlBefore: string | null, change: SealedSettings): void {
  const headers = webhook.options?.headers ?? null;
  const auth = webhook.options?.auth ?? null;
  const secrets = Object.entries(headers ?? {}).flatMap(([name, header]) => (isSealed(header) ? [name] : []));
  if (auth !== null && Object.keys(headers ?? {}).some((name) => isSame(name, authHeaderName(auth)))) {
    const detail = `has the header ${authHeaderName(auth)} twice: among its headers, and in auth`;
    throw refused(['delivery'], 'header_repeated', detail);
  }
  if (secrets.length === 0 && auth === null) {
    return;
  }
  const url = new URL(webhook.url);
  if (url.protocol !== 'https:' && !isLoopbackUrl(url)) {
    const detail = 'needs https:// while the webhook has secret headers or auth';
    throw refused([change.url === undefined ? 'delivery' : 'url'], 'auth_needs_https', detail);
  }
  if (urlBefore === null || new URL(urlBefore).origin === url.origin) {
    return;
  }
  const setNow = (change.headers?.set ?? []).map(([name]) => name);
  const kept = [
    ...secrets.filter((name) => !setNow.includes(name)),
    ...(auth === null || change.auth !== undefined ? [] : ['auth']),
  ];
  if (kept.length > 0) {
    throw new ApiError(
      'secrets_bound_to_origin',
      `The webhook has secrets for ${new URL(urlBefore).origin}: ${kept.join(', ')}. Set them again in the same ` +
        'request, or remove them, to move it to another origin.',
    );
  }
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

const refused = (path: Path, code: string, detail: string) =>
  invalidInput([{ path: ['input', ...path], code, detail }]);
