import { BoundedMap } from '../../src/domain/bounded-map.js';
import { type DeliveryRequest, deliveryRequest, type SigningKeySet } from '../../src/domain/delivery-request.js';
import { type SecretKeys, secretKeys } from '../../src/domain/signing/secret.js';
import { USER_AGENT } from '../../src/node/version.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import type { SecretVault } from '../../src/operations/secrets/secret-vault.js';
import type { Config } from '../../src/settings/config.js';

const CACHED_MAX = 10_000;

/**
 * Signs deliveries with their webhooks' keys, which are opened once per secret. Signing with a kept KeyObject costs a
 * quarter of signing with raw bytes, and opening the secret again for each delivery more than both.
 */
export class Signer {
  readonly #current = new OpenedSecrets();
  readonly #previous = new OpenedSecrets();

  constructor(
    private readonly vault: SecretVault,
    private readonly options: Pick<Config['delivery'], 'headerPrefix' | 'standardWebhooks'>,
  ) {}

  /** The request of an attempt at this time. Null: a secret has to be opened first. */
  signAtOnce(delivery: DueDelivery, at: Date): DeliveryRequest | null {
    const keys = this.#known(delivery);
    return keys === null ? null : this.#request(delivery, keys, at);
  }

  /**
   * The request of an attempt at this time.
   *
   * @throws SecretUnreadable when its encryption key is missing, or its row was tampered with
   */
  async sign(delivery: DueDelivery, at: Date): Promise<DeliveryRequest> {
    return this.#request(delivery, await this.#open(delivery), at);
  }

  #request({ id, eventType, body }: DueDelivery, keys: SigningKeySet, at: Date): DeliveryRequest {
    const { headerPrefix, standardWebhooks } = this.options;
    return deliveryRequest({
      deliveryId: id,
      eventType,
      body,
      keys,
      at,
      headerPrefix,
      standardWebhooks,
      userAgent: USER_AGENT,
    });
  }

  #known({ webhookId, sealedSecret, previousSecret }: DueDelivery): SigningKeySet | null {
    const current = this.#current.get(webhookId, sealedSecret);
    if (current === undefined || previousSecret === null) {
      return current === undefined ? null : { current, previous: null };
    }
    const previous = this.#previous.get(webhookId, previousSecret);
    return previous === undefined ? null : { current, previous };
  }

  async #open({ tenantId, webhookId, sealedSecret, previousSecret }: DueDelivery): Promise<SigningKeySet> {
    const open = (sealed: Buffer) => this.vault.open(tenantId, webhookId, sealed);
    const current = await this.#current.getOrOpen(webhookId, sealedSecret, open);
    const previous = previousSecret === null ? null : await this.#previous.getOrOpen(webhookId, previousSecret, open);
    return { current, previous };
  }
}

/** One opened secret for each webhook, for as long as the sealed one is the same. */
class OpenedSecrets {
  readonly #opened = new BoundedMap<number, { sealed: Buffer; keys: SecretKeys }>(CACHED_MAX);

  get(webhookId: number, sealed: Buffer): SecretKeys | undefined {
    const known = this.#opened.get(webhookId);
    return known?.sealed.equals(sealed) ? known.keys : undefined;
  }

  async getOrOpen(webhookId: number, sealed: Buffer, open: (sealed: Buffer) => Promise<string>): Promise<SecretKeys> {
    return this.get(webhookId, sealed) ?? this.#add(webhookId, sealed, await open(sealed));
  }

  #add(webhookId: number, sealed: Buffer, secret: string): SecretKeys {
    const keys = secretKeys(secret);
    this.#opened.set(webhookId, { sealed, keys });
    return keys;
  }
}
