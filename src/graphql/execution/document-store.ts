import { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';
import type { DocumentNode } from 'graphql';

/** What a document takes in memory, measured: graphql-js remembers the place of each token in the text. */
const BYTES_PER_TOKEN = 500;
const BYTES_PER_DOCUMENT = 2_000;
/** Some 800 documents of the usual size. */
const DOCUMENTS_BYTES_MAX = 30 * 1_048_576;

/**
 * The documents that fit the schema and break no limit. Parsing and judging one takes far longer than most requests,
 * and producers and dashboards send the same few over and over. Those used last are kept.
 */
export const documentStore = (bytesMax = DOCUMENTS_BYTES_MAX): InMemoryLRUCache<DocumentNode> =>
  new InMemoryLRUCache({ maxSize: bytesMax, sizeCalculation: bytesOf });

/** @returns about how many bytes a document takes in memory */
export function bytesOf(document: DocumentNode): number {
  const { loc, tokenCount = loc?.source.body.length ?? 0 } = document as DocumentNode & { tokenCount?: number };
  return BYTES_PER_DOCUMENT + BYTES_PER_TOKEN * tokenCount + (loc?.source.body.length ?? 0);
}
