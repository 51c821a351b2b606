import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Context, Services } from '../context/context.js';
import { logFault } from '../context/faults.js';
import type { Verdict } from '../context/rate-limits.js';
import { keyRequired, type Reason } from '../errors.js';
import { chargeBroken } from '../graphql/execution/charge.js';
import { GraphqlRequest } from '../graphql/execution/request.js';
import { GraphqlServer } from '../graphql/execution/server.js';
import { extensionsOf } from '../graphql/fields/errors.js';
import { contextOf, expectAsker, holdUntilTaken, whoAsks } from './asking.js';
import { authorizationOf } from './console-cookies.js';
import { apiErrorOf } from './errors.js';
import { streamRoute } from './graphql-stream.js';
import { readJson } from './json-body.js';

/** The longest body without a key; and with one, what is not worth counting. */
export const SHORT_BODY_BYTES_MAX = 64 * 1024;

/**
 * Mounts Apollo Server at /graphql, and its streams. Errors before GraphQL, as of a body that is not JSON, have the
 * form of GraphQL's.
 */
export async function graphqlEndpoint(
  app: FastifyInstance,
  { schema, services }: { schema: GraphQLSchema; services: Services },
): Promise<void> {
  const graphql = await GraphqlServer.start(schema, services);
  readJson(app);
  app.setErrorHandler((error, request, reply) => {
    const known = apiErrorOf(error, request.routeOptions.bodyLimit);
    logFault(services.log, request.id, known.reason, error);
    services.metrics.graphqlError(known.code);
    return reply
      .code(known.status)
      .headers(chargeForm(request, known.reason))
      .headers(known.headers)
      .type('application/json; charset=utf-8')
      .send({ errors: [{ message: known.detail, extensions: extensionsOf(known) }] });
  });
  expectAsker(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    request.asking = await identify(services, request);
    holdBody(request, services);
  });
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    exposeHeadRoute: false,
    bodyLimit: services.config.limits.graphql.bodyBytesMax,
    handler: async (request, reply) => {
      if (services.config.graphiql && isVisit(request)) {
        return reply.redirect('/graphiql', 303);
      }
      const context = contextOf(request);
      holdUntilTaken(reply, context);
      const { status, headers, text } = await graphql.answer(new GraphqlRequest(request), context);
      reply.code(status).headers(headers);
      return text;
    },
  });
  streamRoute(app, { graphql, services });
}

/** What is wrong with a body: it was read for nothing, and counts as a broken document does. */
const formReasons: ReadonlySet<Reason> = new Set(['malformed_json', 'payload_too_large', 'unsupported_media_type']);

/** @returns the headers of the limits */
function chargeForm({ asking }: FastifyRequest, reason: Reason): Verdict['headers'] {
  return asking !== null && formReasons.has(reason) ? chargeBroken(asking) : {};
}

/** Whether a person has opened the address in a browser: it takes a page, and asks for nothing. */
function isVisit({ method, url, headers: { accept = '' } }: FastifyRequest): boolean {
  return method === 'GET' && !url.includes('?') && accept.includes('text/html');
}

/** @throws ApiError as whoAsks; unauthenticated; rate_limited, also for a key whose documents were broken too often */
async function identify(services: Services, request: FastifyRequest): Promise<Context> {
  const context = await whoAsks(services, request, authorizationOf(services.config, request));
  if (context.caller === null) {
    requireShortBody(request);
  } else {
    services.rateLimits.requireNoDebt(context.caller);
  }
  return context;
}

/**
 * Without a key only the schema may be asked for, which takes no long text; reading one costs more than answering it.
 *
 * @throws ApiError unauthenticated
 */
function requireShortBody(request: FastifyRequest): void {
  if (announcedBytes(request) > SHORT_BODY_BYTES_MAX) {
    throw keyRequired();
  }
}

/** Infinite: the body comes in chunks. */
function announcedBytes({ headers }: FastifyRequest): number {
  return Number(headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : Infinity));
}

/**
 * Counts a long body for the tenant until all of it has come, or its client is gone. What is longer than allowed is
 * refused when it is read.
 *
 * @throws ApiError rate_limited
 */
function holdBody(request: FastifyRequest, { bodiesUnderWay }: Services): void {
  const bytes = Math.min(announcedBytes(request), request.routeOptions.bodyLimit);
  if (bytes <= SHORT_BODY_BYTES_MAX) {
    return;
  }
  const { tenantId } = contextOf(request);
  const refusal = bodiesUnderWay.take(tenantId, bytes);
  if (refusal !== null) {
    throw refusal;
  }
  let isHeld = true;
  const giveBack = () => {
    if (isHeld) {
      isHeld = false;
      bodiesUnderWay.giveBack(tenantId, bytes);
    }
  };
  request.raw.once('end', giveBack).once('close', giveBack);
}
