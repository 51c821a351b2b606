import type { Task } from 'graphile-worker';
import type { HasPool } from '../../src/platform/database/database.js';
import { freeJobs } from '../../src/platform/graphile-worker/locked-jobs.js';
import { type Fence, SendingStopped } from '../liveness/fence.js';

/**
 * Wraps a task of deliveries. A job that ends because sending was stopped is freed as if it had not been fetched, and
 * is due at once. A service that often restarts would make suspects (`Quarantine`) of jobs in a long line.
 *
 * The wrapped task throws too: graphile-worker then fails the job, which does nothing to a job that the pool has not
 * locked. This is safe only when the process fetches no more, because it could have fetched the job again.
 */
export const freeingStopped =
  (db: HasPool, fence: Pick<Fence, 'silent' | 'ending' | 'givenUp'>, task: Task): Task =>
  async (payload, helpers) => {
    try {
      return await task(payload, helpers);
    } catch (error) {
      const { id, locked_by: poolId } = helpers.job;
      // While the database is silent, nothing can be freed; its locked jobs are freed once it answers.
      const isStopped = fence.givenUp || (fence.ending && error instanceof SendingStopped);
      if (poolId !== null && isStopped && !fence.silent) {
        await freeJobs(db.pool, poolId, [id]).catch(() => {}); // the job fails like any other, and comes again
      }
      throw error;
    }
  };
