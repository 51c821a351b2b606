import type { FastifyInstance } from 'fastify';
import type { Span } from '../../platform/telemetry/tracing.js';
import type { Services } from '../context/context.js';
import { headerOf } from './requests.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined when traces are off. */
    span: Span | undefined;
  }
}

const SERVER_FAULT = 500;

/** Gives each request a span in the trace of the caller. Health checks are not traced. */
export function traceRequests(app: FastifyInstance, { tracing }: Pick<Services, 'tracing'>): void {
  app.decorateRequest('span', undefined);
  if (tracing === null) {
    return;
  }
  app.addHook('onRequest', async (request) => {
    const { method, id } = request;
    const route = request.routeOptions.url ?? 'none';
    if (route.startsWith('/health/')) {
      return;
    }
    request.span = tracing.start(`${method} ${route}`, 'SERVER', headerOf(request, 'traceparent'), {
      'http.request.method': method,
      'http.route': route,
      'hookwright.request_id': id,
    });
  });
  app.addHook('onResponse', async ({ span, context }, { statusCode }) => {
    span?.set({
      'http.response.status_code': statusCode,
      ...(context?.tenantId ? { 'hookwright.tenant_id': context.tenantId } : {}),
    });
    span?.end(statusCode >= SERVER_FAULT ? String(statusCode) : undefined);
  });
}
