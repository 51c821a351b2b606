import type { Logger } from 'pino';
import { ApiError, type Reason } from '../../errors.js';
import { LogThrottle } from '../../platform/concurrency/log-throttle.js';
import { ENDING, LOGIN_REFUSED, outageIn } from '../../platform/database/outage.js';
import { OutageClock } from './outage-clock.js';

const outageThrottle = new LogThrottle();
const outageClock = new OutageClock();

/** The error that the caller gets. It says nothing about the cause of a fault of the service. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  const outage = outageIn(error);
  if (outage !== null) {
    return new ApiError('unavailable', outage, { retryAfterSeconds: outageClock.retryAfterSeconds() });
  }
  return new ApiError('internal', 'Something went wrong on our side; the log has details under the request id.');
}

/**
 * Logs a fault of the service with its cause. Each kind of outage is logged once in ten seconds, because it concerns
 * every request, and the disk may be full. Errors of callers are not logged.
 *
 * @param reason the reason of the error that the caller gets
 */
export function logFault(log: Logger, requestId: string, reason: Reason, cause: unknown): void {
  if (reason === 'internal') {
    log.error({ err: cause, requestId }, 'a request failed');
  } else if (reason === 'unavailable') {
    const outage = outageIn(cause);
    if (outage === null || outage === ENDING) {
      log.info({ err: cause, requestId }, 'a request was refused for now');
    } else if (outageThrottle.take(outage)) {
      const isRefused = outage === LOGIN_REFUSED;
      log.warn(
        { err: cause, requestId },
        isRefused
          ? 'a request was refused: the database refuses the login'
          : 'a request was refused: the database is away',
      );
    }
  }
}
