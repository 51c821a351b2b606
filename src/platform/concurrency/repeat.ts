import type { Logger } from 'pino';
import { LogThrottle } from './log-throttle.js';

/**
 * Runs `work` every `everyMs`, never twice at once. A failure is logged, at most every ten seconds, and the work is
 * tried again the next time.
 *
 * @param duty its name in the log
 * @returns a function that ends it, after the work under way
 */
export function repeat(duty: string, everyMs: number, log: Logger, work: () => Promise<void>): () => Promise<void> {
  let inFlight: Promise<void> = Promise.resolve();
  let busy = false;
  const logThrottle = new LogThrottle();
  const timer = setInterval(() => {
    if (busy) {
      return;
    }
    busy = true;
    inFlight = work()
      .catch((error: unknown) => {
        if (logThrottle.take(duty)) {
          log.warn({ err: error, duty }, 'a regular duty failed; it is tried again');
        }
      })
      .finally(() => {
        busy = false;
      });
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await inFlight;
  };
}
