import type { Server } from 'node:http';

/**
 * Node's `http` and `https`, not by `import`: that reads every name they export, of which some make Node load the
 * client behind `fetch`, 4 MiB that nobody here uses.
 */
export const http = process.getBuiltinModule('node:http');
export const https = process.getBuiltinModule('node:https');

/**
 * Makes a server answer clients that close their sending half once their request is sent, as `printf … | nc` does and
 * TCP allows. By default Node then ends the connection without an answer. Whether such a client still listens shows
 * when something is written to it.
 */
export function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true }); // undocumented, and not in Node's types
}
