/** Erasure of events among what daemons know, and the version from which on they do. */
export const ERASING = { name: 'erasure', since: '0.2.0' };

/** How long the number of a dry run can be named. */
export const DRY_RUN_MINUTES = 10;

/** An erasure of more events begins later, and can be canceled until then. */
export const ERASED_AT_ONCE_MAX = 10_000;
const WAIT_MINUTES = 10;

/** When an erasure of so many events begins; null: at once. */
export const erasureBegins = (count: number, now: Date): Date | null =>
  count > ERASED_AT_ONCE_MAX ? new Date(now.getTime() + WAIT_MINUTES * 60_000) : null;
