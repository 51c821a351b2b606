import type { Logger } from 'pino';
import { DAEMON_ASKS_MAX } from '../../src/domain/challenges/ask-times.js';
import { type Asked, takeDueAsks, worthAskingSql } from '../../src/operations/challenges/take-due.js';
import { LogThrottle } from '../../src/platform/concurrency/log-throttle.js';
import type { HasPool } from '../../src/platform/database/database.js';
import type { Challenges } from '../delivery/challenges.js';
import type { Sweep } from './duty.js';

/**
 * The sweep that asks endpoints whether they want deliveries. Each daemon makes it; an ask is taken by one of them. The
 * work does not wait for answers: silent endpoints delay only their own tenant.
 */
export function askEndpoints(
  { db, log }: { db: HasPool; log: Logger },
  challenges: Pick<Challenges, 'ask' | 'mayAsk'>,
): Sweep {
  const underWay = new Map<Promise<void>, Asked['tenantId']>();
  const logThrottle = new LogThrottle();
  const begin = (asked: Asked) => {
    const asking = challenges
      .ask(asked)
      .catch((error: unknown) => {
        if (logThrottle.take('ask')) {
          const { tenantId, webhookId } = asked;
          log.warn({ err: error, tenantId, webhookId }, 'an endpoint could not be asked; it is tried again');
        }
      })
      .finally(() => underWay.delete(asking));
    underWay.set(asking, asked.tenantId);
  };
  return {
    name: 'challenges',
    every: 2_000,
    lock: 'challenges',
    worthIt: worthAskingSql,
    work: async () => {
      const room = DAEMON_ASKS_MAX - underWay.size;
      const taken = room > 0 && challenges.mayAsk ? await takeDueAsks(db.pool, room, countByTenant(underWay)) : [];
      taken.forEach(begin);
      return taken.length;
    },
    end: () => Promise.all(underWay.keys()),
  };
}

function countByTenant(underWay: ReadonlyMap<unknown, number>): Map<number, number> {
  const tenants = Map.groupBy(underWay.values(), (tenantId) => tenantId);
  return new Map([...tenants].map(([tenantId, { length }]) => [tenantId, length]));
}
