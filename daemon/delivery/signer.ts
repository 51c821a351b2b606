import { BoundedMap } from '../../src/domain/collections/bounded-map.js';
import type { SentContent } from '../../src/domain/content/content.js';
import {
  type DeliveryRequest,
  deliveryRequest,
  type SigningKeySet,
} from '../../src/domain/deliveries/delivery-request.js';
import { secretKeys } from '../../src/domain/signing/secret.js';
import { signAs } from '../../src/domain/signing/signature-form.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import type { SecretVault } from '../../src/operations/secrets/secret-vault.js';
import { USER_AGENT } from '../../src/platform/node/version.js';
import type { Config } from '../../src/platform/settings/config.js';
import type { DeliveryOptions } from './options.js';

const CACHED_MAX = 10_000;

type Sealed = Pick<DueDelivery, 'tenantId' | 'webhookId' | 'sealedSecret' | 'previousSecret'>;

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

  /** Null: they have to be opened first. */
  keysAtHand({ webhookId, sealedSecret, previousSecret }: Sealed): SigningKeySet | null {
    const opened = this.#opened.get(webhookId);
    if (!opened?.sealed.equals(sealedSecret) || !isEqual(opened.previousSealed, previousSecret)) {
      return null;
    }
    return opened.keys;
  }

  /** @throws SecretUnreadable when the encryption key is missing, or the row was tampered with */
  async openKeys({ tenantId, webhookId, sealedSecret, previousSecret }: Sealed): Promise<SigningKeySet> {
    const open = async (sealed: Buffer) => secretKeys(await this.vault.open(tenantId, webhookId, sealed));
    const current = await open(sealedSecret);
    const keys = { current, previous: previousSecret === null ? null : await open(previousSecret) };
    this.#opened.set(webhookId, { sealed: sealedSecret, previousSealed: previousSecret, keys });
    return keys;
  }

  /**
   * @param at when the attempt starts
   * @param content what is sent instead of the event's body; undefined: the body
   */
  sign(
    { id, eventType, body }: Pick<DueDelivery, 'id' | 'eventType' | 'body'>,
    { method, headers, compat }: DeliveryOptions,
    keys: SigningKeySet,
    at: Date,
    content?: SentContent,
  ): DeliveryRequest {
    const { headerPrefix, standardWebhooks } = this.options;
    const userAgent = USER_AGENT;
    const request = deliveryRequest({
      deliveryId: id,
      eventType,
      body: content === undefined ? body : content.body,
      keys,
      at,
      headerPrefix,
      standardWebhooks,
      userAgent,
      method,
    });
    if (content !== undefined) {
      Object.assign(request.headers, content.headers);
    }
    if (compat !== null) {
      const timestampSeconds = Math.floor(at.getTime() / 1_000);
      const signed = { id: String(id), type: eventType, timestampSeconds, body: request.body };
      Object.assign(request.headers, signAs(compat, keys, signed));
    }
    if (headers !== null) {
      Object.assign(request.headers, headers);
    }
    return request;
  }
}

const isEqual = (a: Buffer | null, b: Buffer | null): boolean => (a === null || b === null ? a === b : a.equals(b));
