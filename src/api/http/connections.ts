import { once } from 'node:events';
import { Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors.js';

const RETRY_AFTER_SECONDS = 1;
/** When the service ends, longer answers are cut off: the whole end may take half a minute. */
const WAIT_MAX_MS = 5_000;
/** A draining service keeps idle connections for this long after it has stopped to listen. */
const KEPT_MS = 2_000;
const CHECK_EVERY_MS = 20;
const LULL_MS = 100;

/**
 * Limits the requests under way on one connection. Node reads ahead, so a client that does not wait for answers (RFC
 * 9112 §9.3.2) could have thousands. The connection ends with the refusal.
 */
export function limitPipelining(app: FastifyInstance, requestsMax: number): void {
  const inFlight = new WeakMap<Socket, number>();
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    const count = (inFlight.get(socket) ?? 0) + 1;
    inFlight.set(socket, count);
    if (count > requestsMax) {
      reply.header('connection', 'close');
      const detail = `A connection may have ${requestsMax} requests under way; wait for answers, or open another one.`;
      throw new ApiError('rate_limited', detail, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    done();
  });
  app.addHook('onResponse', ({ raw: { socket } }, _reply, done) => {
    inFlight.set(socket, (inFlight.get(socket) ?? 1) - 1);
    done();
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when the service begins to end: it is not ready any more, and each answer ends its connection. */
    ending: AbortSignal;
    /** Begins to end. Comes before `close`, and resolves when nobody should notice that. */
    drain(listenMs: number): Promise<void>;
  }
}

/**
 * Ends each connection of a closing server with its next answer. Fastify does so only for requests that arrive later,
 * so the other connections would stay open until that time is over.
 */
export function endConnections(app: FastifyInstance): void {
  const ending = new AbortController();
  app.decorate('ending', ending.signal);
  app.decorate('drain', async (listenMs) => {
    ending.abort();
    await delay(listenMs);
    await stopListening(app.server);
    const until = performance.now() + KEPT_MS;
    while ((await connectionsOf(app.server)) > 0 && performance.now() < until) {
      await delay(CHECK_EVERY_MS);
    }
  });
  app.addHook('preClose', (done) => {
    ending.abort();
    setTimeout(() => app.server.closeAllConnections(), WAIT_MAX_MS).unref();
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (ending.signal.aborted) {
      reply.header('connection', 'close');
    }
    done(null, payload);
  });
}

/**
 * Refuses connections from now on, and leaves the others alone: `close` of an HTTP server would cut idle ones, on which
 * a proxy may just be sending a request. The kernel resets connections that we have not taken yet. So this waits until
 * one was taken and there is nothing else to do.
 */
async function stopListening(server: Server): Promise<void> {
  await Promise.race([once(server, 'connection'), delay(LULL_MS)]);
  await delay(1);
  Server.prototype.close.call(server);
}

const connectionsOf = (server: Server): Promise<number> => promisify(server.getConnections.bind(server))();
