import type { Job, WorkerEventMap, WorkerEvents } from 'graphile-worker';

type LocalQueue = WorkerEventMap['localQueue:init']['localQueue'];

/** Private members of graphile-worker's local queue (localQueue.js). */
interface Inside {
  mode: LocalQueue['mode'];
  /** In mode POLLING; meanwhile no job may be put into `jobQueue`. */
  fetchInProgress: boolean;
  /** Idle workers. */
  workerQueue: unknown[];
  /** Jobs that were fetched while no worker was idle; in mode WAITING there is at least one, in POLLING none. */
  jobQueue: Job[];
  receivedJobs(jobs: Job[]): void;
  background(work: Promise<void>): void;
}

/** How many more jobs could begin. */
export interface Room {
  /** At once. */
  workers: number;
  /** Next, before those that were fetched and have a higher priority number. */
  ahead: number;
}

/** The most jobs given between two fetches. The next comes when none is left, and jobs in the table wait for it. */
const AHEAD_MAX = 100;
/** Fewer during a fetch, because it brings some itself. */
const BESIDE_FETCH_MAX = 50;

/** Makes a job as a fetch brings it. */
export function fetchedJob(
  poolId: string,
  job: {
    id: string;
    task: string;
    payload: unknown;
    priority: number;
    key: string;
    fetchesMax: number;
    fetches?: number;
  },
): Job {
  const now = new Date();
  return {
    id: job.id,
    task_identifier: job.task,
    payload: job.payload,
    priority: job.priority,
    attempts: job.fetches ?? 1,
    max_attempts: job.fetchesMax,
    run_at: now,
    created_at: now,
    updated_at: now,
    locked_at: now,
    locked_by: poolId,
    key: job.key,
    revision: 0,
    flags: null,
    last_error: null,
    job_queue_id: null,
    task_id: 0,
    is_available: false,
  };
}

/** The jobs that a runner has without running them: it fetches ahead, and takes other jobs too. */
export class LocalJobs {
  readonly #queue: Inside;
  /** Jobs given during a fetch. They begin with the jobs of that fetch or, if it fails, of the next. */
  readonly #besideFetch: Job[] = [];
  #givenAhead = 0;

  constructor(queue: LocalQueue, events: WorkerEvents) {
    this.#queue = queue as unknown as Inside;
    this.#awaitReturn(events);
    events.on('localQueue:setMode', () => {
      this.#givenAhead = 0;
    });
    events.on('localQueue:getJobs:complete', ({ jobs }) => {
      for (const job of this.#besideFetch.splice(0)) {
        putAhead(jobs, job);
      }
    });
  }

  get room(): Room {
    const { mode, workerQueue } = this.#queue;
    return { workers: mode === 'POLLING' ? workerQueue.length : 0, ahead: this.#roomAhead };
  }

  get #roomAhead(): number {
    const { mode, fetchInProgress } = this.#queue;
    if (mode === 'WAITING') {
      return AHEAD_MAX - this.#givenAhead;
    }
    return mode === 'POLLING' && fetchInProgress ? BESIDE_FETCH_MAX - this.#besideFetch.length : 0;
  }

  get waitingIds(): string[] {
    return [...this.#queue.jobQueue, ...this.#besideFetch].map(({ id }) => id);
  }

  /** @returns false when there is no room for them */
  give(jobs: Job[]): boolean {
    const { workers, ahead } = this.room;
    if (jobs.length <= workers) {
      this.#queue.receivedJobs(jobs);
      return true;
    }
    if (jobs.length > ahead) {
      return false;
    }
    const { mode, jobQueue } = this.#queue;
    if (mode === 'WAITING') {
      this.#givenAhead += jobs.length;
      for (const job of jobs) {
        putAhead(jobQueue, job);
      }
    } else {
      this.#besideFetch.push(...jobs);
    }
    return true;
  }

  /**
   * A queue that stops does not wait until it has given back jobs unless something else is under way in it ("Cannot
   * background something when the queue is already released"). If the database were away, an unhandled rejection would
   * end the process.
   */
  #awaitReturn(events: WorkerEvents): void {
    const released = Promise.withResolvers<void>();
    events.on('localQueue:setMode', ({ newMode }) => {
      if (newMode === 'RELEASED') {
        released.resolve();
      }
    });
    this.#queue.background(released.promise);
  }
}

/** Puts a job before those of a higher priority number, behind all others. */
function putAhead(jobs: Job[], job: Job): void {
  const before = jobs.findIndex(({ priority }) => priority > job.priority);
  jobs.splice(before < 0 ? jobs.length : before, 0, job);
}
