import type { Job, WorkerEventMap, WorkerEvents } from 'graphile-worker';

type LocalQueue = WorkerEventMap['localQueue:init']['localQueue'];

/** What graphile-worker 0.18 keeps to itself of its local queue (localQueue.js). */
interface Inside {
  mode: LocalQueue['mode'];
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

const WAITING_MAX = 100;

/** The jobs that a runner has in its hands without running them: it fetches ahead, and others may be given to it. */
export class LocalJobs {
  readonly #queue: Inside;

  constructor(queue: LocalQueue, events: WorkerEvents) {
    this.#queue = queue as unknown as Inside;
    this.#awaitReturn(events);
  }

  get room(): Room {
    const { mode, workerQueue, jobQueue } = this.#queue;
    return {
      workers: mode === 'POLLING' ? workerQueue.length : 0,
      ahead: mode === 'WAITING' ? Math.max(0, WAITING_MAX - jobQueue.length) : 0,
    };
  }

  get waitingIds(): string[] {
    return this.#queue.jobQueue.map(({ id }) => id);
  }

  /** @returns false: there is no room for them */
  give(jobs: Job[]): boolean {
    const { workers, ahead } = this.room;
    if (jobs.length <= workers) {
      this.#queue.receivedJobs(jobs);
      return true;
    }
    if (jobs.length <= ahead) {
      for (const job of jobs) {
        this.#putAhead(job);
      }
      return true;
    }
    return false;
  }

  #putAhead(job: Job): void {
    const { jobQueue } = this.#queue;
    const before = jobQueue.findIndex(({ priority }) => priority > job.priority);
    jobQueue.splice(before < 0 ? jobQueue.length : before, 0, job);
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
