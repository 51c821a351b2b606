import { type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type pg from 'pg';
import type { DeliveryRequest } from '../../src/domain/deliveries/delivery-request.js';
import { keyEntry, keySignature, keySigned } from '../../src/domain/signing/signature.js';
import { Remembered } from '../../src/operations/rows/remembered.js';
import { SecretUnreadable, type SecretVault } from '../../src/operations/secrets/secret-vault.js';
import { readSealedKeys } from '../../src/operations/signing-keys/read-signing-keys.js';

const CACHED_TENANTS_MAX = 10_000;
/** Less than the time for which a new key is published before it signs (src/domain/signing/key-times.ts). */
const KEPT_MS = 60_000;
/** A longer body is signed in Node's thread pool, which costs no less and leaves the loop to others. */
const IN_LOOP_BYTES_MAX = 16_384;

interface OpenedKey {
  privateKey: KeyObject;
  /** By this process's clock, in ms. */
  usedFromMs: number;
}

const signAside = promisify<null, Buffer, KeyObject, Buffer>(sign);

/** Signs requests by the key pairs of tenants, one at a time: `v1a` in `webhook-signature`. */
export class KeySigner {
  readonly #keys: Remembered<number, OpenedKey[]>;

  /** @param now monotonic, in ms */
  constructor(
    private readonly pool: pg.Pool,
    private readonly vault: Pick<SecretVault, 'openSigningKey'>,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#keys = new Remembered(CACHED_TENANTS_MAX, now);
  }

  /** The key that signs now. @throws SecretUnreadable when there is none, or it cannot be opened */
  async keyOf(tenantId: number): Promise<KeyObject> {
    const keys = await this.#keys.get(tenantId, KEPT_MS, () => this.#read(tenantId));
    const now = this.now();
    const used = keys.find(({ usedFromMs }) => usedFromMs <= now);
    if (used === undefined) {
      this.#keys.forget(tenantId);
      throw new SecretUnreadable(`Tenant ${tenantId} has no key pair that signs.`);
    }
    return used.privateKey;
  }

  async #read(tenantId: number): Promise<OpenedKey[]> {
    const rows = await readSealedKeys(this.pool, tenantId, KEPT_MS);
    const now = this.now();
    return await Promise.all(
      rows.map(async ({ kid, sealed, usedInMs }) => ({
        privateKey: await this.vault.openSigningKey(tenantId, kid, sealed),
        usedFromMs: now + usedInMs,
      })),
    );
  }
}

/** Adds the signature to a request that has the headers of Standard Webhooks. */
export async function addKeySignature({ headers, body }: DeliveryRequest, key: KeyObject): Promise<void> {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': entries } = headers;
  if (id === undefined || timestamp === undefined) {
    return;
  }
  const entry =
    body.length <= IN_LOOP_BYTES_MAX
      ? keySignature(key, id, timestamp, body)
      : keyEntry(await signAside(null, keySigned(id, timestamp, body), key));
  headers['webhook-signature'] = `${entries} ${entry}`;
}
