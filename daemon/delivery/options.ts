import { createHash } from 'node:crypto';
import type pg from 'pg';
import { BoundedMap } from '../../src/domain/collections/bounded-map.js';
import { type ContentFormat, defaultsOfFormat } from '../../src/domain/content/formats.js';
import { DEFAULT_METHOD, type DeliveryMethod } from '../../src/domain/deliveries/delivery-method.js';
import { besideOwn } from '../../src/domain/fields/form-headers.js';
import { isReserved } from '../../src/domain/fields/headers.js';
import { heldValue } from '../../src/domain/fields/held.js';
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
import { type Delay, LOADED_AGAIN } from '../gate/not-now.js';
import { type TlsIdentity, tlsIdentity } from '../sending/tls-identity.js';
import type { OAuthClient } from './token-request.js';

const CACHED_MAX = 10_000;
/** TLS contexts are fewer: one takes 42 KB, so 10,000 would take 420 MB. */
const CACHED_TLS_MAX = 500;
const BATCH_MAX = 256;

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
  /** The authorities that its receiver is trusted by, and our certificate; null: the usual ones, and none. */
  tls: TlsIdentity | null;
  /** Where each attempt gets an access token, which `headers` do not have; null: nowhere. */
  oauth2: OAuthClient | null;
  /** Texts that answers must not keep. */
  secrets: readonly string[];
}

/** Stored options, and the same with open secrets; both without headers that are not sent. */
interface Opened {
  settings: StoredDeliveryOptions;
  opened: StoredDeliveryOptions;
}

/** A webhook's signature form is none of this daemon's: SIGNATURE_FORMS of another process has it. */
export class FormUnknown extends Error {
  override readonly name = 'FormUnknown';

  constructor(readonly form: string) {
    super(`The signature form ${form} is not in the SIGNATURE_FORMS of this daemon`);
  }
}

type Defaults = Config['deliveryDefaults'];

const UNSET = {
  method: DEFAULT_METHOD,
  isSignedByKey: false,
  format: null,
  compat: null,
  tls: null,
  allowed: UNLIMITED,
};
const NO_HEADERS = { headers: null, shownHeaders: null, oauth2: null, secrets: [] };

type Named = Pick<DueDelivery, 'tenantId' | 'webhookId' | 'optionsVersion'>;

interface Kept {
  version: number;
  options: DeliveryOptions;
}

/**
 * The delivery options of webhooks, kept by webhook and version. A version never changes its meaning, so a kept one is
 * right however long ago it was read. A delivery of a webhook without options reads and keeps nothing.
 */
export class OptionsOfWebhooks {
  readonly #kept = new BoundedMap<number, Kept>(CACHED_MAX);
  /** Webhooks with TLS of their own; the one that was used last is the newest. */
  readonly #keptWithTls = new BoundedMap<number, Kept>(CACHED_TLS_MAX);
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
    this.#none = { ...deliveryDefaults, ...NO_HEADERS, ...UNSET };
    this.#reads = new GroupCommit((webhookIds) => readDeliveryOptions(pool, webhookIds), { itemsMax: BATCH_MAX });
  }

  /** Null: they have to be read first. */
  atHand({ webhookId, optionsVersion }: Named): DeliveryOptions | null {
    if (optionsVersion === null) {
      return this.#none;
    }
    const kept = this.#kept.get(webhookId) ?? this.#withTls(webhookId);
    return kept?.version === optionsVersion ? kept.options : null;
  }

  #withTls(webhookId: number): Kept | undefined {
    const kept = this.#keptWithTls.get(webhookId);
    if (kept !== undefined) {
      this.#keptWithTls.renew(webhookId, kept);
    }
    return kept;
  }

  /**
   * Reads those of all deliveries that wait for theirs by one statement.
   *
   * @returns a delay when the webhook has other options meanwhile: these may be for another url
   * @throws SecretUnreadable as the vault's `open`; FormUnknown; TlsUnusable
   */
  async read(named: Named): Promise<DeliveryOptions | Delay> {
    const row = await this.#reads.runOne(named.webhookId);
    if (row?.version !== named.optionsVersion) {
      return LOADED_AGAIN;
    }
    const opened = await this.#open(named, row);
    // Deliveries that waited beside this one share what the first has made: a TLS context takes 0.3 ms.
    return this.atHand(named) ?? this.#keep(named.webhookId, row.version, this.#made(row, opened));
  }

  #keep(webhookId: number, version: number, options: DeliveryOptions): DeliveryOptions {
    const [map, other] = options.tls === null ? [this.#kept, this.#keptWithTls] : [this.#keptWithTls, this.#kept];
    other.delete(webhookId);
    map.set(webhookId, { version, options });
    return options;
  }

  /** Opens the secrets. */
  async #open({ tenantId, webhookId }: Named, stored: StoredDeliveryOptions): Promise<Opened> {
    // The service's prefix may have become another one since a header was set.
    const sent = Object.entries(stored.headers ?? {}).filter(([name]) => !isReserved(name, this.#headerPrefix));
    const settings = { ...stored, headers: Object.fromEntries(sent) };
    const opened = await withEachSecret(settings, ({ value, sealedAs }) =>
      this.vault.open(tenantId, webhookId, value as Buffer, sealedAs),
    );
    return { settings, opened: opened as unknown as StoredDeliveryOptions };
  }

  #made(stored: StoredDeliveryOptions, opened: Opened): DeliveryOptions {
    const headers = headersOf(opened);
    return {
      timeoutMs: stored.timeoutMs ?? this.#none.timeoutMs,
      retryDelaysSeconds: stored.retryDelaysSeconds ?? this.#none.retryDelaysSeconds,
      ...headers,
      method: stored.method ?? DEFAULT_METHOD,
      isSignedByKey: stored.signing === BY_KEY,
      format: stored.format,
      compat:
        stored.compat === null
          ? null
          : besideOwn(this.#formNamed(stored.compat), Object.keys(headers.shownHeaders ?? {})),
      tls: tlsOf(stored, opened),
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
}

function headersOf({
  settings,
  opened,
}: Opened): Pick<DeliveryOptions, 'headers' | 'shownHeaders' | 'oauth2' | 'secrets'> {
  const secrets = secretsOf({ ...opened }).flatMap(({ value, forms }) => [value as string, ...forms]);
  const shownHeaders = shownHeadersOf(settings);
  return Object.keys(shownHeaders).length === 0
    ? { ...NO_HEADERS, secrets }
    : { headers: sentHeadersOf(opened), shownHeaders, oauth2: clientOf(settings.auth, opened.auth), secrets };
}

function tlsOf({ webhookId, version }: StoredDeliveryOptions, { opened: { tls } }: Opened): TlsIdentity | null {
  if (!tls) {
    return null;
  }
  const { ca, client } = tls;
  const key = client === null ? undefined : (heldValue(client) as string);
  return tlsIdentity(webhookId, version, { ca: ca?.pem, cert: client?.pem, key });
}

/** @param opened whose secret is open */
function clientOf(auth: StoredDeliveryOptions['auth'], opened: StoredDeliveryOptions['auth']): OAuthClient | null {
  if (auth?.kind !== 'OAUTH2' || opened?.kind !== 'OAUTH2') {
    return null;
  }
  const { tokenUrl, clientId, scope, audience, clientAuth } = opened;
  const parts = { tokenUrl, clientId, scope, audience, clientAuth };
  // The sealed secret, which differs each time it is set: a digest of the open one would give away a weak secret.
  const marked = JSON.stringify([...Object.values(parts), heldValue(auth)]);
  const mark = createHash('sha256').update(marked).digest('base64url');
  return { ...parts, clientSecret: heldValue(opened) as string, mark };
}
