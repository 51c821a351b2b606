import { noneDone, raises, sumOf, totalOf } from '../../src/domain/pacing/lanes.js';
import type { HasPool } from '../../src/platform/database/database.js';
import { raiseWaitingJobs } from '../../src/platform/graphile-worker/waiting-jobs.js';
import type { Deliverer } from '../delivery/deliver.js';

/** Fewer attempts between two looks mean that lanes do not compete, unless no slot is free. */
const BUSY_ATTEMPTS = 50;
/** Only jobs that have been due for this long are raised: others may well be fetched soon. */
const WAITED_MS = 1_000;

/** Gives each lane its share of a busy daemon. @returns the work of the duty */
export function shareLanes(
  { db }: { db: HasPool },
  deliverer: Pick<Deliverer, 'takeDone' | 'isFull'>,
): () => Promise<void> {
  let done = noneDone();
  return async () => {
    done = sumOf(done, deliverer.takeDone());
    if (totalOf(done) < BUSY_ATTEMPTS) {
      // Attempts that take long are few although many deliveries wait: then they are summed up.
      done = deliverer.isFull ? done : noneDone();
      return;
    }
    const wanted = raises(done);
    done = noneDone();
    for (const raise of wanted) {
      await raiseWaitingJobs(db.pool, raise, WAITED_MS);
    }
  };
}
