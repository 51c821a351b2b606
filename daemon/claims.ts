import type { Job } from 'graphile-worker';
import type { Logger } from 'pino';
import type { Database } from '../src/database/database.js';
import { LANES } from '../src/domain/lanes.js';
import type { Claim, ClaimedJob, LocalDaemon } from '../src/operations/emits/claims.js';
import {
  DELIVER_GROUP_TASK,
  DELIVER_TASK,
  JOB_FETCHES_MAX,
  jobKeyOf,
} from '../src/operations/jobs/enqueue.js';
import { freeJobs } from '../src/operations/jobs/locked-jobs.js';
import type { Fence } from './control/fence.js';
import type { Deliverer } from './deliver.js';
import type { DeliverGroupJob, DeliverJob } from './loaded.js';
import type { Room } from './running/local-jobs.js';
import type { SupervisedRunner } from './running/runner.js';
import type { DaemonMetrics } from './telemetry/metrics.js';

/** Of the slots, how many tenants that emit a lot at once may fill in this way. */
const CROWDED_SHARE = 1 / 2;

export interface ClaimsDeps {
  db: Pick<Database, 'pool'>;
  log: Logger;
  metrics: Pick<DaemonMetrics, 'claimed'>;
  deliverer: Pick<Deliverer, 'busy'>;
  fence: Pick<Fence, 'closed' | 'ending'>;
  runner: Pick<SupervisedRunner, 'life'>;
  slotsMax: number;
}

/**
 * Takes deliveries from emits of the same process, as long as few others are in hand. Their jobs are run by the runner,
 * like those that it fetches; one that cannot begin at once is free for everybody again.
 */
export class Claims implements LocalDaemon {
  constructor(private readonly deps: ClaimsDeps) {}

  claim(): Claim | null {
    const { runner, fence, db } = this.deps;
    const place = runner.life?.place;
    if (place === undefined || fence.closed || fence.ending) {
      return null;
    }
    const room = this.#room(place);
    const atMs = performance.now();
    return room.deliveriesMax < 1
      ? null
      : {
          ...room,
          pool: db.pool,
          workerPoolId: place.poolId,
          settle: (jobs) => this.#settle(place.poolId, jobs, atMs),
        };
  }

  /** For how many deliveries, and up to which priority number. */
  #room({ workers, ahead }: Room): Pick<Claim, 'priorityMax' | 'deliveriesMax'> {
    const { slotsMax } = this.deps;
    const { busy } = this.deps.deliverer;
    const within = (share: number) => Math.min(Math.floor(slotsMax * share) - busy, workers);
    const forCrowding = within(CROWDED_SHARE);
    return forCrowding > 0
      ? { priorityMax: LANES.CROWDED.priority, deliveriesMax: forCrowding }
      : { priorityMax: LANES.FIRST.priority, deliveriesMax: Math.max(within(1), ahead) };
  }

  #settle(poolId: string, claimed: readonly ClaimedJob[], atMs: number): void {
    const { runner, metrics, db, log } = this.deps;
    if (claimed.length === 0) {
      return;
    }
    const life = runner.life;
    if (life?.place?.poolId === poolId && life.give(claimed.map((job) => toJob(job, poolId, atMs)))) {
      metrics.claimed(claimed.reduce((sum, { loaded }) => sum + loaded.size, 0));
      return;
    }
    const ids = claimed.map(({ id }) => id);
    // When this fails too, the jobs are those of a dead pool, or overdue: there are sweeps for both.
    freeJobs(db.pool, poolId, ids).catch((error: unknown) => {
      log.warn({ err: error, jobs: ids.length }, 'could not free the jobs that an emit had claimed');
    });
  }
}

/** What a fetch would have brought. */
function toJob({ id, priority, payload, loaded }: ClaimedJob, poolId: string, atMs: number): Job {
  const isGroup = 'ids' in payload;
  const now = new Date();
  return {
    id,
    task_identifier: isGroup ? DELIVER_GROUP_TASK : DELIVER_TASK,
    payload: { ...payload, loaded: { atMs, deliveries: loaded } } satisfies DeliverJob | DeliverGroupJob,
    priority,
    attempts: 1,
    max_attempts: JOB_FETCHES_MAX,
    run_at: now,
    created_at: now,
    updated_at: now,
    locked_at: now,
    locked_by: poolId,
    key: jobKeyOf(payload),
    revision: 0,
    flags: null,
    last_error: null,
    job_queue_id: null,
    task_id: 0,
    is_available: false,
  };
}
