import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.js';

const RETRY_AFTER_SECONDS = 1;

/**
 * Limits the requests under way on one connection. Node reads ahead, so a client that does not wait for answers (RFC
 * 9112 §9.3.2) could have thousands. The connection ends with the refusal.
 *
 * @returns a function that counts the requests under way on a connection
 */
export function limitPipelining(app: FastifyInstance, requestsMax: number): (socket: Socket) => number {
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
  return (socket) => underWay.get(socket) ?? 0;
}
