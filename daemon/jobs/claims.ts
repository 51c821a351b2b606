import type { Logger } from 'pino';
import { LANES } from '../../src/domain/pacing/lanes.js';
import type { Claim, ClaimedJob, LocalDaemon } from '../../src/operations/emits/local-daemon.js';
import { DELIVER_GROUP_TASK, DELIVER_TASK, JOB_FETCHES_MAX, jobKeyOf } from '../../src/operations/jobs/tasks.js';
import type { WakesHere } from '../../src/operations/ordering/turns.js';
import { Backpressure } from '../../src/platform/concurrency/backpressure.js';
import type { HasPool } from '../../src/platform/database/database.js';
import { fetchedJob, type Room } from '../../src/platform/graphile-worker/local-jobs.js';
import { freeJobs } from '../../src/platform/graphile-worker/locked-jobs.js';
import { callBackDeliveries, callDeliveriesHere } from '../../src/platform/graphile-worker/waiting-jobs.js';
import type { EventLoopLoad } from '../../src/platform/node/event-loop-load.js';
import type { Deliverer } from '../delivery/deliver.js';
import type { Fence } from '../liveness/fence.js';
import type { DaemonMetrics } from '../telemetry/metrics.js';
import type { SupervisedRunner } from './runner.js';
import type { RoomOfPool } from './runner-life.js';

/**
 * While the process itself is the limit, tenants that emit a lot at once wait until no more claimed deliveries are in
 * hand than there are slots. Then as many again may come: no slot idles, and the emits share transactions. Fetched
 * deliveries do not count: a backlog in the tables is no reason to accept less.
 */
const PACED_IN_HAND = 2;
/** The main thread is the limit, rather than endpoints, when it works this share of its time. */
const LIMITING_UTILIZATION = 0.7;
/** An emit behind dozens of others of the same size needs a second. */
const PACED_WAIT_MS_MAX = 2_000;
const PACED_CHECK_EVERY_MS = 5;

/** Claimed deliveries in hand at which claiming stops, per slot: for tenants that emit a lot at once, for others. */
const CLAIMED_IN_HAND = { crowded: 3, first: 4 };
/**
 * A claimed delivery keeps its body in memory while it waits for a slot. If bodies are longer than this on average,
 * only deliveries that begin at once are claimed: while fewer per slot, claimed or fetched, are in hand.
 */
const LONG_BODY = 8_192;
const IN_HAND_OF_LONG = { crowded: 1 / 2, first: 1 };

/** Deliveries of one lane share jobs, at least four each, if there are as many (docs/decisions/0007). */
const JOB_SIZE_MIN = 4;
/** New deliveries are in one of these lanes; in each lane, one job may have fewer. */
const LANES_OF_NEW = [LANES.TEST, LANES.FIRST, LANES.CROWDED].length;

export interface ClaimsDeps {
  db: HasPool;
  log: Logger;
  metrics: Pick<DaemonMetrics, 'claimed'>;
  deliverer: Pick<Deliverer, 'busy' | 'busyWithClaimed'>;
  fence: Pick<Fence, 'closed' | 'ending'>;
  runner: Pick<SupervisedRunner, 'life'>;
  slotsMax: number;
  load: Pick<EventLoopLoad, 'utilization'>;
}

/**
 * Takes deliveries from emits of the same process while few others are in hand. The runner runs their jobs like fetched
 * ones; when no worker is idle for them, they become free for every daemon.
 */
export class Claims implements LocalDaemon {
  readonly #backpressure: Backpressure;

  constructor(private readonly deps: ClaimsDeps) {
    this.#backpressure = new Backpressure({
      room: () => this.#pacedRoom,
      roomMin: deps.slotsMax,
      waitMsMax: PACED_WAIT_MS_MAX,
      checkEveryMs: PACED_CHECK_EVERY_MS,
    });
  }

  inPace<Result>(tenantId: number, deliveries: number, emit: () => Promise<Result>): Promise<Result> {
    // No more can be claimed at once: the rest goes to the tables and leaves the room to other tenants.
    return this.#backpressure.run(tenantId, Math.min(deliveries, this.deps.slotsMax), emit);
  }

  get waiting(): number {
    return this.#backpressure.waiting;
  }

  get #pacedRoom(): number {
    const { load, deliverer, slotsMax } = this.deps;
    return this.#room !== undefined && load.utilization >= LIMITING_UTILIZATION
      ? slotsMax * PACED_IN_HAND - deliverer.busyWithClaimed
      : Number.POSITIVE_INFINITY;
  }

  /** Undefined while no jobs are fetched or nothing is sent. */
  get #room(): RoomOfPool | undefined {
    const { runner, fence } = this.deps;
    return fence.closed || fence.ending ? undefined : runner.life?.room;
  }

  claim(items: readonly { body: string }[]): Claim | null {
    const room = this.#room;
    const limits = room === undefined ? null : this.#limits(room, items);
    if (room === undefined || limits === null || limits.deliveriesMax < 1) {
      return null;
    }
    const { poolId } = room;
    return { ...limits, pool: this.deps.db.pool, workerPoolId: poolId, begin: (jobs) => this.#begin(poolId, jobs) };
  }

  #limits({ workers, ahead }: Room, items: readonly { body: string }[]): Pick<Claim, 'priorityMax' | 'deliveriesMax'> {
    const { slotsMax, deliverer } = this.deps;
    const length = items.reduce((sum, { body }) => sum + body.length, 0);
    const [max, inHand] =
      length > LONG_BODY * items.length
        ? [IN_HAND_OF_LONG, deliverer.busy]
        : [CLAIMED_IN_HAND, deliverer.busyWithClaimed];
    // However the deliveries are put into jobs, there is an idle worker for each job.
    const beginMax = Math.max(workers, (workers - LANES_OF_NEW) * JOB_SIZE_MIN);
    const within = (perSlot: number) => Math.min(Math.floor(slotsMax * perSlot) - inHand, beginMax);
    const forCrowding = within(max.crowded);
    return forCrowding > 0
      ? { priorityMax: LANES.CROWDED.priority, deliveriesMax: forCrowding }
      : { priorityMax: LANES.FIRST.priority, deliveriesMax: Math.max(within(max.first), ahead) };
  }

  #begin(poolId: string, claimed: readonly ClaimedJob[]): void {
    const jobs = claimed.map(({ id, priority, payload }) =>
      fetchedJob(poolId, {
        id,
        priority,
        payload,
        task: 'ids' in payload ? DELIVER_GROUP_TASK : DELIVER_TASK,
        key: jobKeyOf(payload),
        fetchesMax: JOB_FETCHES_MAX,
      }),
    );
    if (this.#give(poolId, jobs)) {
      this.deps.metrics.claimed.inc(
        claimed.reduce((sum, { payload }) => sum + (payload.loaded?.deliveries.size ?? 0), 0),
      );
    }
  }

  /**
   * Calls put-off deliveries back to this process, as far as it has workers: it has the times for them. Others go to
   * any process.
   *
   * @returns the ids of the deliveries that come
   */
  async callHere(ids: readonly number[]): Promise<readonly number[]> {
    const { pool } = this.deps.db;
    const { poolId = '', workers = 0, ahead = 0 } = this.#room ?? {};
    const count = Math.max(workers, ahead);
    const others = count < ids.length ? await callBackDeliveries(pool, ids.slice(count)) : [];
    const called = count === 0 ? [] : await callDeliveriesHere(pool, poolId, ids.slice(0, count));
    const task = DELIVER_TASK;
    this.#give(
      poolId,
      called.map((job) => fetchedJob(poolId, { ...job, task, fetchesMax: JOB_FETCHES_MAX })),
    );
    return [...others, ...called.map(({ key }) => Number(key.slice('d:'.length)))];
  }

  /** Room for the next deliveries of keys: idle workers, so that nothing else waits for them. Null: there is none. */
  get forWoken(): WakesHere | null {
    const room = this.#room;
    return room === undefined || room.workers === 0
      ? null
      : { workerPoolId: room.poolId, jobsMax: room.workers, begin: (jobs) => this.#begin(room.poolId, jobs) };
  }

  /** @returns false when there is no room for them: then they are free for every process */
  #give(poolId: string, jobs: ReturnType<typeof fetchedJob>[]): boolean {
    const { runner, db, log } = this.deps;
    const life = runner.life;
    if (jobs.length === 0 || (life?.room?.poolId === poolId && life.give(jobs))) {
      return true;
    }
    // When this fails too, the sweeps find the jobs: their pool is dead, or they are overdue.
    const ids = jobs.map(({ id }) => id);
    freeJobs(db.pool, poolId, ids).catch((error: unknown) => {
      log.warn({ err: error, jobs: ids.length }, 'could not free jobs that this process had claimed');
    });
    return false;
  }
}
