import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { keyRequired, type Reason } from '../../errors.js';
import type { Context, Services } from '../context/context.js';
import { logFault } from '../context/faults.js';
import { chargeBroken } from '../graphql/execution/charge.js';
import { GraphqlRequest } from '../graphql/execution/request.js';
import { GraphqlServer } from '../graphql/execution/server.js';
import { extensionsOf } from '../graphql/fields/errors.js';
import { authorizationOf } from './console-cookies.js';
import { isVisit } from './error-page.js';
import { apiErrorOf } from './errors.js';
import { streamRoute } from './graphql-stream.js';
import { readJson } from './json-body.js';
import { contextOf, decorateWithContext, freeWhenSent, requestContext } from './request-context.js';

/** The longest body without a key. With a key, shorter bodies are not counted. */
export const SHORT_BODY_BYTES_MAX = 64 * 1024;

/** These errors are about a body that was read in vain, so they count like a broken document. */
const bodyErrors: ReadonlySet<Reason> = new Set(['malformed_json', 'payload_too_large', 'unsupported_media_type']);

/** Mounts Apollo Server at /graphql, and its streams. Errors before GraphQL have GraphQL's form too. */
export async function graphqlEndpoint(
  app: FastifyInstance,
  { schema, services }: { schema: GraphQLSchema; services: Services },
): Promise<void> {
  const graphql = await GraphqlServer.start(schema, services);
  readJson(app);
  app.setErrorHandler((error, request, reply) => {
    const known = apiErrorOf(error, request.routeOptions.bodyLimit);
    const { context } = request;
    logFault(services.log, request.id, known.reason, error);
    services.metrics.graphqlErrors.count(known.code);
    return reply
      .code(known.status)
      .headers(context !== null && bodyErrors.has(known.reason) ? chargeBroken(context) : {})
      .headers(known.headers)
      .type('application/json; charset=utf-8')
      .send({ errors: [{ message: known.detail, extensions: extensionsOf(known) }] });
  });
  decorateWithContext(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    request.context = await identify(services, request);
    reserveBody(request, services);
  });
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    exposeHeadRoute: false,
    bodyLimit: services.config.limits.graphql.bodyBytesMax,
    handler: async (request, reply) => {
      if (services.config.graphiql && isVisit(request) && !request.url.includes('?')) {
        return reply.redirect(`${services.config.basePath}/graphiql`, 303);
      }
      const context = contextOf(request);
      freeWhenSent(reply, context);
      const { status, headers, text } = await graphql.answer(new GraphqlRequest(request), context);
      reply.code(status).headers(headers);
      return text;
    },
  });
  streamRoute(app, { graphql, services });
}

/** @throws ApiError as requestContext; unauthenticated; rate_limited, also for too many broken documents */
async function identify(services: Services, request: FastifyRequest): Promise<Context> {
  const context = await requestContext(services, request, authorizationOf(services.config, request));
  if (context.caller !== null) {
    services.rateLimits.requireNoDebt(context.caller);
  } else if (announcedBytes(request) > SHORT_BODY_BYTES_MAX) {
    throw keyRequired(); // without a key only the schema may be read, which takes no long document
  }
  return context;
}

/** Infinite for a body in chunks. */
function announcedBytes({ headers }: FastifyRequest): number {
  return Number(headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : Infinity));
}

/** Reserves the memory of a long body until it was read or its client is gone. @throws ApiError rate_limited */
function reserveBody(request: FastifyRequest, { bodyMemory }: Services): void {
  let bytes = Math.min(announcedBytes(request), request.routeOptions.bodyLimit);
  if (bytes <= SHORT_BODY_BYTES_MAX) {
    return;
  }
  const { tenantId } = contextOf(request);
  const refusal = bodyMemory.reserve(tenantId, bytes);
  if (refusal !== null) {
    throw refusal;
  }
  const free = () => {
    bodyMemory.free(tenantId, bytes);
    bytes = 0; // both events may fire
  };
  request.raw.once('end', free).once('close', free);
}
