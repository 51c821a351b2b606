import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { EncryptionKey } from '../config.js';
import type { Database } from '../database.js';
import { ENVELOPE_KEY_BYTES, ENVELOPE_NONCE_BYTES, open, seal } from '../domain/envelope.js';

const CACHED_TENANTS_MAX = 10_000;

/**
 * Keeps webhook secrets unreadable in the database: AES-256-GCM with a data key per tenant, which is itself wrapped
 * by a key-encryption key from `ENCRYPTION_KEYS`. Each is bound to its place, so that a value moved to another
 * tenant's or webhook's row does not open.
 */
export class SecretVault {
  readonly #pool: pg.Pool;
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #current: EncryptionKey;
  readonly #dataKeys = new Map<number, Promise<Buffer>>();

  /** @param keys the first one encrypts, all of them decrypt; at least one */
  constructor(db: Pick<Database, 'pool'>, keys: readonly EncryptionKey[]) {
    const [current] = keys;
    if (current === undefined) {
      throw new Error('No encryption key is set: ENCRYPTION_KEYS needs at least one.');
    }
    this.#pool = db.pool;
    this.#current = current;
    this.#keys = new Map(keys.map(({ kid, key }) => [kid, key]));
  }

  /** A fresh data key for a tenant that is being made, wrapped for its row. */
  newDataKey(tenantId: number): { dataKey: Buffer; dataKeyKid: string } {
    const { kid, key } = this.#current;
    const dataKey = seal(
      key,
      randomBytes(ENVELOPE_KEY_BYTES),
      dataKeyPlace(tenantId),
      randomBytes(ENVELOPE_NONCE_BYTES),
    );
    return { dataKey, dataKeyKid: kid };
  }

  async seal(tenantId: number, webhookId: number, secret: string): Promise<Buffer> {
    const dataKey = await this.#dataKeyOf(tenantId);
    return seal(
      dataKey,
      Buffer.from(secret),
      secretPlace(tenantId, webhookId),
      randomBytes(ENVELOPE_NONCE_BYTES),
    );
  }

  /** @throws Error when the value was damaged or moved, or its key is not among `ENCRYPTION_KEYS` */
  async open(tenantId: number, webhookId: number, sealed: Buffer): Promise<string> {
    const dataKey = await this.#dataKeyOf(tenantId);
    return open(dataKey, sealed, secretPlace(tenantId, webhookId)).toString();
  }

  #dataKeyOf(tenantId: number): Promise<Buffer> {
    const known = this.#dataKeys.get(tenantId);
    if (known !== undefined) {
      return known;
    }
    if (this.#dataKeys.size >= CACHED_TENANTS_MAX) {
      this.#dataKeys.clear();
    }
    const reading = this.#readDataKey(tenantId);
    this.#dataKeys.set(tenantId, reading);
    reading.catch(() => this.#dataKeys.delete(tenantId)); // a database that was away must not stay away for us
    return reading;
  }

  async #readDataKey(tenantId: number): Promise<Buffer> {
    const { rows } = await this.#pool.query<{ data_key: Buffer; data_key_kid: string }>(
      'select data_key, data_key_kid from hookwright.tenants where id = $1',
      [tenantId],
    );
    const [row] = rows;
    if (row === undefined) {
      throw new Error(`Tenant ${tenantId} does not exist.`);
    }
    const key = this.#keys.get(row.data_key_kid);
    if (key === undefined) {
      throw new Error(
        `ENCRYPTION_KEYS has no key named ${row.data_key_kid}, which protects the secrets of tenant ${tenantId}.`,
      );
    }
    return open(key, row.data_key, dataKeyPlace(tenantId));
  }
}

const dataKeyPlace = (tenantId: number) => `hookwright/data-key/${tenantId}`;
const secretPlace = (tenantId: number, webhookId: number) => `hookwright/secret/${tenantId}/${webhookId}`;
