import { whole } from './setting.js';

/** The greatest PAYLOAD_DEPTH_MAX. No payload is deeper, also of events that were accepted with another setting. */
export const PAYLOAD_LEVELS_MAX = 500;

/** The greatest EVENTS_PER_REQUEST_MAX. */
export const EVENTS_PER_REQUEST_MOST = 100;

/** The limits of a single request to the API, for every key. */
export const limitSettings = {
  REST_BODY_BYTES_MAX: whole(1024, 1_048_576, 65_536),
  GRAPHQL_BODY_BYTES_MAX: whole(65_536, 67_108_864, 4_194_304),
  GRAPHQL_DOCUMENT_CHARS_MAX: whole(2048, 1_048_576, 65_536),
  GRAPHQL_TOKENS_MAX: whole(500, 20_000, 2000),
  GRAPHQL_DEPTH_MAX: whole(6, 50, 12),
  GRAPHQL_ALIASES_MAX: whole(0, 500, 15),
  GRAPHQL_ROOT_FIELDS_MAX: whole(1, 500, 20),
  GRAPHQL_FRAGMENTS_MAX: whole(3, 500, 50),
  GRAPHQL_DIRECTIVES_MAX: whole(0, 500, 50),
  GRAPHQL_COST_MAX: whole(100, 1_000_000, 15_000),
  GRAPHQL_ANSWER_BYTES_MAX: whole(4_194_304, 67_108_864, 33_554_432),
  SEARCH_TIMEOUT_MS: whole(10, 10_000, 3000),
  PAYLOAD_DEPTH_MAX: whole(1, PAYLOAD_LEVELS_MAX, 64),
  EVENTS_PER_REQUEST_MAX: whole(1, EVENTS_PER_REQUEST_MOST, EVENTS_PER_REQUEST_MOST),
  REQUEST_TIMEOUT_MS: whole(1000, 600_000, 30_000),
  IDLE_TIMEOUT_MS: whole(1000, 600_000, 60_000),
  PIPELINED_REQUESTS_MAX: whole(1, 1000, 32),
  STREAMS_PER_KEY_MAX: whole(1, 1000, 10),
  STREAMS_PER_TENANT_MAX: whole(1, 100_000, 100),
  STREAMS_MAX: whole(1, 100_000, 1000),
} as const;
