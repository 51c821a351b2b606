import { whole } from './setting.js';

/** The greatest PAYLOAD_DEPTH_MAX. No payload is deeper, also of events that were accepted with another setting. */
export const PAYLOAD_LEVELS_MAX = 500;

/** The greatest EVENTS_PER_REQUEST_MAX. */
export const EVENTS_PER_REQUEST_MOST = 100;

/** The limits of a single request to the API, for every key, and of streams. */
export const limitSettings = {
  limits: {
    restBodyBytesMax: whole('REST_BODY_BYTES_MAX', 1024, 1_048_576, 65_536),
    searchTimeoutMs: whole('SEARCH_TIMEOUT_MS', 10, 10_000, 3000),
    payloadDepthMax: whole('PAYLOAD_DEPTH_MAX', 1, PAYLOAD_LEVELS_MAX, 64),
    eventsPerRequestMax: whole('EVENTS_PER_REQUEST_MAX', 1, EVENTS_PER_REQUEST_MOST, EVENTS_PER_REQUEST_MOST),
    requestTimeoutMs: whole('REQUEST_TIMEOUT_MS', 1000, 600_000, 30_000),
    idleTimeoutMs: whole('IDLE_TIMEOUT_MS', 1000, 600_000, 60_000),
    pipelinedRequestsMax: whole('PIPELINED_REQUESTS_MAX', 1, 1000, 32),
    graphql: {
      bodyBytesMax: whole('GRAPHQL_BODY_BYTES_MAX', 65_536, 67_108_864, 4_194_304),
      documentCharsMax: whole('GRAPHQL_DOCUMENT_CHARS_MAX', 2048, 1_048_576, 65_536),
      tokensMax: whole('GRAPHQL_TOKENS_MAX', 500, 20_000, 2000),
      depthMax: whole('GRAPHQL_DEPTH_MAX', 6, 50, 12),
      aliasesMax: whole('GRAPHQL_ALIASES_MAX', 0, 500, 15),
      rootFieldsMax: whole('GRAPHQL_ROOT_FIELDS_MAX', 1, 500, 20),
      fragmentsMax: whole('GRAPHQL_FRAGMENTS_MAX', 3, 500, 50),
      directivesMax: whole('GRAPHQL_DIRECTIVES_MAX', 0, 500, 50),
      costMax: whole('GRAPHQL_COST_MAX', 100, 1_000_000, 15_000),
      answerBytesMax: whole('GRAPHQL_ANSWER_BYTES_MAX', 4_194_304, 67_108_864, 33_554_432),
    },
  },
  streams: {
    perKeyMax: whole('STREAMS_PER_KEY_MAX', 1, 1000, 10),
    perTenantMax: whole('STREAMS_PER_TENANT_MAX', 1, 100_000, 100),
    max: whole('STREAMS_MAX', 1, 100_000, 1000),
  },
};
