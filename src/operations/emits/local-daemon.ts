import type pg from 'pg';
import type { DeliverGroupJob, DeliverJob } from '../attempts/load-deliveries.js';

/**
 * A daemon in the process of the emits. While it has room, an emit's transaction writes the jobs as if the daemon had
 * fetched them, and returns what it would load (docs/decisions/0018).
 */
export interface LocalDaemon {
  /** @returns null when the daemon has no room at the moment */
  claim(items: readonly { body: string }[]): Claim | null;
  /** Delays emits of a tenant that emits a lot at once. @param deliveries how many the emit is expected to make */
  inPace<Result>(tenantId: number, deliveries: number, emit: () => Promise<Result>): Promise<Result>;
}

/** The daemon's room when it was asked; by the time of the commit there may be less. */
export interface Claim {
  /** Connections that may write jobs for a worker pool; the API's may not. */
  pool: pg.Pool;
  /** The worker pool that has the jobs locked. */
  workerPoolId: string;
  /** Jobs of a higher priority number are left to every daemon. */
  priorityMax: number;
  deliveriesMax: number;
  /** Runs the jobs that the commit has claimed. When its reply is lost, the rescue sweep finds the deliveries. */
  begin(jobs: readonly ClaimedJob[]): void;
}

/** A job that was written locked. */
export interface ClaimedJob {
  id: string;
  priority: number;
  payload: DeliverJob | DeliverGroupJob;
}
