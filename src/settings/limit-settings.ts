import { setting, whole } from './setting.js';

const range = (min: number, max: number, fallback: number, meaning: string) =>
  setting(whole(min, max, fallback), `${min} to ${max}`, meaning);

/** The greatest PAYLOAD_DEPTH_MAX: whatever it was when an event was accepted, its payload is no deeper. */
export const PAYLOAD_LEVELS_MAX = 500;

/** The greatest EVENTS_PER_REQUEST_MAX. */
export const EVENTS_PER_REQUEST_MOST = 100;

/**
 * The limits of a single request to the API, whatever its key: the part of the settings that says how much is too much.
 */
export const limitSettings = {
  REST_BODY_BYTES_MAX: range(1024, 1_048_576, 65_536, 'The longest body of a REST request, in bytes.'),
  GRAPHQL_BODY_BYTES_MAX: range(
    65_536,
    67_108_864,
    4_194_304,
    'The longest body of a GraphQL request, in bytes. It holds the payloads of the events that are emitted.',
  ),
  GRAPHQL_DOCUMENT_CHARS_MAX: range(
    2048,
    1_048_576,
    65_536,
    'The longest GraphQL document, in characters. Longer payloads go into variables.',
  ),
  GRAPHQL_TOKENS_MAX: range(500, 20_000, 2000, 'How many tokens a GraphQL document may have.'),
  GRAPHQL_DEPTH_MAX: range(
    6,
    50,
    12,
    'How deep the fields of a GraphQL operation may be nested. Introspection has a limit of its own.',
  ),
  GRAPHQL_ALIASES_MAX: range(
    0,
    500,
    15,
    'How many aliases a GraphQL operation may have; and how often a GraphQL document may repeat fields.',
  ),
  GRAPHQL_ROOT_FIELDS_MAX: range(1, 500, 20, 'How many fields may stand at the top of a GraphQL operation.'),
  GRAPHQL_FRAGMENTS_MAX: range(
    3,
    500,
    50,
    'How many fragments and operations a GraphQL document may have, inline fragments included.',
  ),
  GRAPHQL_DIRECTIVES_MAX: range(0, 500, 50, 'How many directives a GraphQL document may have.'),
  GRAPHQL_COST_MAX: range(
    100,
    1_000_000,
    15_000,
    'How many objects a GraphQL operation may read, by the sizes of its pages: those of nested lists multiply.',
  ),
  GRAPHQL_ANSWER_BYTES_MAX: range(
    4_194_304,
    67_108_864,
    33_554_432,
    'How many bytes the long texts of the answer to a GraphQL operation may have together: payloads, schemas, kept answers. One that is asked for twice counts twice.',
  ),
  SEARCH_TIMEOUT_MS: range(
    10,
    10_000,
    3000,
    'How long one search of deliveries or events, or one reading of statistics, may take in the database, in ms.',
  ),
  PAYLOAD_DEPTH_MAX: range(1, PAYLOAD_LEVELS_MAX, 64, 'How deep a payload may be nested.'),
  EVENTS_PER_REQUEST_MAX: range(
    1,
    EVENTS_PER_REQUEST_MOST,
    EVENTS_PER_REQUEST_MOST,
    'How many events one emitEvents may have.',
  ),
  REQUEST_TIMEOUT_MS: range(
    1000,
    600_000,
    30_000,
    'How long receiving a whole request may take, in ms; its headers, half of that.',
  ),
  IDLE_TIMEOUT_MS: range(
    1000,
    600_000,
    60_000,
    'A connection on which nothing moves for this long is closed, in ms. Waiting for the database counts.',
  ),
  PIPELINED_REQUESTS_MAX: range(
    1,
    1000,
    32,
    'How many requests may be under way on one connection, sent without waiting for the answers.',
  ),
  STREAMS_PER_KEY_MAX: range(
    1,
    1000,
    10,
    'How many streams of live updates an API key may have open at the same time, in each API process.',
  ),
  STREAMS_PER_TENANT_MAX: range(
    1,
    100_000,
    100,
    'How many streams of live updates all API keys of a tenant may have open at the same time, in each API process.',
  ),
  STREAMS_MAX: range(1, 100_000, 1000, 'How many streams of live updates an API process has open at the same time.'),
} as const;
