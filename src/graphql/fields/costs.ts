import { Extensions } from 'type-graphql';

/** What a field costs by its longest text: a hundred objects for this many bytes. */
export const PAYLOAD_BYTES = 262_144;
/** Of fields that hold a whole payload. */
export const PAYLOAD_COST = 100;
/** Of fields that hold a schema, of 64 KiB, or what is made from it. */
export const SCHEMA_COST = 25;
/** Of fields that hold what is kept of an answer: 16 KiB of its body, or of its headers. */
export const KEPT_ANSWER_COST = 10;
/** Of fields that hold the headers of a request, which are ours: less than 1 KiB. */
export const HEADERS_COST = 1;

/** Of statistics: up to 1,500 buckets are summed up, of which the database reads a hundred in the time of an object. */
export const STATS_COST = 15;

/** Where the schema has how much a list may hold. */
export const LIST_LENGTH = 'listLength';

/** Stands on a list that may hold more than ten: the most that it ever holds. */
export const mayHold = (length: number) => Extensions({ [LIST_LENGTH]: length });
