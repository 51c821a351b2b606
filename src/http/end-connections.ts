import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** When the service ends, longer answers are cut off: the whole end may take half a minute. */
const PATIENCE_MS = 5_000;

/**
 * Ends a closing server as soon as the last request is answered. Fastify announces the end of a connection only in
 * answers that begin later, so other idle connections would keep the service running.
 *
 * @param underWay returns the number of unanswered requests of a connection
 */
export function endConnections(app: FastifyInstance, underWay: (socket: Socket) => number): void {
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    setTimeout(() => app.server.closeAllConnections(), PATIENCE_MS).unref();
    done();
  });
  app.addHook('onResponse', (request, _, done) => {
    if (closing && underWay(request.raw.socket) === 0) {
      request.raw.socket.end();
    }
    done();
  });
}
