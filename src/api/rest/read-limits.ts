import type { FastifyInstance } from 'fastify';
import type { Operations } from './operations.js';
import { hasNoParameters, ignoreBody } from './webhook-requests.js';

/** The limits of the tenant, for its own programs. */
export async function limitsRoute(app: FastifyInstance, operations: Operations): Promise<void> {
  ignoreBody(app);

  // Over GraphQL the viewer may read them, with any scope.
  const onRead = [operations.list.authorise, hasNoParameters];
  app.get('/limits', { onRequest: onRead }, async (request) => {
    const { tenant } = (await operations.readLimits(request, {})).viewer;
    return { data: { ...tenant?.limits, since: tenant?.since ?? null } };
  });
}
