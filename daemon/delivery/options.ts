import type pg from 'pg';
import { BoundedMap } from '../../src/domain/collections/bounded-map.js';
import { type ContentFormat, defaultsOfFormat } from '../../src/domain/content/formats.js';
import { DEFAULT_METHOD, type DeliveryMethod } from '../../src/domain/deliveries/delivery-method.js';
import { besideOwn } from '../../src/domain/fields/form-headers.js';
import { isReserved } from '../../src/domain/fields/headers.js';
import { secretsOf, withEachSecret } from '../../src/domain/fields/secrets.js';
import { sentHeadersOf, shownHeadersOf } from '../../src/domain/fields/sent-headers.js';
import type { PlannedForm } from '../../src/domain/signing/signature-form.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import {
  readDeliveryOptions,
  type StoredDeliveryOptions,
} from '../../src/operations/attempts/read-delivery-options.js';
import type { SecretVault } from '../../src/operations/secrets/secret-vault.js';
import { BY_KEY } from '../../src/operations/signing-keys/change-signing-keys.js';
import { GroupCommit } from '../../src/platform/database/group-commit.js';
import type { Config } from '../../src/platform/settings/config.js';
import { type Allowed, UNLIMITED } from '../gate/allowance.js';
import type { Delay } from '../gate/not-now.js';

const CACHED_MAX = 10_000;
const BATCH_MAX = 256;
/** The webhook has changed since the delivery was loaded: it is loaded again. */
const LOADED_AGAIN: Delay = { putOffMs: 0 };

/** How an endpoint is called: values of the webhook, its tenant or the installation. Secrets are open. */
export interface DeliveryOptions extends Pick<Defaults, 'timeoutMs' | 'retryDelaysSeconds'> {
  /** The headers that its owner has set, as they are sent; null: there are none. */
  headers: Readonly<Record<string, string>> | null;
  /** The same for people to read: secrets are hidden. */
  shownHeaders: Readonly<Record<string, string>> | null;
  /** How fast, and how often at a time. */
  allowed: Allowed;
  method: DeliveryMethod;
  /** By the key pair of its tenant, besides the secret. */
  isSignedByKey: boolean;
  /** Null: the usual one. */
  format: ContentFormat | null;
  /** The form in which each attempt is signed too, without headers that its owner has set; null: none. */
  compat: PlannedForm | null;
  /** Texts that answers must not keep. */
  secrets: readonly string[];
}

/** A webhook's signature form is none of this daemon's: SIGNATURE_FORMS of another process has it. */
export class FormUnknown extends Error {
  override readonly name = 'FormUnknown';

  constructor(readonly form: string) {
    super(`The signature form ${form} is not in the SIGNATURE_FORMS of this daemon`);
  }
}

type Defaults = Config['deliveryDefaults'];

const NO_HEADERS = { headers: null, shownHeaders: null, secrets: [] };

type Named = Pick<DueDelivery, 'tenantId' | 'webhookId' | 'optionsVersion'>;

/**
 * The delivery options of webhooks, kept by webhook and version. A version never changes its meaning, so a kept one is
 * right however long ago it was read. A delivery of a webhook without options reads and keeps nothing.
 */
export class OptionsOfWebhooks {
  readonly #kept = new BoundedMap<number, { version: number; options: DeliveryOptions }>(CACHED_MAX);
  readonly #headerPrefix: string;
  readonly #forms: Config['delivery']['signatureForms'];
  /** The options of a webhook that has none. */
  readonly #none: DeliveryOptions;
  readonly #reads: GroupCommit<number, StoredDeliveryOptions | null>;

  constructor(
    pool: pg.Pool,
    private readonly vault: Pick<SecretVault, 'open'>,
    { delivery, deliveryDefaults }: Pick<Config, 'delivery' | 'deliveryDefaults'>,
  ) {
    this.#headerPrefix = delivery.headerPrefix;
    this.#forms = delivery.signatureForms;
    const unset = { method: DEFAULT_METHOD, isSignedByKey: false, format: null, compat: null, allowed: UNLIMITED };
    this.#none = { ...deliveryDefaults, ...NO_HEADERS, ...unset };
    this.#reads = new GroupCommit((webhookIds) => readDeliveryOptions(pool, webhookIds), { itemsMax: BATCH_MAX });
  }

  /** Null: they have to be read first. */
  atHand({ webhookId, optionsVersion }: Named): DeliveryOptions | null {
    if (optionsVersion === null) {
      return this.#none;
    }
    const kept = this.#kept.get(webhookId);
    return kept?.version === optionsVersion ? kept.options : null;
  }

  /**
   * Reads those of all deliveries that wait for theirs by one statement.
   *
   * @returns a delay when the webhook has other options meanwhile: these may be for another url
   * @throws SecretUnreadable as the vault's `open`; FormUnknown
   */
  async read(named: Named): Promise<DeliveryOptions | Delay> {
    const row = await this.#reads.runOne(named.webhookId);
    if (row?.version !== named.optionsVersion) {
      return LOADED_AGAIN;
    }
    const options = await this.#opened(named, row);
    this.#kept.set(named.webhookId, { version: row.version, options });
    return options;
  }

  async #opened(named: Named, stored: StoredDeliveryOptions): Promise<DeliveryOptions> {
    const opened = await this.#openHeaders(named, stored);
    return {
      timeoutMs: stored.timeoutMs ?? this.#none.timeoutMs,
      retryDelaysSeconds: stored.retryDelaysSeconds ?? this.#none.retryDelaysSeconds,
      ...opened,
      method: stored.method ?? DEFAULT_METHOD,
      isSignedByKey: stored.signing === BY_KEY,
      format: stored.format,
      compat:
        stored.compat === null ? null : besideOwn(this.#formNamed(stored.compat), Object.keys(opened.headers ?? {})),
      allowed: {
        ratePerSecond: stored.ratePerSecond ?? defaultsOfFormat(stored).ratePerSecond ?? null,
        concurrencyMax: stored.concurrencyMax,
      },
    };
  }

  #formNamed(name: string): PlannedForm {
    const known = this.#forms.get(name);
    if (known === undefined) {
      throw new FormUnknown(name);
    }
    return known.planned;
  }

  async #openHeaders(
    { tenantId, webhookId }: Named,
    stored: StoredDeliveryOptions,
  ): Promise<Pick<DeliveryOptions, 'headers' | 'shownHeaders' | 'secrets'>> {
    // The service's prefix may have become another one since a header was set.
    const sent = Object.entries(stored.headers ?? {}).filter(([name]) => !isReserved(name, this.#headerPrefix));
    const settings = { ...stored, headers: Object.fromEntries(sent) };
    const opened = await withEachSecret(settings, ({ value, sealedAs }) =>
      this.vault.open(tenantId, webhookId, value as Buffer, sealedAs),
    );
    const secrets = secretsOf(opened).flatMap(({ value, forms }) => [value as string, ...forms]);
    const headers = sentHeadersOf(opened as Pick<StoredDeliveryOptions, 'headers' | 'auth'>);
    return Object.keys(headers).length === 0
      ? { ...NO_HEADERS, secrets }
      : { headers, shownHeaders: shownHeadersOf(settings), secrets };
  }
}
