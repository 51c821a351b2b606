import type { Task, TaskList } from 'graphile-worker';
import type { Database } from '../../src/database/database.js';
import { freeJobs } from '../../src/graphile-worker/locked-jobs.js';
import { DELIVER_GROUP_TASK, DELIVER_TASK } from '../../src/operations/jobs/tasks.js';
import { type Fence, SendingStopped } from '../liveness/fence.js';

interface OwnStopsDeps {
  db: Pick<Database, 'pool'>;
  fence: Pick<Fence, 'silent' | 'ending' | 'lettingGo'>;
}

/**
 * The tasks. A delivery's job that ends because sending was stopped is as it was before it was fetched: due at once,
 * for whoever may send, and the fetch does not count. Fetches are what makes a job a suspect (`Quarantine`), and a
 * service that is often restarted must not make suspects of what waits in a long line.
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
 * It throws all the same: graphile-worker's failing of a job does nothing to one that its pool has not locked. So only
 * when this process fetches no more: what it had fetched again meanwhile would be failed in its hands.
 */
const givingBack =
  (task: Task, { db, fence }: OwnStopsDeps): Task =>
  async (payload, helpers) => {
    try {
      return await task(payload, helpers);
    } catch (error) {
      const { id, locked_by: poolId } = helpers.job;
      // A silent database would not hear of it; what it has locked then is freed once it answers.
      const isStopped = fence.lettingGo || (fence.ending && error instanceof SendingStopped);
      if (poolId !== null && isStopped && !fence.silent) {
        await freeJobs(db.pool, poolId, [id]).catch(() => {}); // the job fails like any other, and comes again
      }
      throw error;
    }
  };
