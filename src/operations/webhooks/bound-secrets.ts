import { isLoopbackUrl } from '../../domain/addresses/target.js';
import { authHeaderName } from '../../domain/fields/auth.js';
import type { Fields } from '../../domain/fields/field.js';
import { isSameHeader } from '../../domain/fields/headers.js';
import { type HeldSecret, secretsOf } from '../../domain/fields/secrets.js';
import { webhookFields } from '../../domain/fields/webhook-fields.js';
import type { Webhook } from '../../entities/webhook.js';
import { ApiError, invalidInput, type Path } from '../../errors.js';
import type { SealedHeaderChange } from './header-settings.js';
import type { SealedSettings } from './settings.js';

type Values = Readonly<Record<string, unknown>>;

/**
 * Requires that the secrets of a webhook go only to the origin that they were set for, and only encrypted: otherwise
 * somebody who may change the url alone could have them sent to a server of their own.
 *
 * @param webhook as it will be, with its options row
 * @param urlBefore null: it is new
 * @param change the settings that are set now
 * @param fields say which values are secrets
 * @throws ApiError secrets_bound_to_origin; invalid_input for http, and for two headers of one name
 */
export function requireBoundSecrets(
  webhook: Pick<Webhook, 'url' | 'options'>,
  urlBefore: string | null,
  change: SealedSettings,
  fields: Fields = webhookFields,
): void {
  requireDifferentHeaders(webhook);
  const stored = (name: string) => (webhook.options as Values | null)?.[name] ?? (webhook as unknown as Values)[name];
  const secrets = secretsOf(fields, stored);
  if (secrets.length === 0) {
    return;
  }
  const url = new URL(webhook.url);
  if (url.protocol !== 'https:' && !isLoopbackUrl(url)) {
    const detail = `needs https:// while the webhook has secrets: ${namesOf(secrets)}`;
    throw refused([change.url === undefined ? secrets[0]!.group : 'url'], 'auth_needs_https', detail);
  }
  if (urlBefore === null || new URL(urlBefore).origin === url.origin) {
    return;
  }
  const kept = secrets.filter((secret) => !isSetBy(change, secret));
  if (kept.length > 0) {
    throw new ApiError(
      'secrets_bound_to_origin',
      `The webhook has secrets for ${new URL(urlBefore).origin}: ${namesOf(kept)}. Set them again in the same ` +
        'request, or remove them, to move it to another origin.',
    );
  }
}

function requireDifferentHeaders({ options }: Pick<Webhook, 'options'>): void {
  const { headers, auth } = options ?? {};
  const name = auth == null ? null : authHeaderName(auth);
  if (name !== null && Object.keys(headers ?? {}).some((one) => isSameHeader(one, name))) {
    throw refused(['delivery'], 'header_repeated', `has the header ${name} twice: among its headers, and in auth`);
  }
}

function isSetBy(change: SealedSettings, { field, header }: HeldSecret): boolean {
  const value = (change as Values)[field];
  return header === null
    ? value !== undefined
    : ((value ?? null) as SealedHeaderChange | null)?.set.some(([name]) => name === header) === true;
}

const namesOf = (secrets: readonly HeldSecret[]) => secrets.map(({ field, header }) => header ?? field).join(', ');

const refused = (path: Path, code: string, detail: string) =>
  invalidInput([{ path: ['input', ...path], code, detail }]);
