import { isLoopbackUrl } from '../../domain/addresses/target.js';
import { authHeaderName } from '../../domain/fields/auth.js';
import { isSameHeader } from '../../domain/fields/headers.js';
import { type Secret, secretsOf, webhookSecrets } from '../../domain/fields/secrets.js';
import type { Webhook } from '../../entities/webhook.js';
import { ApiError, refusedInput } from '../../errors.js';
import type { SealedSettings } from './settings.js';
import { requireTlsUrl } from './tls-settings.js';

type Values = Readonly<Record<string, unknown>>;

/**
 * Requires that the secrets of a webhook go only to origins that they were set for, and only encrypted: otherwise
 * somebody who may change the url alone could have them sent to a server of their own.
 *
 * @param webhook as it will be, with its options row
 * @param before the settings before, as far as they change; null: the webhook is new
 * @param change the settings that are set now
 * @param fields may hold secrets
 * @throws ApiError secrets_bound_to_origin; invalid_input for http, also with settings of TLS, and
 *   for two headers of one name
 */
export function requireBoundSecrets(
  webhook: Pick<Webhook, 'url' | 'options'>,
  before: Values | null,
  change: SealedSettings,
  fields = webhookSecrets,
): void {
  requireDifferentHeaders(webhook);
  requireTlsUrl(webhook, change);
  const { url, options } = webhook;
  const values = { ...Object.fromEntries(fields.map(({ name }) => [name, (options as Values | null)?.[name]])), url };
  const secrets = secretsOf(values, fields);
  const unencrypted = secrets.find(({ addresses }) => !addresses.every(isEncrypted));
  if (unencrypted !== undefined) {
    const detail = `needs https:// while the webhook has secrets: ${namesOf(secrets)}`;
    throw refusedInput([change.url === undefined ? unencrypted.place : 'url'], 'auth_needs_https', detail);
  }
  if (before === null) {
    return;
  }
  const set = new Set(secretsOf(change, fields).map(({ sealedAs }) => sealedAs));
  const kept = secrets.filter(({ sealedAs }) => !set.has(sealedAs));
  const were = new Map(
    secretsOf({ ...values, ...before }, fields).map((secret) => [secret.sealedAs, originsOf(secret)]),
  );
  // Place by place: the receiver of a token must not get the client secret, nor the other way round.
  const moved = kept.filter((secret) =>
    originsOf(secret).some((origin, place) => were.get(secret.sealedAs)?.[place] !== origin),
  );
  if (moved.length > 0) {
    const origins = new Set(moved.flatMap(({ sealedAs }) => were.get(sealedAs) ?? []));
    throw new ApiError(
      'secrets_bound_to_origin',
      `The webhook has secrets for ${[...origins].join(', ')}: ${namesOf(moved)}. Set them again in the same ` +
        'request, or remove them, to move it to another origin.',
    );
  }
}

function isEncrypted(address: string): boolean {
  const url = new URL(address);
  return url.protocol === 'https:' || isLoopbackUrl(url);
}

const originsOf = ({ addresses }: Secret) => addresses.map((address) => new URL(address).origin);

function requireDifferentHeaders({ options }: Pick<Webhook, 'options'>): void {
  const { headers, auth } = options ?? {};
  const name = auth == null ? null : authHeaderName(auth);
  if (name !== null && Object.keys(headers ?? {}).some((one) => isSameHeader(one, name))) {
    throw refusedInput(['delivery'], 'header_repeated', `has the header ${name} twice: among its headers, and in auth`);
  }
}

const namesOf = (secrets: readonly Secret[]) => secrets.map(({ name }) => name).join(', ');
