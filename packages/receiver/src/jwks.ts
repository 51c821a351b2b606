import type { Claim } from './claim.js';
import { type Bytes, signedBytes } from './signature.js';

/** In place of secrets: where the service publishes the public keys of its key pairs. */
export interface PublicKeys {
  /** The `jwksUrl` of the tenant's signing keys. */
  jwks: string;
}

/** The public keys cannot be read, and none are at hand. */
export class KeysUnavailableError extends Error {
  override readonly name = 'KeysUnavailableError';
}

interface Key {
  kid: string;
  key: CryptoKey;
}

const ED25519 = { name: 'Ed25519' };
const FETCH_MS_MAX = 5_000;
/** The service sends one. Each costs as much as verifying a body. */
const SIGNATURES_MAX = 4;
/** No request makes another fetch within this time, whatever it claims. */
const PAUSE_MS = 60_000;
/** Until there are keys, every delivery is refused: the pause begins with this, and doubles. */
const FIRST_PAUSE_MS = 1_000;
const KEPT_MS_MAX = 86_400_000;
/** Keys that cannot be read again are used for this long beyond their time. */
const LATE_MS_MAX = 3_600_000;

/** The public keys at an address. They are read once, kept as `max-age` says, and read again where none fits. */
export class KeySet {
  readonly #url: string;
  #keys: Key[] = [];
  #expiresAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #pauseMs = FIRST_PAUSE_MS / 2;
  #asking: Promise<void> | undefined;

  /** @throws TypeError for an address from which somebody on the way could bring other keys */
  constructor(url: string) {
    const { protocol, hostname } = new URL(url);
    const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
    if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback)) {
      throw new TypeError('The address of the public keys must begin with https://');
    }
    this.#url = url;
  }

  /** The `kid` of the key that a claimed signature fits. @throws KeysUnavailableError */
  async fitting({ id, timestamp, signatures }: Claim, body: Bytes): Promise<string | null> {
    const signed = signedBytes(id, timestamp, body);
    const fits = async () => {
      for (const { kid, key } of this.#keys) {
        for (const signature of signatures.slice(0, SIGNATURES_MAX)) {
          if (await crypto.subtle.verify(ED25519, key, bytesOf(signature), signed)) {
            return kid;
          }
        }
      }
      return null;
    };
    await this.#ready();
    return (await fits()) ?? ((await this.#again()) ? await fits() : null);
  }

  async #ready(): Promise<void> {
    const now = performance.now();
    if (now >= this.#expiresAt) {
      await this.#again();
    }
    if (this.#keys.length === 0 || now >= this.#expiresAt + LATE_MS_MAX) {
      throw new KeysUnavailableError('The public keys cannot be read. Is their address right?');
    }
  }

  /** @returns false: they were read a moment ago */
  async #again(): Promise<boolean> {
    if (this.#asking === undefined) {
      const now = performance.now();
      if (now - this.#askedAt < this.#pauseMs) {
        return false;
      }
      this.#askedAt = now;
      this.#pauseMs = Math.min(2 * this.#pauseMs, PAUSE_MS);
      this.#asking = this.#fetch().finally(() => {
        this.#asking = undefined;
      });
    }
    await this.#asking;
    return true;
  }

  /** Any other answer than a good one changes nothing. */
  async #fetch(): Promise<void> {
    try {
      const signal = AbortSignal.timeout(FETCH_MS_MAX);
      const response = await fetch(this.#url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
      const { keys } = (await response.json()) as { keys: JsonWebKey[] };
      const read = await Promise.all(keys.filter(isOurs).map(keyOf));
      if (response.ok && read.length > 0) {
        this.#keys = read;
        this.#pauseMs = PAUSE_MS;
        const seconds = Number(/max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '')?.[1] ?? 0);
        this.#expiresAt = performance.now() + Math.min(Math.max(seconds * 1_000, PAUSE_MS), KEPT_MS_MAX);
      }
    } catch {
      // `#ready` says so where it matters.
    }
  }
}

type OurKey = JsonWebKey & { kid?: string };

const isOurs = ({ kty, crv, x }: JsonWebKey) => kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string';

async function keyOf({ kid = '', x = '' }: OurKey): Promise<Key> {
  const raw = bytesOf(x.replaceAll('-', '+').replaceAll('_', '/'));
  return { kid, key: await crypto.subtle.importKey('raw', raw, ED25519, false, ['verify']) };
}

const bytesOf = (base64: string): Bytes => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

const sets = new Map<string, KeySet>();

/** One for each address, so that `verify` reads its keys once. @throws TypeError as KeySet */
export function keySetOf({ jwks }: PublicKeys): KeySet {
  const known = sets.get(jwks) ?? new KeySet(jwks);
  sets.set(jwks, known);
  return known;
}
