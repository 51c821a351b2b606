import type { Outcome } from './outcome.js';

/** The failure that makes this many in a row disables the webhook (docs/interface.md, "Success, failure, retries"). */
export const DISABLE_AFTER_FAILURES = 10;

export interface HealthState {
  active: boolean;
  /** Raised whenever `active` changes, so that it tells one active spell from the next. */
  generation: number;
  consecutiveFailures: number;
}

export interface HealthStep {
  /** The webhook's generation when this attempt was loaded. */
  generation: number;
  verdict: Outcome['verdict'];
}

export interface HealthVerdict {
  consecutiveFailures: number;
  disable: 'FAILURES' | 'GONE' | null;
}

/**
 * Folds outcomes, in the order in which they finished, over a webhook's state (docs/interface.md, "Success, failure,
 * retries"). A failure adds one, a success sets the count to 0; the tenth failure in a row or a 410 disables.
 *
 * An outcome of another generation changes nothing: its attempt began before the webhook was last
 * switched, and must not disable again what a tenant has just enabled. The same holds for every outcome
 * after the one that disables, and for a webhook that is inactive already, so that it is disabled once.
 */
export function foldHealth(state: HealthState, steps: readonly HealthStep[]): HealthVerdict {
  let { consecutiveFailures } = state;
  if (!state.active) {
    return { consecutiveFailures, disable: null };
  }
  for (const { generation, verdict } of steps) {
    if (generation !== state.generation) {
      continue;
    }
    consecutiveFailures = verdict === 'SUCCEEDED' ? 0 : consecutiveFailures + 1;
    if (verdict === 'GONE') {
      return { consecutiveFailures, disable: 'GONE' };
    }
    if (consecutiveFailures >= DISABLE_AFTER_FAILURES) {
      return { consecutiveFailures, disable: 'FAILURES' };
    }
  }
  return { consecutiveFailures, disable: null };
}
