import symbols from 'undici/lib/core/symbols.js';
import poolBase from 'undici/lib/dispatcher/pool-base.js';
import constants from 'undici/lib/llhttp/constants.js';

/**
 * The parts of undici that sending uses, file by file: the package as a whole loads fetch, WebSocket, caches and mocks
 * as well, 6 MiB that nobody here uses.
 */
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as Client } from 'undici/lib/dispatcher/client.js';
export { default as Pool } from 'undici/lib/dispatcher/pool.js';

/** The key of a socket's parser: private, as is the parser. */
export const kParser: typeof symbols.kParser = symbols.kParser;
/** The key of a pool's method that takes a client out: it ends after its request. Private. */
export const kRemoveClient: typeof poolBase.kRemoveClient = poolBase.kRemoveClient;
export const PARSER_ERROR = constants.ERROR;

/** How we connect and speak TLS, with a target and with a proxy alike. */
export const TLS_POLICY = {
  autoSelectFamily: true,
  // HTTP/2 would bring its own floods (settings, resets, headers) for no gain with one request at a time.
  allowH2: false,
  // Said aloud, since NODE_TLS_REJECT_UNAUTHORIZED and --tls-min-v1.0 would change the defaults.
  rejectUnauthorized: true,
  minVersion: 'TLSv1.2',
  // A session that goes on is quicker: a tenant would see by it that somebody else sends to that host.
  maxCachedSessions: 0,
} as const;
