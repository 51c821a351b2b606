import type { Socket } from 'node:net';
import { constants } from 'node:zlib';
import compress, { type FastifyCompressOptions } from '@fastify/compress';
import cors from '@fastify/cors';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { answerHalfClosed, http } from '../platform/node/node-http.js';
import { version } from '../platform/node/version.js';
import type { Config } from '../platform/settings/config.js';
import type { Services } from './context/context.js';
import { logFault } from './context/faults.js';
import { type DashboardOptions, dashboard } from './dashboard/dashboard.js';
import { BUILT_FOLDER, nothingThere } from './dashboard/pages.js';
import { buildGraphqlSchema } from './graphql/schema.js';
import { limitAnswerTime } from './http/answer-time.js';
import { endConnections, limitPipelining } from './http/connections.js';
import { isVisit, sendErrorPage } from './http/error-page.js';
import { apiErrorOf } from './http/errors.js';
import { graphiql } from './http/graphiql.js';
import { graphqlEndpoint } from './http/graphql-endpoint.js';
import { healthRoutes } from './http/health.js';
import { noticePages } from './http/notice-pages.js';
import { publicKeys } from './http/public-keys.js';
import {
  followRequests,
  refuseRepeatedHeaders,
  refuseUnknownRoutes,
  requestIdOf,
  requestLog,
} from './http/requests.js';
import { traceRequests } from './http/traces.js';
import { openApiRoute } from './rest/openapi-route.js';
import { REST_PREFIX } from './rest/paths.js';
import { PROBLEM_MEDIA_TYPE, sendProblem } from './rest/problem.js';
import { problemPages } from './rest/problem-pages.js';
import { webhookRoutes } from './rest/webhooks.js';

/** A browser that opens an address of the API gets the same answer as a program. */
const API_PREFIX = '/api/';

/** Connections between requests live somewhat longer than those on which a request is stuck. */
const KEEP_ALIVE_FACTOR = 1.2;

/** The addresses that receivers may let through their firewalls. */
const EGRESS_ADDRESSES_PATH = '/.well-known/webhook-addresses.json';

/** Requests are not unpacked: limits of bodies count what was sent. A slow reader holds a window of 256 KiB. */
const compression: FastifyCompressOptions = {
  encodings: ['br', 'gzip'],
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } },
  threshold: 1_024,
  syncThreshold: 16_384, // longer answers are compressed beside the loop
  globalDecompression: false,
};

/**
 * Builds the API: `/graphql`, `/graphiql`, `/api/v1`, `/health`, and the dashboard over it. It does not listen: the
 * caller does, or injects requests. REST documents are checked against the GraphQL schema here, so that a mistake stops
 * the start.
 */
export async function buildServer(services: Services, options: DashboardOptions = {}): Promise<FastifyInstance> {
  const { config, log } = services;
  const { limits } = config;
  const app: FastifyInstance = Fastify({
    loggerInstance: requestLog(log) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // One logger for all: a child for each request costs more than the rare line is worth.
    childLoggerFactory: (logger) => logger,
    genReqId: requestIdOf,
    rewriteUrl: ({ url = '/' }) => withoutBase(url, config.basePath),
    bodyLimit: limits.restBodyBytesMax,
    // X-Forwarded-For counts from these proxies only.
    trustProxy: config.trustedProxies.length > 0 && [...config.trustedProxies],
    requestTimeout: limits.requestTimeoutMs, // Fastify turns Node's own limit off
    connectionTimeout: limits.idleTimeoutMs,
    // Above the 60 s of usual load balancers: we should not close a connection that one of them is about to use.
    keepAliveTimeout: limits.idleTimeoutMs * KEEP_ALIVE_FACTOR,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      // By default Node looks every 30 s: a request could take twice its time.
      connectionsCheckingInterval: Math.ceil(limits.headersTimeoutMs / 10),
    },
    // While closing, requests on open connections are still served: the database closes later than we do.
    return503OnClosing: false,
    clientErrorHandler: refuseConnection,
    // A request without a key gets that error first, for any id; Node reads no URLs much longer than 16 KiB.
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER },
    // Past all hooks: a path that cannot be read, such as /%zz. As /%25zz it goes the way of all requests.
    frameworkErrors: (_error, { raw }, reply) => {
      raw.url = readable(raw.url ?? '');
      app.routing(raw, reply.raw);
    },
  });
  answerHalfClosed(app.server);
  app.setErrorHandler((error, request, reply) => {
    const known = apiErrorOf(error, request.routeOptions.bodyLimit);
    logFault(log, request.id, known.reason, error);
    const isOfApi = request.url.startsWith(API_PREFIX);
    return isVisit(request) && !isOfApi ? sendErrorPage(request, reply, known) : sendProblem(reply, known);
  });
  // Unknown routes do not come here, but to refuseUnknownRoutes.
  app.setNotFoundHandler((_request, reply) => sendProblem(reply.header('cache-control', 'no-store'), nothingThere()));
  traceRequests(app, services);
  followRequests(app, services);
  limitAnswerTime(app);
  limitPipelining(app, limits.pipelinedRequestsMax);
  endConnections(app);
  refuseRepeatedHeaders(app);
  await app.register(compress, compression);
  // Behind what counts requests: it answers preflights itself, and no hook after it sees them.
  await allowOrigins(app, config);
  const rest = config.basePath + REST_PREFIX;
  refuseUnknownRoutes(
    app,
    `REST begins with ${rest} and is described at ${rest}/openapi.json; GraphQL is at ${config.basePath}/graphql.`,
  );

  const schema = await buildGraphqlSchema();
  await app.register(healthRoutes, services);
  await app.register(graphqlEndpoint, { schema, services });
  await app.register(webhookRoutes, { prefix: REST_PREFIX, schema, services });
  await app.register(openRoutes, services);
  if (config.dashboard) {
    await app.register(dashboard, { services, ...options });
  }
  return app;
}

/** The url of a request as the routes have it. A proxy may leave the path of PUBLIC_URL in it, or not. */
function withoutBase(url: string, basePath: string): string {
  const rest = url.slice(basePath.length);
  if (basePath === '' || !url.startsWith(basePath) || !/^([/?]|$)/.test(rest)) {
    return url;
  }
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** A path that the router can read, and that no route has. */
function readable(url: string): string {
  return (url.startsWith('/') ? url : `/${url}`).replaceAll('%', '%25');
}

/** Routes without a key, with a rate limit by address. */
async function openRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const { config, rateLimits } = services;
  app.addHook('onRequest', async (request) => rateLimits.requireAnonymous(request.ip));
  app.get('/', async (request, reply) => {
    return isVisit(request) && config.dashboard ? reply.redirect(`${config.basePath}/console`, 303) : directory(config);
  });
  await app.register(problemPages);
  if (config.delivery.egressAddresses.length > 0) {
    app.get(EGRESS_ADDRESSES_PATH, async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=3600');
      return { addresses: config.delivery.egressAddresses };
    });
  }
  await app.register(noticePages, services);
  await app.register(publicKeys, services);
  if (config.graphiql) {
    await app.register(graphiql, { basePath: config.basePath, folder: BUILT_FOLDER });
  }
  await app.register(openApiRoute, { prefix: REST_PREFIX, services });
}

/** Preflights of other origins are requests that no route serves. */
async function allowOrigins(app: FastifyInstance, { corsOrigins }: Config): Promise<void> {
  if (corsOrigins.length === 0) {
    return;
  }
  const allowed = new Set(corsOrigins);
  await app.register(cors, {
    origin: async (origin = '') => allowed.has(origin) && origin,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: [
      'ETag',
      'Location',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'WWW-Authenticate',
      'X-Request-Id',
    ],
    maxAge: 600,
    strictPreflight: false,
  });
}

/** The answer at the root: where each interface is. */
function directory(config: Config): Record<string, string> {
  const { basePath } = config;
  return {
    name: 'Hookwright',
    version,
    graphql: `${basePath}/graphql`,
    ...(config.graphiql ? { graphiql: `${basePath}/graphiql` } : {}),
    ...(config.dashboard ? { console: `${basePath}/console` } : {}),
    rest: `${basePath}${REST_PREFIX}/webhooks`,
    openapi: `${basePath}${REST_PREFIX}/openapi.json`,
    ...(config.delivery.egressAddresses.length > 0 ? { webhookAddresses: basePath + EGRESS_ADDRESSES_PATH } : {}),
    health: `${basePath}/health/ready`,
  };
}

type ClientError = [status: number, code: string, detail: string];

/** By Node's codes. Not in the catalogue of errors, because no interface answers with them. */
const clientErrors: Record<string, ClientError> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request did not arrive completely in time.'],
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The headers of the request are longer than this service reads.'],
  HPE_INVALID_METHOD: [
    400,
    'method_unknown',
    'The request does not begin with a known HTTP method, such as GET or POST.',
  ],
};
const malformed: ClientError = [400, 'malformed_request', 'What was sent is not a well-formed HTTP request.'];

/**
 * Bytes that are not an HTTP request never reach a route, so this writes the answer itself. A connection without any
 * bytes is closed without an answer: clients keep spare connections, and one that sends its first request at this
 * moment would take a 408 for the answer to it.
 */
function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesRead === 0) {
    socket.destroy();
    return;
  }
  const [status, code, detail] = clientErrors[error.code ?? ''] ?? malformed;
  const title = http.STATUS_CODES[status];
  const body = JSON.stringify({ type: 'about:blank', title, status, detail, code });
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: ${PROBLEM_MEDIA_TYPE}\r\nContent-Length: ${body.length}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}
