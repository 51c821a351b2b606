import type { Job } from 'graphile-worker';
import type { Logger } from 'pino';
import { Backpressure } from '../../src/concurrency/backpressure.js';
import type { Database } from '../../src/database/database.js';
import { LANES } from '../../src/domain/pacing/lanes.js';
import type { Room } from '../../src/graphile-worker/local-jobs.js';
import { freeJobs } from '../../src/graphile-worker/locked-jobs.js';
import type { EventLoopLoad } from '../../src/node/event-loop-load.js';
import type { Claim, ClaimedJob, LocalDaemon } from '../../src/operations/emits/claims.js';
import { DELIVER_GROUP_TASK, DELIVER_TASK, JOB_FETCHES_MAX, jobKeyOf } from '../../src/operations/jobs/tasks.js';
import type { Deliverer } from '../delivery/deliver.js';
import type { DeliverGroupJob, DeliverJob } from '../gate/prefetched.js';
import type { Fence } from '../liveness/fence.js';
import type { DaemonMetrics } from '../telemetry/metrics.js';
import type { SupervisedRunner } from './runner.js';

/**
 * While the process itself is what limits it, tenants that emit a lot at once wait until no more claimed deliveries are
 * in hand than there are slots; then as many again may come. So no slot is free before they do, and they share
 * transactions. What was fetched does not count: a backlog in the tables is no reason to accept less.
 */
const PACED_IN_HAND = 2;
/** Of this much of its time the main thread works when the process is what limits it, and not endpoints. */
const LIMITING_UTILIZATION = 0.7;
/** Whoever waits behind dozens of others who emit as much needs a second. */
const PACED_WAIT_MS_MAX = 2_000;
const PACED_LOOK_EVERY_MS = 5;

/** How many claimed ones in hand are enough, in times of the slots: for tenants that emit a lot at once, for others. */
const CLAIMED_IN_HAND = { crowded: 3, first: 4 };
/**
 * What is claimed keeps its body in memory while it waits for a slot. So of bodies that are longer than this on average
 * only what begins at once is claimed: while fewer are in hand, claimed or fetched, in times of the slots.
 */
const LONG_BODY = 8_192;
const IN_HAND_OF_LONG = { crowded: 1 / 2, first: 1 };

/** Deliveries of one lane share jobs, four or more each, if there are as many (docs/decisions/0007). */
const JOB_SIZE_MIN = 4;
/** New deliveries are in one of these lanes; in each, one job may name fewer. */
const LANES_OF_NEW = [LANES.TEST, LANES.FIRST, LANES.CROWDED].length;

export interface ClaimsDeps {
  db: Pick<Database, 'pool'>;
  log: Logger;
  metrics: Pick<DaemonMetrics, 'claimed'>;
  deliverer: Pick<Deliverer, 'busy' | 'busyWithClaimed'>;
  fence: Pick<Fence, 'closed' | 'ending'>;
  runner: Pick<SupervisedRunner, 'life'>;
  slotsMax: number;
  load: Pick<EventLoopLoad, 'utilization'>;
}

/**
 * Takes deliveries from emits of the same process, as long as few others are in hand. Their jobs are run by the runner,
 * like those that it fetches; one for which no worker is idle is free for everybody again.
 */
export class Claims implements LocalDaemon {
  readonly #backpressure: Backpressure;

  constructor(private readonly deps: ClaimsDeps) {
    this.#backpressure = new Backpressure({
      room: () => this.#pacedRoom,
      roomMin: deps.slotsMax,
      waitMsMax: PACED_WAIT_MS_MAX,
      lookEveryMs: PACED_LOOK_EVERY_MS,
      now: () => performance.now(),
    });
  }

  inPace<Result>(tenantId: number, deliveries: number, emit: () => Promise<Result>): Promise<Result> {
    // More cannot be claimed at once: what goes to the tables leaves the room to others.
    return this.#backpressure.run(tenantId, Math.min(deliveries, this.deps.slotsMax), emit);
  }

  /** Deliveries of emits that wait to be in pace. */
  get waiting(): number {
    return this.#backpressure.waiting;
  }

  get #pacedRoom(): number {
    const { load, deliverer, slotsMax } = this.deps;
    return this.#place !== undefined && load.utilization >= LIMITING_UTILIZATION
      ? slotsMax * PACED_IN_HAND - deliverer.busyWithClaimed
      : Number.POSITIVE_INFINITY;
  }

  /** Where jobs can begin; undefined while nothing is fetched or sent. */
  get #place(): ({ poolId: string } & Room) | undefined {
    const { runner, fence } = this.deps;
    return fence.closed || fence.ending ? undefined : runner.life?.place;
  }

  claim(items: readonly { body: string }[]): Claim | null {
    const { db } = this.deps;
    const place = this.#place;
    if (place === undefined) {
      return null;
    }
    const room = this.#room(place, items);
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
  #room({ workers, ahead }: Room, items: readonly { body: string }[]): Pick<Claim, 'priorityMax' | 'deliveriesMax'> {
    const { slotsMax, deliverer } = this.deps;
    const length = items.reduce((sum, { body }) => sum + body.length, 0);
    const [max, inHand] =
      length > LONG_BODY * items.length
        ? [IN_HAND_OF_LONG, deliverer.busy]
        : [CLAIMED_IN_HAND, deliverer.busyWithClaimed];
    // However they are put into jobs, there is an idle worker for each job.
    const beginMax = Math.max(workers, (workers - LANES_OF_NEW) * JOB_SIZE_MIN);
    const within = (times: number) => Math.min(Math.floor(slotsMax * times) - inHand, beginMax);
    const forCrowding = within(max.crowded);
    return forCrowding > 0
      ? { priorityMax: LANES.CROWDED.priority, deliveriesMax: forCrowding }
      : { priorityMax: LANES.FIRST.priority, deliveriesMax: Math.max(within(max.first), ahead) };
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
