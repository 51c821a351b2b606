import { BoundedMap } from '../../src/domain/bounded-map.js';
import { type DeliveryRequest, deliveryRequest, type SigningKeySet } from '../../src/domain/delivery-request.js';
import { secretKeys } from '../../src/domain/signing/secret.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import type { SecretVault } from '../../src/operations/secrets/secret-vault.js';
import { USER_AGENT } from '../../src/platform/node/version.js';
import type { Config } from '../../src/platform/settings/config.js';

const CACHED_MAX = 10_000;

/** The opened secrets of a webhook, and what they were opened from. */
interface Opened {
  sealed: Buffer;
  previousSealed: Buffer | null;
  keys: SigningKeySet;
}

/**
 * Signs deliveries with their webhooks' keys, which are opened once per secret. Signing with a kept KeyObject costs a
 * quarter of signing with raw bytes, and opening the secret again for each delivery more than both.
 */
export class Signer {
  readonly #opened = new BoundedMap<number, Opened>(CACHED_MAX);

  constructor(
    private readonly vault: SecretVault,
    private readonly options: Pick<Config['delivery'], 'headerPrefix' | 'standardWebhooks'>,
  ) {}

  /** The request of an attempt at this time; null: a secret has to be opened first. */
  signAtOnce(delivery: DueDelivery, at: Date): DeliveryRequest | null {
    const opened = this.#opened.get(delivery.webhookId);
    if (!opened?.sealed.equals(delivery.sealedSecret) || !isEqual(opened.previousSealed, delivery.previousSecret)) {
      return null;
    }
    return this.#request(delivery, opened.keys, at);
  }

  /**
   * Opens the secrets, then does the same as `signAtOnce`.
   *
   * @throws SecretUnreadable when its encryption key is missing, or its row was tampered with
   */
  async sign(delivery: DueDelivery, at: Date): Promise<DeliveryRequest> {
    const { tenantId, webhookId, sealedSecret, previousSecret } = delivery;
    const open = async (sealed: Buffer) => secretKeys(await this.vault.open(tenantId, webhookId, sealed));
    const current = await open(sealedSecret);
    const keys = { current, previous: previousSecret === null ? null : await open(previousSecret) };
    this.#opened.set(webhookId, { sealed: sealedSecret, previousSealed: previousSecret, keys });
    return this.#request(delivery, keys, at);
  }

  #request({ id, eventType, body }: DueDelivery, keys: SigningKeySet, at: Date): DeliveryRequest {
    const { headerPrefix, standardWebhooks } = this.options;
    const userAgent = USER_AGENT;
    return deliveryRequest({ deliveryId: id, eventType, body, keys, at, headerPrefix, standardWebhooks, userAgent });
  }
}

const isEqual = (a: Buffer | null, b: Buffer | null): boolean => (a === null || b === null ? a === b : a.equals(b));
