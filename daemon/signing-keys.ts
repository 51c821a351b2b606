import { type SecretKeys, secretKeys } from '../src/domain/secret.js';
import type { DueDelivery } from '../src/operations/load-deliveries.js';
import type { SecretVault } from '../src/operations/secrets.js';

const CACHED_MAX = 10_000;

/**
 * The keys that webhooks' deliveries are signed with, opened once per secret. Signing with a kept KeyObject costs a
 * quarter of signing with raw bytes, and opening the secret anew for each delivery more than both.
 */
export class SigningKeys {
  readonly #opened = new Map<number, { sealed: Buffer; keys: SecretKeys }>();

  constructor(private readonly vault: SecretVault) {}

  /** @throws Error when the secret cannot be opened: its encryption key is missing, or its row was tampered with */
  async of({ tenantId, webhookId, sealedSecret }: DueDelivery): Promise<SecretKeys> {
    const known = this.#opened.get(webhookId);
    if (known?.sealed.equals(sealedSecret)) {
      return known.keys;
    }
    const keys = secretKeys(await this.vault.open(tenantId, webhookId, sealedSecret));
    if (this.#opened.size >= CACHED_MAX) {
      this.#opened.clear();
    }
    this.#opened.set(webhookId, { sealed: sealedSecret, keys });
    return keys;
  }
}
