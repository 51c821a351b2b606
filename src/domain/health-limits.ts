/** A streak of this many disables the webhook (docs/interface.md, "Success, failure, retries"). */
export const DISABLE_AFTER_FAILURES = 10;

/** An active webhook fails from a streak of this many on: one failure or two are what retries are for. */
export const FAILING_FROM_FAILURES = 3;

/** A webhook's held deliveries are counted up to this number. */
export const HELD_SHOWN_MAX = 1_000;

/** A streak of this many raises `webhook.failing`, a warning before the disabling. */
export const WARN_FROM_FAILURES = 5;
