import type { CancelReason, DeliveryStatus } from '../../entities/delivery.js';

/** What deliveries become, and which are open; said once, for one delivery and for thousands alike. */

/** Of a delivery that has not come to its end. */
export const OPEN_STATUSES: readonly `${DeliveryStatus}`[] = ['PENDING', 'HELD'];

export const isOpen = (status: string | undefined): boolean => OPEN_STATUSES.some((open) => open === status);

/**
 * For how long a change of one delivery waits for a lock. Outcomes may be waiting for the rows that it has locked
 * meanwhile, and the caller is to have an answer.
 */
export const LOCK_WAIT_MS = 1_000;

/** SQL assignments: an open delivery is canceled. */
export const canceledSql = (reason: `${CancelReason}`) =>
  `status = 'CANCELED', cancel_reason = '${reason}'::hookwright.cancel_reason, finished_at = now()`;

/**
 * SQL assignments: a finished delivery is sent again, in a new run of attempts with a fresh budget. Due by the clock
 * and not since the transaction began: its row was waited for, and an enabling that came before must not count it as
 * older.
 */
export const reopenedSql = `
  status = 'PENDING', cancel_reason = null, attempts_before = attempt_count, run = run + 1,
  due_at = clock_timestamp(), finished_at = null, job_group = null`;
