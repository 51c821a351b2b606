import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '../../errors.js';
import { LogThrottle } from '../../platform/concurrency/log-throttle.js';
import type { Services } from '../context/context.js';

const REQUEST_ID = /^[A-Za-z0-9._:/+=@-]{1,128}$/;

/** The request id of the caller, if it is safe in logs and headers; otherwise a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The log of requests, without API keys. */
export function requestLog(log: Logger): Logger {
  const secret = ['authorization', '*.authorization', '*.headers.authorization', '*.headers.cookie'];
  return log.child({}, { redact: { paths: secret, censor: '[redacted]' } });
}

/**
 * Adds the request id to answers, counts requests and logs failed ones. Successful requests are logged at level debug,
 * because a line would cost more than an emit; so are answers 503 except for one in ten seconds, because an outage
 * concerns all requests.
 */
export function followRequests(app: FastifyInstance, { metrics, log }: Pick<Services, 'metrics' | 'log'>): void {
  const throttle = new LogThrottle();
  // With callbacks, because the promise of an async hook costs more than the hook.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, url } = request;
    const path = url.split('?', 1)[0] ?? ''; // the query may contain private data
    const route = request.routeOptions.url ?? 'none';
    metrics.requests.count(method, route, String(reply.statusCode));
    metrics.requestSeconds.observe({ route }, reply.elapsedTime / 1_000);
    const durationMs = Math.round(reply.elapsedTime * 10) / 10;
    const isHealthCheck = path.startsWith('/health/'); // comes every few seconds
    const isQuiet = reply.statusCode < 400 || isHealthCheck || (reply.statusCode === 503 && !throttle.take('503'));
    const level = isQuiet ? 'debug' : 'info';
    if (log.isLevelEnabled(level)) {
      const { tenantId, caller } = request.context ?? {};
      const ids = { requestId: request.id, tenantId: tenantId ?? undefined, keyId: caller?.keyId };
      request.log[level]({ ...ids, method, path, status: reply.statusCode, durationMs }, 'request answered');
    }
    done();
  });
}

/** Headers that may appear only once. Node would silently keep the first, or join them. */
const SINGLE = ['Host', 'Authorization', 'Content-Type', 'Hookwright-Tenant', 'Idempotency-Key'];

/** A proxy may read another one of repeated headers than we do. The connection ends, because a body may follow. */
export function refuseRepeatedHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { rawHeaders } }, reply, done) => {
    const repeated = repeatedHeader(rawHeaders);
    if (repeated !== undefined) {
      reply.header('connection', 'close');
      throw new ApiError('header_repeated', `The request has the header ${repeated} more than once: send one.`);
    }
    done();
  });
}

/** @param rawHeaders names and values alternating */
function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  const names = rawHeaders.flatMap((text, index) => (index % 2 === 0 ? text.toLowerCase() : []));
  return SINGLE.find((name) => names.indexOf(name.toLowerCase()) !== names.lastIndexOf(name.toLowerCase()));
}

/** The route of @fastify/cors for OPTIONS. */
const PREFLIGHTS = '*';

/**
 * Refuses requests without a route before their body is read: 405 with `Allow` for a path with other methods (RFC 9110
 * §15.5.6), otherwise 404. Register routes afterwards.
 *
 * @param whereThingsAre a sentence for the 404
 */
export function refuseUnknownRoutes(app: FastifyInstance, whereThingsAre: string): void {
  const known = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = known.get(url) ?? new Set();
    for (const name of [method].flat()) {
      methods.add(name);
    }
    known.set(url, methods);
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 && request.routeOptions.url !== PREFLIGHTS) {
      done();
      return;
    }
    const path = request.url.split('?', 1)[0] ?? '';
    const methodsOf = (one: string) =>
      [...known].filter(([url]) => isOf(one, url)).flatMap(([, methods]) => [...methods]);
    const allowed = methodsOf(path).join(', ');
    if (allowed === '') {
      const isSlashTooMany = path.endsWith('/') && methodsOf(path.slice(0, -1)).length > 0;
      throw isSlashTooMany
        ? slashTooMany()
        : new ApiError('not_found', `There is nothing at this path. ${whereThingsAre}`);
    }
    reply.header('allow', allowed);
    throw new ApiError('method_not_allowed', `This path allows ${allowed} only.`);
  });
}

export const slashTooMany = (): ApiError =>
  new ApiError('not_found', 'There is nothing at this path; without the slash at its end there is.');

/** Whether a path matches the route `url`, whose segments with a colon match any. */
function isOf(path: string, url: string): boolean {
  const segments = path.split('/');
  const wanted = url.split('/');
  return (
    segments.length === wanted.length &&
    wanted.every((name, index) => (name.startsWith(':') ? segments[index] !== '' : segments[index] === name))
  );
}
