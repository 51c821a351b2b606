import { TIMEOUT_MS_MAX } from './fields/webhook-fields.js';

/** A streak of this many disables the webhook (docs/interface.md, "Success, failure, retries"). */
export const DISABLE_AFTER_FAILURES = 10;

/** The greatest DISABLE_AFTER_SECONDS_MIN, the shortest failure streak that disables a webhook. */
export const STREAK_SECONDS_MAX = 3_600;

/** An active webhook fails from a streak of this many on: one failure or two are what retries are for. */
export const FAILING_FROM_FAILURES = 3;

/** A delivery is late that has been due for longer: one that is being sent is due as well, for two minutes at most. */
export const LATE_AFTER_MS = TIMEOUT_MS_MAX + 60_000;

/** A webhook's held deliveries are counted up to this number. */
export const HELD_SHOWN_MAX = 1_000;

/** A streak of this many raises `webhook.failing`, a warning before the disabling. */
export const WARN_FROM_FAILURES = 5;
