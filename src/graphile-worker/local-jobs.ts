import type { Job, WorkerEventMap, WorkerEvents } from 'graphile-worker';

type LocalQueue = WorkerEventMap['localQueue:init']['localQueue'];

/** What graphile-worker 0.18 keeps to itself of its local queue (localQueue.js). */
interface Inside {
  mode: LocalQueue['mode'];
  /** In mode POLLING; jobs that arrive meanwhile must not be put into `jobQueue`. */
  fetchInProgress: boolean;
  /** Those who wait for a job. */
  workerQueue: unknown[];
  /** Fetched, while no worker was idle; in mode WAITING there is at least one, in POLLING none. */
  jobQueue: Job[];
  receivedJobs(jobs: Job[]): void;
  background(work: Promise<void>): void;
}

/** How many jobs could begin. */
export interface Room {
  /** At once. */
  workers: number;
  /** Next, before those that were fetched and have a higher priority number. */
  ahead: number;
}

/** Between two fetches. The next one comes when none is left, and what is in the tables only waits for that. */
const AHEAD_MAX = 100;
/** Fewer, because the fetch brings some itself. */
const BESIDE_FETCH_MAX = 50;

/** The jobs that a runner has in its hands without running them: it fetches ahead, and others may be given to it. */
export class LocalJobs {
  readonly #queue: Inside;
  /** Given during a fetch: they go with what it brings, or, if it fails, with what the next one does. */
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

  /** @returns false: there is no room for them */
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
   * When it stops, graphile-worker 0.18 gives back the jobs that it fetched ahead, but refuses to wait for that unless
   * something else is under way in its local queue ("Cannot background something when the queue is already released",
   * localQueue.js). So a database that is away then would end the process by an unhandled rejection. Now something is.
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

/** Before those of a higher priority number, behind all others. */
function putAhead(jobs: Job[], job: Job): void {
  const before = jobs.findIndex(({ priority }) => priority > job.priority);
  jobs.splice(before < 0 ? jobs.length : before, 0, job);
}
