import { createHash } from 'node:crypto';
import { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';

/** Beside its characters, of two bytes each: its hash, and its places in two maps. */
const BYTES_PER_TEXT = 700;
const BYTES_MAX = 10 * 1_048_576;

/** SHA-256 in hex, at the end of Apollo's keys. */
const HASH_CHARS = 64;

interface Body {
  query?: unknown;
  extensions?: unknown;
}

/**
 * The texts of documents that may run, for Apollo's automatic persisted queries: those used last are kept. All tenants
 * share them: who knows a hash knows the text, and a text gives no right to run it.
 *
 * Every request makes use of them. Apollo hashes each text that it gets, to find its document, which takes a tenth of
 * the time that an emit has in here; so it gets the hash instead of a text that is known.
 */
export class KnownTexts extends InMemoryLRUCache {
  /** Apollo's keys by texts. */
  readonly #keys: Map<string, string>;

  constructor(bytesMax = BYTES_MAX) {
    const keys = new Map<string, string>();
    super({
      maxSize: bytesMax,
      sizeCalculation: (text) => BYTES_PER_TEXT + 2 * text.length,
      dispose: (text) => keys.delete(text),
    });
    this.#keys = keys;
  }

  override async set(...[key, text, options]: Parameters<InMemoryLRUCache['set']>): Promise<void> {
    await super.set(key, text, options);
    // Not of a text that is longer than all of them may be.
    if ((await this.get(key)) !== undefined) {
      this.#keys.set(text, key);
    }
  }

  /**
   * Adds the hash to a request's body that has a text alone, and takes the text away if it is known. A text that is
   * found counts as used, so that it is still there when Apollo asks for it.
   *
   * @param body of any form
   */
  byHash(body: unknown): unknown {
    const { query, extensions } = (body ?? {}) as Body;
    if (typeof query !== 'string' || query === '' || (extensions !== undefined && extensions !== null)) {
      return body;
    }
    const key = this.#keys.get(query);
    if (key === undefined) {
      return { ...(body as Body), extensions: persisted(createHash('sha256').update(query).digest('hex')) };
    }
    void this.get(key);
    return { ...(body as Body), query: undefined, extensions: persisted(key.slice(-HASH_CHARS)) };
  }
}

const persisted = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });
