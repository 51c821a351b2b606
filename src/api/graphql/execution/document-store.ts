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
