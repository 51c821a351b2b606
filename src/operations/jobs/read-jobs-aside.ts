import type pg from 'pg';
import { jobsAsideListSql } from '../../platform/graphile-worker/job-conditions.js';
import { pendingSql } from './tasks.js';

/** A job that was fetched again and again without being finished, or that has failed for good. */
export interface JobAside {
  key: string;
  task: string;
  /** Null when the job is for several deliveries, or for none. */
  deliveryId: number | null;
  /** How often it was fetched. */
  tries: number;
  lastError: string | null;
  /** Null: never. */
  triedAgainAt: Date | null;
}

const SHOWN_MAX = 100;

/** Reads the oldest ones. */
export async function readJobsAside(pool: pg.Pool): Promise<JobAside[]> {
  const { rows } = await pool.query<JobAside>(`${jobsAsideListSql(pendingSql)} limit ${SHOWN_MAX}`);
  return rows;
}
