import { heldOf, heldValue } from '../../domain/fields/held.js';
import { firstEndOf, hasKey, type StoredTls, shownTls, type TlsChange } from '../../domain/fields/tls.js';
import { formatTimestamp } from '../../domain/text/timestamp.js';
import type { Webhook } from '../../entities/webhook.js';
import { refusedInput } from '../../errors.js';

/**
 * The TLS after a change: what the change leaves out stays, so that a renewal of the certificate keeps the authorities.
 *
 * @returns null: nothing is left
 * @throws ApiError invalid_input if certificate and key do not fit
 */
export function mergeTls(before: StoredTls | null, change: TlsChange): StoredTls | null {
  const { ca = before?.ca ?? null } = change;
  const client = mergeClient(before?.client ?? null, change.client);
  return ca === null && client === null ? null : { ca, client };
}

/** A certificate without a key keeps the key that is there, and a key without a certificate the certificate. */
function mergeClient(kept: StoredTls['client'], client: TlsChange['client']): StoredTls['client'] {
  if (client == null) {
    return client === undefined ? kept : null;
  }
  if (!hasKey(client)) {
    if (kept?.keyHash !== client.keyHash) {
      const detail = `is required: the webhook has ${kept === null ? 'no key' : 'the key of another certificate'}`;
      throw refusedInput([...TLS, 'clientKeyPem'], 'required', detail);
    }
    return { ...client, ...heldOf(heldValue(kept)) };
  }
  if ('pem' in client) {
    return client;
  }
  if (kept === null) {
    throw refusedInput([...TLS, 'clientCertificatePem'], 'required', 'is required: the webhook has no certificate');
  }
  if (kept.keyHash !== client.keyHash) {
    const detail = 'is not the key of the certificate that the webhook has';
    throw refusedInput([...TLS, 'clientKeyPem'], 'certificate_key_mismatch', detail);
  }
  return { ...kept, ...heldOf(heldValue(client)) };
}

/** Names and ends. */
export const auditedTls = (tls: StoredTls) =>
  Object.fromEntries(
    Object.entries(shownTls(tls)!).map(([name, part]) => [
      name,
      part && { ...part, endsAt: formatTimestamp(part.endsAt) },
    ]),
  );

export const tlsColumns = (tls: StoredTls | null) => ({ certificateEndsAt: tls && firstEndOf(tls) });

/**
 * Requires that there is a connection for the certificates: http has none.
 *
 * @throws ApiError invalid_input
 */
export function requireTlsUrl({ url, options }: Pick<Webhook, 'url' | 'options'>, change: { url?: unknown }): void {
  if (options?.tls != null && new URL(url).protocol !== 'https:') {
    const detail = 'needs https:// while the webhook has `delivery.tls`';
    throw refusedInput(change.url === undefined ? ['delivery', 'tls'] : ['url'], 'tls_needs_https', detail);
  }
}

const TLS = ['delivery', 'tls'] as const;
