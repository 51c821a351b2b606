import type { SigningKeySet } from '../src/domain/delivery-request.js';
import { type SecretKeys, secretKeys } from '../src/domain/secret.js';
import type { DueDelivery } from '../src/operations/load-deliveries.js';
import type { SecretVault } from '../src/operations/secrets.js';

const CACHED_MAX = 10_000;

type Webhook = Pick<DueDelivery, 'tenantId' | 'webhookId' | 'sealedSecret' | 'previousSecret'>;

/**
 * The keys that webhooks' deliveries are signed with, opened once per secret. Signing with a kept KeyObject costs a
 * quarter of signing with raw bytes, and opening the secret anew for each delivery more than both.
 */
export class SigningKeys {
  readonly #current = new OpenedSecrets();
  readonly #previous = new OpenedSecrets();

  constructor(private readonly vault: SecretVault) {}

  /** @throws Error when a secret cannot be opened: its encryption key is missing, or its row was tampered with */
  async of({ tenantId, webhookId, sealedSecret, previousSecret }: Webhook): Promise<SigningKeySet> {
    const open = (sealed: Buffer) => this.vault.open(tenantId, webhookId, sealed);
    const current =
      this.#current.get(webhookId, sealedSecret) ??
      this.#current.add(webhookId, sealedSecret, await open(sealedSecret));
    if (previousSecret === null) {
      return { current, previous: null };
    }
    const { sealed, expiresAtMs } = previousSecret;
    const keys =
      this.#previous.get(webhookId, sealed) ?? this.#previous.add(webhookId, sealed, await open(sealed));
    return { current, previous: { keys, expiresAtMs } };
  }
}

/** One opened secret for each webhook, for as long as the sealed one is the same. */
class OpenedSecrets {
  readonly #opened = new Map<number, { sealed: Buffer; keys: SecretKeys }>();

  get(webhookId: number, sealed: Buffer): SecretKeys | undefined {
    const known = this.#opened.get(webhookId);
    return known?.sealed.equals(sealed) ? known.keys : undefined;
  }

  add(webhookId: number, sealed: Buffer, secret: string): SecretKeys {
    if (this.#opened.size >= CACHED_MAX) {
      this.#opened.clear();
    }
    const keys = secretKeys(secret);
    this.#opened.set(webhookId, { sealed, keys });
    return keys;
  }
}
