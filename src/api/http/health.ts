import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.js';
import { lackOf, missingMigrations } from '../../operations/installation/check-readiness.js';
import { ENDING } from '../../platform/database/outage.js';
import { namedProgram } from '../../platform/node/this-program.js';
import type { Services } from '../context/context.js';

const RETRY_AFTER_SECONDS = 5;

/**
 * `/health/live`: the process answers. `/health/ready`: the database can be reached, has every migration and accepts
 * events, and the service is not about to end; otherwise 503. `/health/proxy`: how this request came, for the doctor.
 */
export async function healthRoutes(
  app: FastifyInstance,
  { db, emitTrouble }: Pick<Services, 'db' | 'emitTrouble'>,
): Promise<void> {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  // Simultaneous requests share a query, because anybody may send them.
  let asked: Promise<string[]> | undefined;
  const missingNow = () => {
    asked ??= missingMigrations(db).finally(() => {
      asked = undefined;
    });
    return asked;
  };
  app.get('/health/live', async () => ({ status: 'live' }));
  app.get('/health/proxy', async (request) => ({ client: clientOf(request) }));
  app.get('/health/ready', async () => {
    if (app.ending.aborted) {
      throw new ApiError('unavailable', ENDING, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    const missing = await missingNow();
    if (missing.length > 0) {
      throw new ApiError('unavailable', `${lackOf(missing)}: run "${namedProgram} migrate".`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    if (emitTrouble.why !== null) {
      throw new ApiError('unavailable', emitTrouble.why, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    return { status: 'ready' };
  });
}

/** `forwarded` by a proxy of TRUSTED_PROXIES, or by another one, which is `ignored`; else `direct`. */
function clientOf({ headers, ips = [] }: FastifyRequest): 'direct' | 'forwarded' | 'ignored' {
  if (headers['x-forwarded-for'] === undefined) {
    return 'direct';
  }
  return ips.length > 1 ? 'forwarded' : 'ignored';
}
