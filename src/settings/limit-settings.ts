import { setting, whole } from './setting.js';

const range = (min: number, max: number, fallback: number, meaning: string) =>
  setting(whole(min, max, fallback), `${min} to ${max}`, meaning);

/** The greatest PAYLOAD_DEPTH_MAX. No payload is deeper, also of events that were accepted with another setting. */
export const PAYLOAD_LEVELS_MAX = 500;

/** The greatest EVENTS_PER_REQUEST_MAX. */
export const EVENTS_PER_REQUEST_MOST = 100;

/**
 * The limits of a single request to the API, for every key.
 */
export const limitSettings = {
  REST_BODY_BYTES_MAX: range(1024, 1_048_576, 65_536, 'The longest body of a REST request, in bytes.'),
  GRAPHQL_BODY_BYTES_MAX: range(
    65_536,
    67_108_864,
    4_194_304,
    'The longest body of a GraphQL request, in bytes. It contains the payloads of emitted events.',
  ),
  GRAPHQL_DOCUMENT_CHARS_MAX: range(
    2048,
    1_048_576,
    65_536,
    'The longest GraphQL document, in characters. Longer payloads go into variables.',
  ),
  GRAPHQL_TOKENS_MAX: range(500, 20_000, 2000, 'The most tokens in a GraphQL document.'),
  GRAPHQL_DEPTH_MAX: range(
    6,
    50,
    12,
    'The deepest nesting of fields in a GraphQL operation. Introspection has another limit.',
  ),
  GRAPHQL_ALIASES_MAX: range(
    0,
    500,
    15,
    'The most aliases in a GraphQL operation, and the most repeated fields in a GraphQL document.',
  ),
  GRAPHQL_ROOT_FIELDS_MAX: range(1, 500, 20, 'The most root fields of a GraphQL operation.'),
  GRAPHQL_FRAGMENTS_MAX: range(3, 500, 50, 'The most fragments (also inline) and operations in a GraphQL document.'),
  GRAPHQL_DIRECTIVES_MAX: range(0, 500, 50, 'The most directives in a GraphQL document.'),
  GRAPHQL_COST_MAX: range(
    100,
    1_000_000,
    15_000,
    'The most objects that a GraphQL operation may read, counted by its page sizes; sizes of nested lists multiply.',
  ),
  GRAPHQL_ANSWER_BYTES_MAX: range(
    4_194_304,
    67_108_864,
    33_554_432,
    'The most bytes of all long texts in the answer to a GraphQL operation: payloads, schemas and kept answers. A text that is asked for twice counts twice.',
  ),
  SEARCH_TIMEOUT_MS: range(
    10,
    10_000,
    3000,
    'The longest time in the database for a search of deliveries or events, or for statistics, in ms.',
  ),
  PAYLOAD_DEPTH_MAX: range(1, PAYLOAD_LEVELS_MAX, 64, 'The deepest nesting of a payload.'),
  EVENTS_PER_REQUEST_MAX: range(
    1,
    EVENTS_PER_REQUEST_MOST,
    EVENTS_PER_REQUEST_MOST,
    'The most events in one emitEvents.',
  ),
  REQUEST_TIMEOUT_MS: range(
    1000,
    600_000,
    30_000,
    'The longest time to receive a request, in ms. Its headers may take half of it.',
  ),
  IDLE_TIMEOUT_MS: range(
    1000,
    600_000,
    60_000,
    'The longest time without traffic on a connection before it is closed, in ms. Waiting for the database counts.',
  ),
  PIPELINED_REQUESTS_MAX: range(
    1,
    1000,
    32,
    'The most requests in progress on one connection, sent without waiting for answers.',
  ),
  STREAMS_PER_KEY_MAX: range(1, 1000, 10, 'The most open streams of live updates for an API key, in each API process.'),
  STREAMS_PER_TENANT_MAX: range(
    1,
    100_000,
    100,
    'The most open streams of live updates for all API keys of a tenant, in each API process.',
  ),
  STREAMS_MAX: range(1, 100_000, 1000, 'The most open streams of live updates in an API process.'),
} as const;
