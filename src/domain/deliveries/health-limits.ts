/** A streak of this many disables the webhook (docs/interface.md, "Success, failure, retries"). */
export const DISABLE_AFTER_FAILURES = 10;

/** The greatest DISABLE_AFTER_SECONDS_MIN, the shortest failure streak that disables a webhook. */
export const STREAK_SECONDS_MAX = 3_600;

/** An active webhook fails from a streak of this many on: one failure or two are what retries are for. */
export const FAILING_FROM_FAILURES = 3;

/** The failing webhooks of all tenants are counted up to this number in each state. */
export const FAILING_COUNTED_MAX = 1_500;

/** No attempt takes longer: the greatest ATTEMPT_TIMEOUT_MAX_MS. */
export const ATTEMPT_MS_MAX = 120_000;

/** A delivery is late that has been due for longer. One that is being sent is due as well. */
export const LATE_AFTER_MS = ATTEMPT_MS_MAX + 60_000;

/**
 * The closed endpoints of an installation whose due deliveries are counted: the ones whose pauses end last. With as
 * many there are perhaps more.
 */
export const CLOSED_COUNTED = 30;

/** A webhook's held deliveries are counted up to this number. */
export const HELD_SHOWN_MAX = 1_000;

/** A streak of this many raises `webhook.failing`, a warning before the disabling. */
export const WARN_FROM_FAILURES = 5;
