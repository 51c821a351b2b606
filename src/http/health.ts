import type { FastifyInstance } from 'fastify';
import type { Services } from '../context.js';
import { ApiError } from '../errors.js';
import { lackOf, missingMigrations } from '../operations/check-readiness.js';

const RETRY_AFTER_SECONDS = 5;

/**
 * `/health/live`: the process answers. `/health/ready`: it can serve, that is, its database can be reached and has
 * every migration; else 503.
 */
export async function healthRoutes(app: FastifyInstance, { db }: Pick<Services, 'db'>): Promise<void> {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  app.get('/health/live', async () => ({ status: 'live' }));
  app.get('/health/ready', async () => {
    const missing = await missingMigrations(db);
    if (missing.length > 0) {
      throw new ApiError('unavailable', `${lackOf(missing)}: run "hookwright migrate".`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    return { status: 'ready' };
  });
}
