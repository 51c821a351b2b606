import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.js';

const RETRY_AFTER_SECONDS = 1;
/** When the service ends, longer answers are cut off: the whole end may take half a minute. */
const PATIENCE_MS = 5_000;

/**
 * Limits the requests under way on one connection. Node reads ahead, so a client that does not wait for answers (RFC
 * 9112 §9.3.2) could have thousands. The connection ends with the refusal.
 */
export function limitPipelining(app: FastifyInstance, requestsMax: number): void {
  const underWay = new WeakMap<Socket, number>();
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    const count = (underWay.get(socket) ?? 0) + 1;
    underWay.set(socket, count);
    if (count > requestsMax) {
      reply.header('connection', 'close');
      const detail = `A connection may have ${requestsMax} requests under way; wait for answers, or open another one.`;
      throw new ApiError('rate_limited', detail, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    done();
  });
  app.addHook('onResponse', ({ raw: { socket } }, _reply, done) => {
    underWay.set(socket, (underWay.get(socket) ?? 1) - 1);
    done();
  });
}

/**
 * Ends each connection of a closing server with its next answer. Fastify does so only for requests that arrive later,
 * so the other connections would stay open until the patience is over.
 */
export function endConnections(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    setTimeout(() => app.server.closeAllConnections(), PATIENCE_MS).unref();
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) {
      reply.header('connection', 'close');
    }
    done(null, payload);
  });
}
