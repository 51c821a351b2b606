import type pg from 'pg';
import type { Logger } from 'pino';
import { takeTimes } from '../../src/operations/attempts/endpoint-rates.js';
import { findLeftPutOffs } from '../../src/operations/deliveries/left-put-offs.js';
import { LogThrottle } from '../../src/platform/concurrency/log-throttle.js';
import type { RateTables } from './rates.js';

/** While the database is away, endpoints with a rate get nothing. */
export function rateTables(pool: pg.Pool, log: Pick<Logger, 'warn'>): RateTables {
  const logThrottle = new LogThrottle();
  const orNull = async <Rows>(rows: Promise<Rows>): Promise<Rows | null> => {
    try {
      return await rows;
    } catch (err) {
      if (logThrottle.take('rates')) {
        log.warn({ err }, 'requests of webhooks with a rate come later than they could');
      }
      return null;
    }
  };
  return {
    takeTimes: (wanted) => orNull(takeTimes(pool, wanted)),
    findLeft: (webhooks) => orNull(findLeftPutOffs(pool, webhooks)),
  };
}
