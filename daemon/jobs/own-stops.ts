import type { Task, TaskList } from 'graphile-worker';
import type { Database } from '../../src/database/database.js';
import { freeJobs } from '../../src/graphile-worker/locked-jobs.js';
import { DELIVER_GROUP_TASK, DELIVER_TASK } from '../../src/operations/jobs/tasks.js';
import { type Fence, SendingStopped } from '../liveness/fence.js';

interface OwnStopsDeps {
  db: Pick<Database, 'pool'>;
  fence: Pick<Fence, 'silent' | 'ending' | 'givenUp'>;
}

/**
 * Wraps the tasks of deliveries. A job that ends because sending was stopped is freed as if it had not been fetched,
 * and is due at once. A service that often restarts would make suspects (`Quarantine`) of jobs in a long line.
 */
export function unlessStopped(tasks: TaskList, deps: OwnStopsDeps): TaskList {
  const { [DELIVER_TASK]: deliver, [DELIVER_GROUP_TASK]: deliverGroup } = tasks;
  return {
    ...tasks,
    [DELIVER_TASK]: givingBack(deliver as Task, deps),
    [DELIVER_GROUP_TASK]: givingBack(deliverGroup as Task, deps),
  };
}

/**
 * The wrapped task throws too: graphile-worker then fails the job, which does nothing to a job that the pool has not
 * locked. This is safe only when the process fetches no more, because it could have fetched the job again.
 */
const givingBack =
  (task: Task, { db, fence }: OwnStopsDeps): Task =>
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
