import { Extensions } from 'type-graphql';

/** A field with a text of this many bytes costs as much as a hundred objects. */
export const PAYLOAD_BYTES = 262_144;
export const PAYLOAD_COST = 100;
/** The cost of a field with a schema of up to 64 KiB, or a sample of it. */
export const SCHEMA_COST = 25;
/** The cost of a field with the body or the headers of an answer, up to 16 KiB. */
export const KEPT_ANSWER_COST = 10;
/** The cost of a field with the headers of a request, less than 1 KiB. */
export const HEADERS_COST = 1;

/** The cost of judging up to 1,000 events and the options of all webhooks. */
export const IMPACT_COST = 1_000;

/** The cost of statistics: up to 1,500 buckets, of which the database reads a hundred in the time of an object. */
export const STATS_COST = 15;

/** The extension of a field with the greatest length of its list. */
export const LIST_LENGTH = 'listLength';

/** Declares the greatest length of a list that may be longer than ten. */
export const mayHold = (length: number) => Extensions({ [LIST_LENGTH]: length });
