import { setTimeout as delay } from 'node:timers/promises';
import { isDatabaseAway } from '../../src/database/outage.js';
import type { Fence } from '../liveness/fence.js';

const PAUSE_MS = 500;

/**
 * Records the outcome of a request that has been made. Losing it would repeat the request, so a database that is away
 * is waited for, until the daemon has no more time to end, and meanwhile nothing else is sent.
 *
 * @param isInVain whether `tryOnce` would end in the same error again
 * @throws Error what `tryOnce` throws for another reason or in vain, and any when the daemon has no more time
 */
export async function onceDatabaseAnswers<Result>(
  fence: Pick<Fence, 'outcomeWaits' | 'lettingGo'>,
  tryOnce: () => Promise<Result>,
  isInVain: (error: unknown) => boolean = () => false,
): Promise<Result> {
  let recorded: (() => void) | undefined;
  try {
    for (;;) {
      try {
        return await tryOnce();
      } catch (error) {
        if (!isDatabaseAway(error) || fence.lettingGo || isInVain(error)) {
          throw error;
        }
        recorded ??= fence.outcomeWaits();
        await delay(PAUSE_MS);
      }
    }
  } finally {
    recorded?.();
  }
}
