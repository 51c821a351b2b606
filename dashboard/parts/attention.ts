import { FAILING_FROM_FAILURES } from '../../src/domain/deliveries/health-limits.js';

/** Why an endpoint needs somebody, the most pressing reason first. The screens show the first two red, the others yellow. */
export const PRESSING = ['GONE', 'DISABLED', 'UNVERIFIED', 'FAILING'] as const;

/** Why an endpoint gets nothing, or not everything, although nobody has to act. The screens show these grey. */
export const RESTING = ['HOLDING', 'CLOSED', 'PAUSED'] as const;

export type Pressing = (typeof PRESSING)[number];
export type Resting = (typeof RESTING)[number];
export type Reason = Pressing | Resting;

export const REASONS: readonly Reason[] = [...PRESSING, ...RESTING];

export const isPressing = (reason: Reason | undefined): reason is Pressing =>
  PRESSING.some((pressing) => pressing === reason);

const DAY_MS = 86_400_000;

/** The fields of a webhook that decide whether somebody should look at it. */
export interface AttentionFields {
  active: boolean;
  disabledReason?: string | null;
  consecutiveFailures: number;
  heldCount: number;
  closedUntil?: string | null;
}

/**
 * Why this endpoint needs somebody, or rests; undefined where it does neither. One failure or two are what retries
 * are for.
 *
 * @param now in ms since 1970
 */
export function reasonFor(endpoint: AttentionFields, now: number): Reason | undefined {
  const { active, disabledReason, closedUntil, consecutiveFailures, heldCount } = endpoint;
  const isClosed = active && closedUntil != null && Date.parse(closedUntil) > now;
  if (!active && disabledReason !== 'PAUSED') {
    return disabledReason === 'GONE' || disabledReason === 'UNVERIFIED' ? disabledReason : 'DISABLED';
  }
  if (active && !isClosed && consecutiveFailures >= FAILING_FROM_FAILURES) {
    return 'FAILING';
  }
  if (heldCount > 0) {
    return 'HOLDING';
  }
  return isClosed ? 'CLOSED' : active ? undefined : 'PAUSED';
}

/** Whether an endpoint gets everything, and no attempt has failed for a day. @param now in ms since 1970 */
export function isFine(
  endpoint: AttentionFields & { lastSuccessAt?: string | null; lastFailureAt?: string | null },
  now: number,
): boolean {
  const { lastSuccessAt, lastFailureAt, consecutiveFailures } = endpoint;
  const failedAt = lastFailureAt == null ? 0 : Date.parse(lastFailureAt);
  const works = failedAt === 0 || (lastSuccessAt != null && Date.parse(lastSuccessAt) > failedAt);
  return reasonFor(endpoint, now) === undefined && consecutiveFailures === 0 && works && now - failedAt > DAY_MS;
}

/** The endpoints that need somebody, the most pressing first, and why others rest; each once. */
export function sortOut<Row extends AttentionFields & { id: string }>(endpoints: readonly Row[], now: number) {
  const pressing: { endpoint: Row; reason: Pressing }[] = [];
  const resting: Resting[] = [];
  for (const endpoint of new Map(endpoints.map((one) => [one.id, one])).values()) {
    const reason = reasonFor(endpoint, now);
    if (isPressing(reason)) {
      pressing.push({ endpoint, reason });
    } else if (reason !== undefined) {
      resting.push(reason === 'HOLDING' && !endpoint.active ? 'PAUSED' : reason);
    }
  }
  pressing.sort(
    (one, other) =>
      REASONS.indexOf(one.reason) - REASONS.indexOf(other.reason) || other.endpoint.heldCount - one.endpoint.heldCount,
  );
  return { pressing, resting };
}
