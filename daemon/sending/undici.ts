/**
 * What sending uses of undici, file by file: the package as a whole loads fetch, WebSocket, caches and mocks as well,
 * 6 MiB that nobody here uses.
 */
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as Client } from 'undici/lib/dispatcher/client.js';
export { default as Pool } from 'undici/lib/dispatcher/pool.js';
