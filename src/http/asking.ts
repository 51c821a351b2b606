import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Context, createContext, type Services } from '../context/context.js';
import { headerOf } from './requests.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks, and for which tenant; set by a hook on every route of REST and GraphQL. */
    asking: Context | null;
  }
}

/** Lets hooks of this scope say who asks. */
export function expectAsker(app: FastifyInstance): void {
  app.decorateRequest('asking', null);
}

/**
 * Finds out who asks. Call it before the body is read: a stranger's body is not worth it.
 *
 * @param authorization the header of that name; none: nobody in particular
 * @throws ApiError as createContext; rate_limited, also for an address that asks too often without a key
 */
export async function whoAsks(
  services: Services,
  request: FastifyRequest,
  authorization: string | undefined,
): Promise<Context> {
  if (authorization === undefined) {
    services.rateLimits.requireAnonymous(request.ip);
  }
  return createContext(services, {
    authorization,
    tenantHeader: headerOf(request, 'hookwright-tenant'),
    requestId: request.id,
    span: request.span,
    address: request.ip,
    origin: `${request.protocol}://${request.host}`,
  });
}

export function contextOf({ asking }: FastifyRequest): Context {
  if (asking === null) {
    throw new Error('A route stands outside the hook that finds out who asks.');
  }
  return asking;
}

/** What is held for an answer is held until that is taken, or its client is gone: either comes, or one alone. */
export function holdUntilTaken(reply: FastifyReply, { budget }: Pick<Context, 'budget'>): void {
  reply.raw.once('finish', () => budget.end()).once('close', () => budget.end());
}
