import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** An answer that takes longer, once the service ends, is cut off: the whole end may take half a minute. */
const PATIENCE_MS = 5_000;

/**
 * Lets the server end at once when the last request has been answered. Fastify tells whoever asks from then on that its
 * connection ends; one whose answer was under way already would be kept until it is idle for too long, and the service
 * with it.
 *
 * @param underWay how many requests a connection has that are not answered yet
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
