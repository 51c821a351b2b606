import { createHash } from 'node:crypto';
import { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';
import type { DocumentNode } from 'graphql';

/** Measured: graphql-js keeps an object for each token. */
const BYTES_PER_TOKEN = 500;
const BYTES_PER_DOCUMENT = 2_000;
/** Some 800 documents of the usual size. */
const DOCUMENTS_BYTES_MAX = 30 * 1_048_576;

/** Keeps validated documents, least recently used dropped first: parsing one takes longer than most requests. */
export const documentStore = () =>
  new InMemoryLRUCache<DocumentNode>({ maxSize: DOCUMENTS_BYTES_MAX, sizeCalculation: bytesOf });

export function bytesOf(document: DocumentNode): number {
  const { loc, tokenCount = loc?.source.body.length ?? 0 } = document as DocumentNode & { tokenCount?: number };
  return BYTES_PER_DOCUMENT + BYTES_PER_TOKEN * tokenCount + (loc?.source.body.length ?? 0);
}

/** The memory of a text besides its characters, which have two bytes each. */
const BYTES_PER_TEXT = 700;
const TEXTS_BYTES_MAX = 10 * 1_048_576;

/** Apollo's keys end with the SHA-256 of the text in hex. */
const HASH_CHARS = 64;

/**
 * The cache of Apollo's automatic persisted queries: the texts of documents, least recently used dropped first. Tenants
 * share it, because a text gives nobody a right.
 *
 * Apollo hashes the text of each request to find its document, which is a tenth of the time of an emit. For a known
 * text it gets the hash instead.
 */
export class KnownTexts extends InMemoryLRUCache {
  readonly #keysByText: Map<string, string>;

  constructor(bytesMax = TEXTS_BYTES_MAX) {
    const keysByText = new Map<string, string>();
    super({
      maxSize: bytesMax,
      sizeCalculation: (text) => BYTES_PER_TEXT + 2 * text.length,
      dispose: (text) => keysByText.delete(text),
    });
    this.#keysByText = keysByText;
  }

  override async set(...[key, text, options]: Parameters<InMemoryLRUCache['set']>): Promise<void> {
    await super.set(key, text, options);
    if ((await this.get(key)) !== undefined) {
      this.#keysByText.set(text, key); // unless the text is too long for the cache
    }
  }

  /** Adds the hash to a body, and removes a known text. Marks the text as used, so that Apollo finds it. */
  byHash(body: unknown): unknown {
    const { query, extensions } = (body ?? {}) as { query?: unknown; extensions?: unknown };
    if (typeof query !== 'string' || query === '' || (extensions !== undefined && extensions !== null)) {
      return body;
    }
    const key = this.#keysByText.get(query);
    if (key === undefined) {
      return { ...(body as object), extensions: persisted(createHash('sha256').update(query).digest('hex')) };
    }
    void this.get(key);
    return { ...(body as object), query: undefined, extensions: persisted(key.slice(-HASH_CHARS)) };
  }
}

const persisted = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });
