import { createHmac, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { ENVELOPE_KEY_BYTES, ENVELOPE_NONCE_BYTES, open, seal } from '../../domain/signing/envelope.js';
import { keyPairOf, SEED_BYTES } from '../../domain/signing/key-pair.js';
import type { HasPool } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import type { EncryptionKey } from '../../platform/settings/config.js';
import { Remembered } from '../rows/remembered.js';

const CACHED_TENANTS_MAX = 10_000;
const HMAC_KEY_BYTES = 32;

/** A key pair that no row has yet. Its private half is sealed. */
export interface NewSigningKey {
  kid: string;
  publicKey: Buffer;
  sealed: Buffer;
}

/** A tenant's data key as its row has it: encrypted by the key dataKeyKid. */
interface WrappedDataKey {
  dataKey: Buffer;
  dataKeyKid: string;
}

export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
}

/**
 * Keeps secrets of webhooks and private keys of tenants unreadable in the database: AES-256-GCM with a data key per
 * tenant, which is wrapped by a key of `ENCRYPTION_KEYS`. Each value is bound to its row, so it does not open in
 * another tenant's, webhook's or field's.
 */
export class SecretVault {
  readonly #pool: pg.Pool;
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #current: EncryptionKey;
  readonly #dataKeys = new Remembered<number, Buffer>(CACHED_TENANTS_MAX);

  /** @param keys the first one encrypts, all of them decrypt; at least one */
  constructor(db: HasPool, keys: readonly EncryptionKey[]) {
    const [current] = keys;
    if (current === undefined) {
      throw new Error('No encryption key is set: ENCRYPTION_KEYS needs at least one.');
    }
    this.#pool = db.pool;
    this.#current = current;
    this.#keys = new Map(keys.map(({ kid, key }) => [kid, key]));
  }

  /** A new data key for a tenant, wrapped for its row; `seal` seals secrets with it before the row has it. */
  newDataKey(tenantId: number): {
    wrapped: WrappedDataKey;
    seal(webhookId: number, secret: string): Buffer;
    newSigningKey(): NewSigningKey;
  } {
    const plain = randomBytes(ENVELOPE_KEY_BYTES);
    return {
      wrapped: this.#wrap(tenantId, plain),
      seal: (webhookId, secret) => sealSecret(plain, tenantId, webhookId, secret),
      newSigningKey: () => makeSigningKey(plain, tenantId),
    };
  }

  /** The name of the key that encrypts. */
  get currentKid(): string {
    return this.#current.kid;
  }

  /** The same data key, wrapped by the key that encrypts. @throws SecretUnreadable as `open` */
  rewrap(tenantId: number, wrapped: WrappedDataKey): WrappedDataKey {
    return this.#wrap(tenantId, this.#unwrap(tenantId, wrapped));
  }

  /**
   * Seals a secret with the tenant's current data key, never a remembered one: `hookwright keys give-up` may have
   * replaced that, and a secret sealed with it could not be opened.
   *
   * @param field of the webhook's options; undefined: its signing secret
   * @throws SecretUnreadable as `open`
   */
  async seal(tenantId: number, webhookId: number, secret: string, field?: string): Promise<Buffer> {
    this.#dataKeys.forget(tenantId);
    return sealSecret(await this.#dataKeyOf(tenantId), tenantId, webhookId, secret, field);
  }

  /** @throws SecretUnreadable when the value was damaged or moved, or its key is not among `ENCRYPTION_KEYS` */
  async open(tenantId: number, webhookId: number, sealed: Buffer, field?: string): Promise<string> {
    const dataKey = await this.#dataKeyOf(tenantId);
    return openEnvelope(dataKey, sealed, secretContext(tenantId, webhookId, field)).toString();
  }

  /** A new key pair, sealed as `seal` does it. */
  async newSigningKey(tenantId: number): Promise<NewSigningKey> {
    this.#dataKeys.forget(tenantId);
    return makeSigningKey(await this.#dataKeyOf(tenantId), tenantId);
  }

  /** The private half of a key pair. @throws SecretUnreadable as `open` */
  async openSigningKey(tenantId: number, kid: string, sealed: Buffer): Promise<KeyObject> {
    return keyPairOf(openEnvelope(await this.#dataKeyOf(tenantId), sealed, signingKeyContext(tenantId, kid)))
      .privateKey;
  }

  /** Says whether two texts are the same. Without the tenant's data key nobody can try texts against it. */
  async hmac(tenantId: number, text: string): Promise<Buffer> {
    const key = hkdfSync('sha256', await this.#dataKeyOf(tenantId), '', 'hmac', HMAC_KEY_BYTES);
    return createHmac('sha256', Buffer.from(key)).update(text).digest();
  }

  #dataKeyOf(tenantId: number): Promise<Buffer> {
    return this.#dataKeys.get(tenantId, Number.POSITIVE_INFINITY, () => this.#readDataKey(tenantId));
  }

  async #readDataKey(tenantId: number): Promise<Buffer> {
    const text = `select data_key as "dataKey", data_key_kid as "dataKeyKid" from hookwright.tenants where id = $1`;
    const [wrapped] = await tenantQuery<WrappedDataKey>(this.#pool, tenantId, { text }, [tenantId]);
    if (wrapped === undefined) {
      throw new Error(`Tenant ${tenantId} does not exist.`);
    }
    return this.#unwrap(tenantId, wrapped);
  }

  #wrap(tenantId: number, plain: Buffer): WrappedDataKey {
    const { kid, key } = this.#current;
    const dataKey = seal(key, plain, dataKeyContext(tenantId), randomBytes(ENVELOPE_NONCE_BYTES));
    return { dataKey, dataKeyKid: kid };
  }

  #unwrap(tenantId: number, { dataKey, dataKeyKid }: WrappedDataKey): Buffer {
    const key = this.#keys.get(dataKeyKid);
    if (key === undefined) {
      throw new SecretUnreadable(
        `ENCRYPTION_KEYS has no key named ${dataKeyKid}, which protects the secrets of tenant ${tenantId}.`,
      );
    }
    return openEnvelope(key, dataKey, dataKeyContext(tenantId));
  }
}

function openEnvelope(key: Buffer, sealed: Buffer, context: string): Buffer {
  try {
    return open(key, sealed, context);
  } catch (cause) {
    throw new SecretUnreadable((cause as Error).message, { cause });
  }
}

function sealSecret(dataKey: Buffer, tenantId: number, webhookId: number, secret: string, field?: string): Buffer {
  const context = secretContext(tenantId, webhookId, field);
  return seal(dataKey, Buffer.from(secret), context, randomBytes(ENVELOPE_NONCE_BYTES));
}

function makeSigningKey(dataKey: Buffer, tenantId: number): NewSigningKey {
  const seed = randomBytes(SEED_BYTES);
  const { kid, publicKey } = keyPairOf(seed);
  const sealed = seal(dataKey, seed, signingKeyContext(tenantId, kid), randomBytes(ENVELOPE_NONCE_BYTES));
  return { kid, publicKey, sealed };
}

/** Whether a tenant's data key was wrapped by this encryption key. */
export function opensDataKey(key: Buffer, tenantId: number, wrapped: Buffer): boolean {
  try {
    open(key, wrapped, dataKeyContext(tenantId));
    return true;
  } catch {
    return false;
  }
}

/** Whether a tenant's key pair opens, by this encryption key. */
export function opensSigningKey(
  key: Buffer,
  tenantId: number,
  { dataKey, kid, sealed }: { dataKey: Buffer; kid: string; sealed: Buffer },
): boolean {
  try {
    return (
      keyPairOf(open(open(key, dataKey, dataKeyContext(tenantId)), sealed, signingKeyContext(tenantId, kid))).kid ===
      kid
    );
  } catch {
    return false;
  }
}

const dataKeyContext = (tenantId: number) => `hookwright/data-key/${tenantId}`;
const signingKeyContext = (tenantId: number, kid: string) => `hookwright/signing-key/${tenantId}/${kid}`;
const secretContext = (tenantId: number, webhookId: number, field?: string) =>
  `hookwright/${field === undefined ? 'secret' : `options/${field}`}/${tenantId}/${webhookId}`;
