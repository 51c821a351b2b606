import { setTimeout as delay } from 'node:timers/promises';
import { RefusedError } from './ask.js';

interface Patience {
  /**
   * The seconds until the same request may be answered; undefined: never.
   *
   * @param pauses how many this request has had
   */
  pauseOf?: (error: RefusedError, pauses: number) => number | undefined;
  /** Gets the seconds. */
  onPause?: (seconds: number) => void;
}

/** The pause that a rate limit asks for. */
export const pauseOfLimit = ({ code, retryAfterSeconds }: RefusedError) =>
  code === 'RATE_LIMITED' ? retryAfterSeconds : undefined;

/** Asks, and again after each pause. */
export async function patient<Answer>(
  work: () => Promise<Answer>,
  { pauseOf = pauseOfLimit, onPause = () => {} }: Patience = {},
): Promise<Answer> {
  for (let pauses = 0; ; pauses += 1) {
    try {
      return await work();
    } catch (error) {
      const seconds = error instanceof RefusedError ? pauseOf(error, pauses) : undefined;
      if (seconds === undefined) {
        throw error;
      }
      onPause(seconds);
      await delay(seconds * 1_000);
    }
  }
}
