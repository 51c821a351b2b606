/** A streak of this many disables the webhook (docs/interface.md, "Success, failure, retries"). */
export const DISABLE_AFTER_FAILURES = 10;

/** A webhook's held deliveries are counted up to this number. */
export const HELD_SHOWN_MAX = 1_000;
