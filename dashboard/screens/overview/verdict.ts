import { LATE_AFTER_MS } from '../../../src/domain/deliveries/health-limits.js';
import type { Pressing } from '../../parts/attention.js';
import { MANY_FAILED } from '../../parts/many-failed.js';

type Tone = 'good' | 'bad' | 'warn' | 'info';

/** The figures that a tenant's overview is judged by. */
export interface Situation {
  /** The reasons of the endpoints that need somebody. */
  reasons: readonly Pressing[];
  attempts: number;
  failures: number;
  /** The age of the oldest due delivery whose endpoint does not want it to wait, in ms; null if there is none. */
  oldestDueMs: number | null;
}

/** The overview's first sentence; its words and figures come from the screen. */
export type Verdict = 'NEEDS_YOU' | 'LATE' | 'MANY_FAILURES' | 'QUIET' | 'FINE';

const VERDICT_TONES: Record<Verdict, Tone> = {
  NEEDS_YOU: 'bad',
  LATE: 'warn',
  MANY_FAILURES: 'warn',
  QUIET: 'info',
  FINE: 'good',
};

/** The one thing to say about a tenant with endpoints: what needs a person, else what is unusual, else that all is fine. */
export function judge({ reasons, attempts, failures, oldestDueMs }: Situation): Verdict {
  if (reasons.length > 0) {
    return 'NEEDS_YOU';
  }
  if (oldestDueMs !== null && oldestDueMs > LATE_AFTER_MS) {
    return 'LATE';
  }
  if (attempts === 0) {
    return 'QUIET';
  }
  return failures / attempts >= MANY_FAILED ? 'MANY_FAILURES' : 'FINE';
}

/** Red where nothing is sent until somebody acts; what only fails, or is not verified, is still tried. */
export function toneOf(verdict: Verdict, reasons: readonly Pressing[]): Tone {
  const isTried = reasons.every((reason) => reason === 'FAILING' || reason === 'UNVERIFIED');
  return verdict === 'NEEDS_YOU' && isTried ? 'warn' : VERDICT_TONES[verdict];
}
