import type { CancelReason, DeliveryStatus } from '../../entities/delivery.js';

export const OPEN_STATUSES: readonly `${DeliveryStatus}`[] = ['PENDING', 'WAITING', 'HELD'];

export const isOpen = (status: string | undefined): boolean => OPEN_STATUSES.some((open) => open === status);

/** The longest wait for a lock when one delivery is changed: outcomes wait for the rows locked meanwhile. */
export const LOCK_WAIT_MS = 1_000;

/** SQL assignments: an open delivery is canceled. */
export const canceledSql = (reason: `${CancelReason}`) =>
  `status = 'CANCELED', cancel_reason = '${reason}'::hookwright.cancel_reason, finished_at = now()`;

/**
 * SQL assignments: a finished delivery is sent again, in a new run of attempts with a fresh budget. It is due by the
 * clock: the row was waited for, and an enabling meanwhile must not count it as older. A check becomes an ordinary
 * test.
 */
export const reopenedSql = `
  status = 'PENDING', cancel_reason = null, attempts_before = attempt_count, run = run + 1,
  due_at = clock_timestamp(), finished_at = null, job_group = null, is_check = false,
  settling_since = null, superseded_by = null`;
