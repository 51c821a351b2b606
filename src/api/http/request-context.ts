import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Context, createContext, type Services } from '../context/context.js';
import { headerOf } from './requests.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller and its tenant. A hook sets it on every route of REST and GraphQL. */
    context: Context | null;
  }
}

export function decorateWithContext(app: FastifyInstance): void {
  app.decorateRequest('context', null);
}

/**
 * Finds the caller of a request, before the body is read, and again for each portion of a stream.
 *
 * @param answerBytesMax default: GRAPHQL_ANSWER_BYTES_MAX
 * @param tenant default: the header Hookwright-Tenant
 * @throws ApiError as createContext; rate_limited for an address with too many requests without a key
 */
export async function requestContext(
  services: Services,
  request: FastifyRequest,
  authorization: string | undefined,
  answerBytesMax?: number,
  tenant = headerOf(request, 'hookwright-tenant'),
): Promise<Context> {
  if (authorization === undefined) {
    services.rateLimits.requireAnonymous(request.ip);
  }
  return createContext(services, {
    authorization,
    tenantHeader: tenant,
    requestId: request.id,
    span: request.span,
    address: request.ip,
    origin: `${request.protocol}://${request.host}`,
    answerBytesMax,
  });
}

export function contextOf({ context }: FastifyRequest): Context {
  if (context === null) {
    throw new Error('The route has no hook that finds the caller.');
  }
  return context;
}

/** Frees the memory of an answer when it is sent or the connection closes. Both events may fire. */
export function freeWhenSent(reply: FastifyReply, { budget }: Pick<Context, 'budget'>): void {
  reply.raw.once('finish', () => budget.end()).once('close', () => budget.end());
}
